//! The wording of messages, which differs between releases, where other words in their place are not enough. The rules are the same
//! code for all releases.

use k8s_flowcontrol_types::{Fact, Release};

/// The wording of a range of releases.
#[derive(Debug)]
pub(super) struct Wording {
    /// Whether invalid values are printed as JSON instead of Go source.
    pub(super) values_as_json: bool,
    /// The unit of length for label keys, label values and prefixes.
    pub(super) label_unit: &'static str,
    /// Whether the message for two controllers contains their kinds.
    pub(super) names_owner_kinds: bool,
    /// Whether the message for an empty field of an owner reference names the field.
    names_empty_owner_fields: bool,
    pub(super) empty_condition_type: &'static str,
    /// Whether the message for a namespace with a dot mentions the dot.
    pub(super) says_dots: bool,
}

/// Each wording with the fact of its releases, the newest first; the last one is for all others.
const WORDINGS: &[(Option<Fact>, Wording)] = &[
    (
        Some(Fact::MessagesPrintJson),
        Wording {
            values_as_json: true,
            label_unit: "bytes",
            names_empty_owner_fields: false,
            empty_condition_type: "",
            ..OLDER
        },
    ),
    (Some(Fact::NamesOwnerKinds), OLDER),
    (
        None,
        Wording {
            says_dots: false,
            names_owner_kinds: false,
            ..OLDER
        },
    ),
];

const OLDER: Wording = Wording {
    values_as_json: false,
    label_unit: "characters",
    names_owner_kinds: true,
    names_empty_owner_fields: true,
    empty_condition_type: "must not be empty",
    says_dots: true,
};

impl Wording {
    pub(super) fn of(release: Release) -> &'static Self {
        let found = WORDINGS
            .iter()
            .find(|(fact, _)| fact.is_none_or(|fact| release.has(fact)));
        // The last entry covers every release.
        &found.unwrap_or(&WORDINGS[WORDINGS.len() - 1]).1
    }

    /// The message for an empty field of an owner reference.
    pub(super) fn empty_owner_field(&self, name: &str) -> String {
        // The version is not the field itself, but a part of it.
        if self.names_empty_owner_fields || name == "version" {
            format!("{name} must not be empty")
        } else {
            "must not be empty".into()
        }
    }
}
