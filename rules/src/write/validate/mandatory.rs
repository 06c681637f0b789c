//! The rule that mandatory objects keep their built-in `spec`.

use super::internal::{FlowSchemaSpec, LevelSpec};
use super::violation::{BadValue, Path, Report};
use k8s_flowcontrol_types::{Fact, Kind, Release};
use serde_json::Value;

/// Checks that a mandatory FlowSchema has the built-in `spec`.
pub(super) fn check_schema(
    name: &str,
    spec: &FlowSchemaSpec,
    release: Release,
    path: &Path,
    report: &mut Report,
) {
    if let Some(fixed) = fixed_spec(Kind::FlowSchema, name, release)
        && *spec != FlowSchemaSpec::read(&fixed)
    {
        let detail = format!("spec of '{name}' must equal the fixed value");
        report.invalid(path, &BadValue::Go(spec.described()), &detail);
    }
}

/// Checks that a mandatory PriorityLevelConfiguration has the built-in `spec`. From 1.28 on, `spec.exempt` of the level
/// `exempt` can differ.
pub(super) fn check_level(
    name: &str,
    spec: &LevelSpec,
    release: Release,
    path: &Path,
    report: &mut Report,
) {
    let Some(fixed) = fixed_spec(Kind::PriorityLevelConfiguration, name, release) else {
        return;
    };
    let fixed = LevelSpec::read(&fixed);
    let exempt_is_free = name == "exempt" && release.has(Fact::ExemptField);
    let (is_equal, detail) = if exempt_is_free {
        let found = LevelSpec {
            exempt: fixed.exempt.clone(),
            ..spec.clone()
        };
        (
            found == fixed,
            format!("spec of '{name}' except the 'spec.exempt' field must equal the fixed value"),
        )
    } else {
        (
            *spec == fixed,
            format!("spec of '{name}' must equal the fixed value"),
        )
    };
    if !is_equal {
        report.invalid(path, &BadValue::Go(spec.described(release)), &detail);
    }
}

fn fixed_spec(kind: Kind, name: &str, release: Release) -> Option<Value> {
    // Creating the built-in objects takes longer than all other rules, and few objects have these names.
    if !matches!(name, "exempt" | "catch-all") {
        return None;
    }
    crate::bootstrap::objects(release)
        .into_iter()
        .find(|object| object.mandatory && object.kind == kind && object.name == name)
        .map(|object| object.spec)
}
