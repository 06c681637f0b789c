//! What differs per release in the words of a server. The rules themselves are the same code for all.

use k8s_flowcontrol_types::Release;

/// The words of a range of releases.
#[derive(Debug)]
pub(super) struct Wording {
    /// Whether refused values are printed as JSON; before, as Go values.
    pub(super) values_as_json: bool,
    /// What the length of label keys and values and of prefixes is counted in.
    pub(super) label_unit: &'static str,
    /// How a key with more than one slash is called.
    pub(super) qualified_name: &'static str,
    /// Whether two controllers among the owners are told apart by their kinds too.
    pub(super) names_owner_kinds: bool,
    /// Whether the message for an empty field of an owner reference names the field.
    names_empty_owner_fields: bool,
    /// The level `exempt` and the type `Exempt` go together.
    pub(super) exempt_type: &'static str,
    /// What an empty condition type is told.
    pub(super) empty_condition_type: &'static str,
    /// How a size limit begins.
    pub(super) too_long: &'static str,
    /// Whether a namespace with a dot is told just that.
    pub(super) says_dots: bool,
}

/// The words by the first minor release that uses them, the newest first.
const WORDINGS: &[(u32, Wording)] = &[
    (
        34,
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
    (32, OLDER),
    (
        26,
        Wording {
            too_long: "must have at most",
            ..OLDER
        },
    ),
    (
        0,
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
        let found = WORDINGS.iter().find(|(since, _)| release.minor() >= *since);
        // The last entry is for every release.
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
