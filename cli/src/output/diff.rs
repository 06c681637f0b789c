//! Unified diffs for `patch` and `git apply`.

use super::{Stream, one_line};
use anstyle::{AnsiColor, Style};
use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{ChangeTag, DiffOp};
use std::io::{self, Write};

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();

/// Writes the changes from one text to another, each given as name and text. The lines are data: `patch` must find them as
/// they are in the file.
pub(crate) fn write_diff(out: &mut Stream, old: (&str, &str), new: (&str, &str)) -> io::Result<()> {
    for (sign, name) in [("---", old.0), ("+++", new.0)] {
        out.line(HEADER, &format!("{sign} {}", one_line(name)))?;
    }
    let (old, new) = (lines(old.1), lines(new.1));
    for hunk in hunks(&old, &new) {
        out.line(HUNK, &UnifiedHunkHeader::new(&hunk).to_string())?;
        for change in hunk.iter().flat_map(|part| part.iter_changes(&old, &new)) {
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

/// The lines as `patch` counts them: a carriage return alone does not end one.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The parts of the texts that differ, with three lines around them. `TextDiff` would bring all algorithms of the library into the program.
fn hunks(old: &[&str], new: &[&str]) -> Vec<Vec<DiffOp>> {
    let mut parts = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut parts, old, 0..old.len(), new, 0..new.len());
    parts.into_inner().into_inner().into_grouped_ops(3)
}
