//! The rules of a PriorityLevelConfiguration's `spec`.

use super::internal::{Exempt, LevelSpec, Limited};
use super::queuing;
use super::violation::{BadValue, Path, Report};
use k8s_flowcontrol_types::{Fact, Release};

const TYPES: &[&str] = &["Exempt", "Limited"];
const RESPONSES: &[&str] = &["Queue", "Reject"];

#[derive(Clone, Copy, Debug)]
pub(super) struct ShareRule {
    /// The field's name in the request's version.
    pub(super) field: &'static str,
    pub(super) allows_zero: bool,
}

/// The handwritten rules of a release for priority levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelRules {
    pub(super) shares: ShareRule,
    pub(super) release: Release,
}

impl LevelRules {
    /// Whether the rules about fields that a type requires or forbids are declarative: see [`super::declarative`].
    fn are_declarative(self) -> bool {
        self.release.has(Fact::DeclarativeLevelRules)
    }

    /// Reports a type that is not among the `supported` types.
    fn unknown_type(self, type_: &str, supported: &[&str], path: &Path, report: &mut Report) {
        let path = path.child("type");
        match type_ {
            "" if self.are_declarative() => {}
            "" if self.release.has(Fact::EmptyTypeIsRequired) => report.required(&path, ""),
            _ => report.not_supported(&path, &BadValue::Named(type_), supported),
        }
    }
}

/// Checks the `spec` of the level `name`, except for the rule that mandatory objects keep their built-in `spec`.
pub(super) fn check(
    name: &str,
    spec: &LevelSpec,
    rules: LevelRules,
    path: &Path,
    report: &mut Report,
) {
    if (name == "exempt") != (spec.type_ == "Exempt") {
        let detail = "type must be 'Exempt' if and only if name is 'exempt'";
        report.invalid(&path.child("type"), &BadValue::Named(&spec.type_), detail);
    }
    let (limited, exempt) = (path.child("limited"), path.child("exempt"));
    match spec.type_.as_str() {
        "Exempt" => {
            if spec.limited.is_some() && !rules.are_declarative() {
                report.forbidden(&limited, "must be nil if the type is not Limited");
            }
            if let Some(stanza) = &spec.exempt {
                check_exempt(stanza, &exempt, report);
            }
        }
        "Limited" => {
            if spec.exempt.is_some() && !rules.are_declarative() {
                report.forbidden(&exempt, "must be nil if the type is Limited");
            }
            match &spec.limited {
                None if rules.are_declarative() => {}
                None => report.required(&limited, "must not be empty when type is Limited"),
                Some(stanza) => check_limited(stanza, rules, &limited, report),
            }
        }
        type_ => rules.unknown_type(type_, TYPES, path, report),
    }
}

fn check_exempt(exempt: &Exempt, path: &Path, report: &mut Report) {
    if let Some(shares) = exempt.shares
        && shares < 0
    {
        let path = path.child("nominalConcurrencyShares");
        report.invalid_number(&path, shares, "must be a non-negative integer");
    }
    check_lendable(exempt.lendable_percent, path, report);
}

fn check_limited(limited: &Limited, rules: LevelRules, path: &Path, report: &mut Report) {
    let shares = rules.shares;
    let value = limited.shares;
    if value < 0 || (value == 0 && !shares.allows_zero) {
        let detail = if shares.allows_zero {
            "must be a non-negative integer"
        } else {
            "must be positive"
        };
        report.invalid_number(&path.child(shares.field), value, detail);
    }
    check_response(limited, rules, &path.child("limitResponse"), report);
    check_lendable(limited.lendable_percent, path, report);
    if let Some(percent) = limited.borrowing_limit_percent
        && percent < 0
    {
        let path = path.child("borrowingLimitPercent");
        let detail = "if specified, must be a non-negative integer";
        report.invalid_number(&path, percent, detail);
    }
}

fn check_lendable(percent: Option<i64>, path: &Path, report: &mut Report) {
    if let Some(percent) = percent
        && !(0..=100).contains(&percent)
    {
        let path = path.child("lendablePercent");
        report.invalid_number(&path, percent, "must be between 0 and 100, inclusive");
    }
}

fn check_response(limited: &Limited, rules: LevelRules, path: &Path, report: &mut Report) {
    let queuing = path.child("queuing");
    // The server's message has "Limited" where it means "Queue".
    match (limited.response.as_str(), &limited.queuing) {
        ("Reject", Some(_)) | ("Queue", None) if rules.are_declarative() => {}
        ("Reject", Some(_)) => report.forbidden(
            &queuing,
            "must be nil if limited.limitResponse.type is not Limited",
        ),
        ("Queue", None) => report.required(
            &queuing,
            "must not be empty if limited.limitResponse.type is Limited",
        ),
        ("Queue", Some(stanza)) => queuing::check(stanza, &queuing, report),
        ("Reject", None) => {}
        (type_, _) => rules.unknown_type(type_, RESPONSES, path, report),
    }
}
