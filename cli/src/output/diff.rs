//! Unified diffs for `patch` and `git apply`.

use super::{Stream, one_line};
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::io::{self, Write};

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();

/// Writes the changes from one text to another, each given as name and text. The lines are data: `patch` must find them as
/// they are in the file.
pub(crate) fn write_diff(out: &mut Stream, old: (&str, &str), new: (&str, &str)) -> io::Result<()> {
    let diff = TextDiff::from_lines(old.1, new.1);
    for (sign, name) in [("---", old.0), ("+++", new.0)] {
        out.line(HEADER, &format!("{sign} {}", one_line(name)))?;
    }
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        out.line(HUNK, &hunk.header().to_string())?;
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let text = line.strip_suffix('\n').unwrap_or(line);
            out.line(style, &format!("{sign}{text}"))?;
            if !line.ends_with('\n') {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}
