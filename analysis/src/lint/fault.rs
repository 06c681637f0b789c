//! Faults of an object as it is written, which the typed object no longer shows.

use k8s_flowcontrol_types::Kind;

/// A fault of an object as it is written, such as a field that its version does not have.
///
/// A typed object does not show such a fault: its type ignores the field, and has the default in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The object's kind.
    pub kind: Kind,
    /// The object's name.
    pub name: String,
    /// The path of the field, such as `spec.limited.assuredConcurrencyShares`.
    pub path: String,
    /// The fault at this path.
    pub what: FaultKind,
}

/// The kind of a [`Fault`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The version of the object does not have the field.
    UnknownField,
    /// The field is written more than once.
    DuplicateField,
    /// A server rejects the object, for this reason.
    Invalid(String),
    /// A server drops the field when it converts the object to v1, or the field changes its meaning; with the reason.
    Loss(String),
}

impl Fault {
    /// A fault of the object with this kind and name.
    pub const fn new(kind: Kind, name: String, path: String, what: FaultKind) -> Self {
        Self {
            kind,
            name,
            path,
            what,
        }
    }
}
