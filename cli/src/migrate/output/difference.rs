//! What changes, as a unified diff that `patch` and `git apply` take.

use crate::migrate::batch::Examined;
use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();

/// The diff of a file; empty when nothing changes.
pub(crate) fn unified(file: &Examined) -> String {
    let mut out = String::new();
    let (Some(new), Ok(old)) = (&file.outcome.text, std::str::from_utf8(&file.bytes)) else {
        return out;
    };
    let path = file.candidate.path.display();
    let diff = TextDiff::from_lines(old, new.as_str());
    // A string takes any text.
    let _ = writeln!(
        out,
        "{HEADER}--- {path}{HEADER:#}\n{HEADER}+++ {path}{HEADER:#}"
    );
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        let _ = writeln!(out, "{HUNK}{}{HUNK:#}", hunk.header());
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', REMOVED),
                ChangeTag::Insert => ('+', ADDED),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value();
            let text = line.strip_suffix('\n').unwrap_or(line);
            let _ = writeln!(out, "{style}{sign}{text}{style:#}");
            if !line.ends_with('\n') {
                let _ = writeln!(out, "\\ No newline at end of file");
            }
        }
    }
    out
}
