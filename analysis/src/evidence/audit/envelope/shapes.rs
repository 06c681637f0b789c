//! Shapes of JSON texts, recognized by their beginning.

use k8s_flowcontrol_types::json::{Fault, Reader};
use std::borrow::Cow;

/// Whether a text begins as a server writes events, so that it is parsed as an event first.
pub(super) fn begins_like_event(text: &str) -> bool {
    let names = [
        "\"kind\"",
        "\"apiVersion\"",
        "\"metadata\"",
        "\"level\"",
        "\"auditID\"",
    ];
    let rest = text.strip_prefix('{').map(str::trim_ascii_start);
    rest.is_some_and(|rest| names.iter().any(|name| rest.starts_with(name)))
}

/// Whether a bracket begins a list, and not the prefix of a line.
pub(super) fn is_json_list(rest: &[u8]) -> bool {
    let first = rest.trim_ascii_start().first();
    matches!(first, None | Some(b'{' | b'[' | b'"' | b']' | b'0'..=b'9'))
}

/// Whether only the separators of a list follow.
pub(super) fn is_rest(text: &str, reader: &mut Reader<'_>) -> bool {
    let rest = text.get(reader.offset()..).unwrap_or_default();
    rest.trim_matches([',', ']', ' ']).is_empty()
}

/// The line of a time and a line, with or without metadata.
pub(super) fn line_of_pair(text: &str) -> Option<Cow<'_, str>> {
    let mut reader = Reader::new(text);
    let pair = |reader: &mut Reader<'_>| -> Result<bool, Fault> {
        Ok(reader.elements()? && reader.is_string())
    };
    if !pair(&mut reader).ok()? {
        return None;
    }
    let time = reader.string(&"a time").ok()?;
    let is_time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
    let more = reader.more_elements().ok()?;
    (is_time && more && reader.is_string())
        .then(|| reader.string(&"a line").ok())
        .flatten()
}
