//! The directives of Velocity, which read as comments of YAML.

use super::template::inside;
use crate::cut::leading;
use k8s_flowcontrol_text::Span;

const DIRECTIVES: [&str; 7] = ["if", "elseif", "else", "end", "foreach", "set", "macro"];

/// Whether a text is a template of Velocity: a block begins and ends.
pub(super) fn is_velocity(text: &str) -> bool {
    let mut is_open = false;
    memchr::memmem::find_iter(text.as_bytes(), b"#").any(|at| {
        let span = directive_at(text, at);
        let name = span.map(|span| word(inside(&text[span.range()])));
        is_open |= matches!(name, Some("if" | "foreach"));
        is_open && name == Some("end")
    })
}

/// The directive that begins at a hash: alone in its line, with parentheses where it needs them.
pub(super) fn directive_at(text: &str, start: usize) -> Option<Span> {
    let rest = text[start..].strip_prefix('#')?;
    let name = word(rest);
    let before = text[..start].trim_end_matches([' ', '\t']);
    let is_alone = before.is_empty() || before.ends_with(['\n', '\r']);
    if !DIRECTIVES.contains(&name) || !is_alone {
        return None;
    }
    let line = rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())].trim_end();
    let after = line[name.len()..].trim_start();
    let is_whole = match name {
        "else" | "end" => after.is_empty(),
        _ => after.starts_with('(') && after.ends_with(')'),
    };
    is_whole.then(|| Span::new(start, start + 1 + line.len()))
}

/// The letters with which a text begins.
pub(super) fn word(text: &str) -> &str {
    leading(text, |letter| letter.is_ascii_alphabetic())
}
