//! The one place where an object is judged before it is stored.

use super::Write;
use crate::scheme::Kind;
use crate::status::{Cause, Failure, invalid};
use crate::store::meta_str;
use k8s_flowcontrol::validate::{self, Violation};
use serde_json::Value;

/// Judges an object that is to be created or to replace `old`.
///
/// # Errors
/// A 422 with all that is wrong.
pub(crate) fn admit(write: &Write<'_>, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
    let name = meta_str(object, "name");
    let Some(kind) = judged(write.kind) else {
        let violations = validate::metadata(object, old, write.kind.release());
        let causes: Vec<_> = other_uid(object, old)
            .into_iter()
            .chain(violations.into_iter().map(Cause::from))
            .collect();
        return match causes.is_empty() {
            true => Ok(()),
            false => Err(invalid(write.kind.name(), write.kind.group(), name, causes)),
        };
    };
    let context = write.kind.rules(write.version);
    // The server judges what it holds; the version decides how members are named.
    let versioned = |object| write.kind.in_version(object, write.version);
    let new = versioned(object);
    let mut causes: Vec<_> = other_uid(object, old).into_iter().collect();
    let violations = match old.map(versioned) {
        None => validate::create(kind, &new, context),
        Some(old) if write.subresource.is_empty() => validate::update(kind, &old, &new, context),
        Some(old) => validate::update_status(&old, &new, context),
    };
    causes.extend(violations.into_iter().map(Cause::from));
    if causes.is_empty() {
        return Ok(());
    }
    Err(invalid(write.kind.name(), write.kind.group(), name, causes))
}

/// A replace with the UID of another object is a conflict, found earlier; a patch with one is invalid.
fn other_uid(object: &Value, old: Option<&Value>) -> Option<Cause> {
    let uid = meta_str(object, "uid");
    let is_other = uid != meta_str(old?, "uid");
    is_other.then(|| Cause::invalid("metadata.uid", &format!("{uid:?}"), "field is immutable"))
}

/// The kind among those that there are rules for.
fn judged(kind: &Kind) -> Option<validate::Kind> {
    validate::Kind::ALL
        .into_iter()
        .find(|judged| !kind.is_guest() && judged.as_str() == kind.name())
}

impl From<Violation> for Cause {
    fn from(violation: Violation) -> Self {
        Self::new(
            violation.reason.as_str(),
            violation.field,
            violation.message,
        )
    }
}
