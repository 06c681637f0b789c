//! The one place where an object is judged before it is stored.

use super::Write;
use crate::kinds::Kind;
use crate::status::{Cause, Failure, invalid};
use crate::store::meta_str;
use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_rules::validate::Violation;
use serde_json::Value;

/// Judges an object that is to be created or to replace `old`. It may still have the empty lists that a client
/// sent, which messages show.
///
/// # Errors
/// A 422 with all that is wrong.
pub(crate) fn admit(write: &Write<'_>, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
    let name = meta_str(object, "name");
    let Some(kind) = judged(write.kind) else {
        let violations = validate::metadata(object, old, write.kind.release());
        let causes: Vec<_> = violations.into_iter().map(Cause::from).collect();
        return match causes.is_empty() {
            true => Ok(()),
            false => Err(invalid(write.kind.name(), write.kind.group(), name, causes)),
        };
    };
    let context = write.kind.rules(write.version);
    // The server judges what it holds; the version decides how members are named.
    let versioned = |object| write.kind.judged_in_version(object, write.version);
    let new = versioned(object);
    let violations = match old.map(versioned) {
        None => validate::create(kind, &new, context),
        Some(old) if write.subresource.is_empty() => validate::update(kind, &old, &new, context),
        Some(old) => validate::update_status(&old, &new, context),
    };
    let causes: Vec<_> = violations.into_iter().map(Cause::from).collect();
    if causes.is_empty() {
        return Ok(());
    }
    Err(invalid(write.kind.name(), write.kind.group(), name, causes))
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
