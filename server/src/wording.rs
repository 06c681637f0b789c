//! What differs per release in the server's own words; those of validation are the client crate's.

use k8s_flowcontrol_types::Release;

/// How a limit of length begins.
pub(crate) fn too_long(release: Release) -> &'static str {
    if release.minor() < 32 {
        "must have at most"
    } else {
        "may not be more than"
    }
}

/// A refused list of texts: as Go writes it in a program, later as JSON.
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

/// What the lengths of label keys and values are counted in.
pub(crate) fn label_unit(release: Release) -> &'static str {
    if release.minor() < 34 {
        "characters"
    } else {
        "bytes"
    }
}

/// What a label key is called that is none.
pub(crate) fn label_key(release: Release) -> &'static str {
    if release.minor() < 34 {
        "a qualified name"
    } else {
        "a valid label key"
    }
}
