//! Validation of an object before it is stored.

use super::write::Write;
use crate::status::{Cause, Failure, invalid};
use crate::store::meta_str;
use k8s_flowcontrol_rules::validate::Violation;
use serde_json::Value;

/// Validates an object that is to be created or to replace `old`.
///
/// # Errors
/// A 422 with every violation.
pub(crate) fn admit(write: &Write<'_>, object: &Value, old: Option<&Value>) -> Result<(), Failure> {
    let kind = write.kind;
    let violations = kind.violations(object, old, write.version, write.subresource);
    if violations.is_empty() {
        return Ok(());
    }
    let causes = violations.into_iter().map(Cause::from).collect();
    Err(invalid(
        kind.name(),
        kind.group(),
        meta_str(object, "name"),
        causes,
    ))
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
