//! What a Kubernetes API server fills in when it decodes an object.
//!
//! The published documents claim `default: 0` for several members; those are Go's zero values. The
//! defaults here are the ones that a server really applies, per version and release.

use crate::convert::PRESERVE_ZERO_ANNOTATION;
use crate::{ApiVersion, Release};
use serde_json::{Map, Value};

/// Fills in what a server of `release` fills in when it reads `object`, a `kind` in `version`.
///
/// Members that are there stay as they are, whatever their type; stanzas that are absent stay absent,
/// except `spec`, which every object has. A kind that is not of this API group is left alone.
///
/// ```
/// use k8s_flowcontrol::{ApiVersion, Release, defaults};
/// use serde_json::json;
///
/// let mut level = json!({"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}});
/// defaults::apply(&mut level, "PriorityLevelConfiguration", ApiVersion::V1, Release::NEWEST);
/// assert_eq!(level["spec"]["limited"]["nominalConcurrencyShares"], 30);
/// assert_eq!(level["spec"]["limited"]["lendablePercent"], 0);
/// ```
pub fn apply(object: &mut Value, kind: &str, version: ApiVersion, release: Release) {
    let preserve_zero = preserves_zero(object, version, release);
    for rule in RULES {
        if rule.kind == kind
            && rule.versions.contains(&version)
            && release.minor() >= rule.since
            && !(rule.yields_to_annotation && preserve_zero)
            && let Some(parent) = rule.parent(object)
        {
            rule.fill(parent);
        }
    }
}

/// Whether a zero share stays zero: from 1.29 on the annotation's presence says so in v1beta3, its
/// value says nothing.
fn preserves_zero(object: &Value, version: ApiVersion, release: Release) -> bool {
    version == ApiVersion::V1Beta3
        && release.minor() >= 29
        && object
            .pointer("/metadata/annotations")
            .is_some_and(|annotations| annotations.get(PRESERVE_ZERO_ANNOTATION).is_some())
}

/// One default of one member.
struct Rule {
    kind: &'static str,
    versions: &'static [ApiVersion],
    /// The first minor release that applies it.
    since: u32,
    /// The stanza that holds the member.
    parent: &'static [&'static str],
    member: &'static str,
    value: i64,
    /// Whether a zero counts as absent: Go cannot tell them apart in a plain integer.
    zero_is_absent: bool,
    /// Whether the preserve-zero annotation switches the rule off.
    yields_to_annotation: bool,
}

impl Rule {
    /// A member of a level that is a plain integer in Go.
    const fn plain(parent: &'static [&'static str], member: &'static str, value: i64) -> Self {
        Self {
            kind: LEVEL,
            versions: ALL,
            since: 0,
            parent,
            member,
            value,
            zero_is_absent: true,
            yields_to_annotation: false,
        }
    }

    /// A member of a level that is a pointer in Go, so that zero and absence differ.
    const fn pointer(
        since: u32,
        parent: &'static [&'static str],
        member: &'static str,
        value: i64,
    ) -> Self {
        Self {
            since,
            zero_is_absent: false,
            ..Self::plain(parent, member, value)
        }
    }

    fn parent<'a>(&self, object: &'a mut Value) -> Option<&'a mut Map<String, Value>> {
        let mut stanza = object.as_object_mut()?;
        for (depth, name) in self.parent.iter().enumerate() {
            // `spec` is a plain struct in Go and so always there; deeper stanzas are pointers.
            if depth == 0 && stanza.get(*name).is_none_or(Value::is_null) {
                stanza.insert((*name).into(), Value::Object(Map::new()));
            }
            stanza = stanza.get_mut(*name)?.as_object_mut()?;
        }
        Some(stanza)
    }

    fn fill(&self, parent: &mut Map<String, Value>) {
        let absent = match parent.get(self.member) {
            None | Some(Value::Null) => true,
            Some(value) => self.zero_is_absent && value.as_i64() == Some(0),
        };
        if absent {
            parent.insert(self.member.into(), self.value.into());
        }
    }
}

const LEVEL: &str = "PriorityLevelConfiguration";
const LIMITED: &[&str] = &["spec", "limited"];
const EXEMPT: &[&str] = &["spec", "exempt"];
const QUEUING: &[&str] = &["spec", "limited", "limitResponse", "queuing"];

const ALL: &[ApiVersion] = &ApiVersion::ALL;

const RULES: &[Rule] = &[
    Rule {
        kind: "FlowSchema",
        ..Rule::plain(&["spec"], "matchingPrecedence", 1000)
    },
    Rule {
        versions: &[ApiVersion::V1Beta1, ApiVersion::V1Beta2],
        ..Rule::plain(LIMITED, "assuredConcurrencyShares", 30)
    },
    Rule {
        versions: &[ApiVersion::V1Beta3],
        yields_to_annotation: true,
        ..Rule::plain(LIMITED, "nominalConcurrencyShares", 30)
    },
    Rule {
        versions: &[ApiVersion::V1],
        ..Rule::pointer(0, LIMITED, "nominalConcurrencyShares", 30)
    },
    Rule::pointer(26, LIMITED, "lendablePercent", 0),
    Rule::pointer(28, EXEMPT, "nominalConcurrencyShares", 0),
    Rule::pointer(28, EXEMPT, "lendablePercent", 0),
    Rule::plain(QUEUING, "queues", 64),
    Rule::plain(QUEUING, "handSize", 8),
    Rule::plain(QUEUING, "queueLengthLimit", 50),
];

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn defaulted(mut object: Value, kind: &str, version: ApiVersion, minor: u32) -> Value {
        apply(&mut object, kind, version, Release::new(minor).unwrap());
        object
    }

    #[test]
    fn precedence_zero_and_absence_are_one() {
        let expected = json!({"spec": {"matchingPrecedence": 1000}});
        for object in [
            json!({}),
            json!({"spec": null}),
            json!({"spec": {"matchingPrecedence": 0}}),
        ] {
            assert_eq!(
                defaulted(object, "FlowSchema", ApiVersion::V1, 36),
                expected
            );
        }
    }

    #[test]
    fn zero_shares_mean_zero_in_v1_only() {
        let level = |shares: &str| json!({"spec": {"limited": {shares: 0}}});
        let shares = |object: Value, version, minor, name: &str| {
            defaulted(object, LEVEL, version, minor)["spec"]["limited"][name].clone()
        };
        let (old, new) = ("assuredConcurrencyShares", "nominalConcurrencyShares");
        assert_eq!(shares(level(new), ApiVersion::V1, 29, new), 0);
        assert_eq!(shares(level(new), ApiVersion::V1Beta3, 29, new), 30);
        assert_eq!(shares(level(old), ApiVersion::V1Beta2, 28, old), 30);
    }

    #[test]
    fn the_annotation_preserves_zero_from_1_29_on() {
        let level = json!({
            "metadata": {"annotations": {PRESERVE_ZERO_ANNOTATION: ""}},
            "spec": {"limited": {"nominalConcurrencyShares": 0}},
        });
        let shares = |minor| {
            defaulted(level.clone(), LEVEL, ApiVersion::V1Beta3, minor)["spec"]["limited"]
                ["nominalConcurrencyShares"]
                .clone()
        };
        assert_eq!(shares(28), 30);
        assert_eq!(shares(29), 0);
    }

    #[test]
    fn absent_stanzas_stay_absent_and_wrong_types_are_left_alone() {
        let level = json!({"spec": {"type": "Exempt"}});
        assert_eq!(defaulted(level.clone(), LEVEL, ApiVersion::V1, 36), level);
        let odd = json!({"spec": {"limited": "text"}});
        assert_eq!(defaulted(odd.clone(), LEVEL, ApiVersion::V1, 36), odd);
    }
}
