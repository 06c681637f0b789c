//! The declarative rules of a PriorityLevelConfiguration, by which servers decide the fields that a type requires or forbids.
//!
//! A server checks them after all handwritten rules, from the outside in. Their violations do not have a detail.

use super::internal::LevelSpec;
use super::violation::{Path, Report};

/// Checks the `spec` of a level.
pub(super) fn check(spec: &LevelSpec, path: &Path, report: &mut Report) {
    let type_ = spec.type_.as_str();
    let exempt = Member::of(type_, "Exempt", spec.exempt.is_some());
    // The stanza of exempt levels may be absent.
    exempt.or_absent().check(&path.child("exempt"), report);
    let limited = path.child("limited");
    Member::of(type_, "Limited", spec.limited.is_some()).check(&limited, report);
    require_type(type_, path, report);
    if let Some(stanza) = &spec.limited {
        let path = limited.child("limitResponse");
        let queuing = Member::of(&stanza.response, "Queue", stanza.queuing.is_some());
        queuing.check(&path.child("queuing"), report);
        require_type(&stanza.response, &path, report);
    }
}

/// A field that belongs to one value of the type beside it.
enum Member {
    Fits,
    Missing,
    Foreign,
}

impl Member {
    /// The field that belongs to the type `own`. An unknown or empty type owns no field.
    fn of(type_: &str, own: &str, is_set: bool) -> Self {
        match (type_ == own, is_set) {
            (true, false) => Self::Missing,
            (false, true) => Self::Foreign,
            _ => Self::Fits,
        }
    }

    fn or_absent(self) -> Self {
        match self {
            Self::Missing => Self::Fits,
            other => other,
        }
    }

    fn check(self, path: &Path, report: &mut Report) {
        match self {
            Self::Fits => {}
            Self::Missing => report.required(path, ""),
            Self::Foreign => report.forbidden(path, ""),
        }
    }
}

fn require_type(type_: &str, path: &Path, report: &mut Report) {
    if type_.is_empty() {
        report.required(&path.child("type"), "");
    }
}
