//! The wording of messages, which differs between releases. The rules are the same code for all releases.

use k8s_flowcontrol_types::{Fact, Release};

/// The wording of a range of releases.
#[derive(Debug)]
pub(super) struct Wording {
    /// Whether invalid values are printed as JSON instead of Go source.
    pub(super) values_as_json: bool,
    /// The unit of length for label keys, label values and prefixes.
    pub(super) label_unit: &'static str,
    /// The term for the key of a label or annotation.
    pub(super) qualified_name: &'static str,
    /// Whether the message for two controllers contains their kinds.
    pub(super) names_owner_kinds: bool,
    /// Whether the message for an empty field of an owner reference names the field.
    names_empty_owner_fields: bool,
    /// The message for a type `Exempt` of another level than `exempt`, or the reverse.
    pub(super) exempt_type: &'static str,
    /// The message for an empty condition type.
    pub(super) empty_condition_type: &'static str,
    /// The start of the message for a size limit.
    pub(super) too_long: &'static str,
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
            qualified_name: "a valid label key",
            names_empty_owner_fields: false,
            exempt_type: "must be 'Exempt' if and only if `name` is 'exempt'",
            empty_condition_type: "",
            ..OLDER
        },
    ),
    (Some(Fact::SaysMayNotBeMoreThan), OLDER),
    (
        Some(Fact::NamesOwnerKinds),
        Wording {
            too_long: "must have at most",
            ..OLDER
        },
    ),
    (
        None,
        Wording {
            too_long: "must have at most",
            says_dots: false,
            names_owner_kinds: false,
            ..OLDER
        },
    ),
];

const OLDER: Wording = Wording {
    values_as_json: false,
    label_unit: "characters",
    qualified_name: "a qualified name",
    names_owner_kinds: true,
    names_empty_owner_fields: true,
    exempt_type: "type must be 'Exempt' if and only if name is 'exempt'",
    empty_condition_type: "must not be empty",
    too_long: "may not be more than",
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
        if self.names_empty_owner_fields {
            format!("{name} must not be empty")
        } else {
            "must not be empty".into()
        }
    }
}
