//! Differences between releases in messages of the server outside of validation.

use k8s_flowcontrol_types::Release;

/// The beginning of the message for a text that is too long.
pub(crate) fn too_long(release: Release) -> &'static str {
    if release.minor() < 32 {
        "must have at most"
    } else {
        "may not be more than"
    }
}

/// A list of strings in a message: in Go's syntax, since 1.34 in JSON.
pub(crate) fn strings(values: &[&str], release: Release) -> String {
    let json = release.minor() >= 34;
    let separator = if json { "," } else { ", " };
    let values: Vec<_> = values.iter().map(|value| format!("{value:?}")).collect();
    let values = values.join(separator);
    if json {
        format!("[{values}]")
    } else {
        format!("[]string{{{values}}}")
    }
}

/// The unit of the lengths of label keys and values.
pub(crate) fn label_unit(release: Release) -> &'static str {
    if release.minor() < 34 {
        "characters"
    } else {
        "bytes"
    }
}

/// The name of a label key in messages.
pub(crate) fn label_key(release: Release) -> &'static str {
    if release.minor() < 34 {
        "a qualified name"
    } else {
        "a valid label key"
    }
}
