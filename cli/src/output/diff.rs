//! Unified diffs for `patch` and `git apply`.

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};
use std::fmt::Write;

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const HEADER: Style = Style::new().bold();
const HUNK: Style = AnsiColor::Cyan.on_default();

/// The changes from one text to another, each given as name and text.
pub(crate) fn unified_diff(old: (&str, &str), new: (&str, &str)) -> String {
    let mut out = String::new();
    let diff = TextDiff::from_lines(old.1, new.1);
    // A string takes any text.
    let _ = writeln!(
        out,
        "{HEADER}--- {}{HEADER:#}\n{HEADER}+++ {}{HEADER:#}",
        old.0, new.0
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
