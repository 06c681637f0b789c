//! Defaults for JSON trees.

use super::rules::{Rule, rules};
use k8s_flowcontrol_types::ApiVersion;
use k8s_flowcontrol_types::convert::{PRESERVE_ZERO_ANNOTATION, annotation_counts, is_zero};
use k8s_flowcontrol_types::kind::VersionedKind;
use serde_json::{Map, Value};

/// Sets the defaults that a server sets when it decodes `object`, which is of `kind`.
///
/// An existing value is kept, even if its type is wrong. An absent parent object stays absent, except the `spec` of a
/// flow schema, which is a plain struct in Go.
///
/// ```
/// use k8s_flowcontrol_rules::defaults;
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
/// use serde_json::json;
///
/// let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1, Release::NEWEST);
/// let mut level = json!({"spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}}});
/// defaults::apply(&mut level, kind);
/// assert_eq!(level["spec"]["limited"]["nominalConcurrencyShares"], 30);
/// assert_eq!(level["spec"]["limited"]["lendablePercent"], 0);
/// ```
pub fn apply(object: &mut Value, kind: VersionedKind) {
    let preserves_zero = preserves_zero(object, kind);
    for rule in rules(kind, preserves_zero) {
        if let Some(parent) = parent(object, rule) {
            fill(parent, rule, kind.version);
        }
    }
}

/// Whether zero shares stay zero: the annotation has this effect in v1beta3 since 1.29, with any value.
fn preserves_zero(object: &Value, kind: VersionedKind) -> bool {
    kind.version == ApiVersion::V1Beta3
        && annotation_counts(kind.release)
        && object
            .pointer("/metadata/annotations")
            .is_some_and(|annotations| annotations.get(PRESERVE_ZERO_ANNOTATION).is_some())
}

fn parent<'a>(object: &'a mut Value, rule: &Rule) -> Option<&'a mut Map<String, Value>> {
    let mut stanza = object.as_object_mut()?;
    let path = rule.field.parent();
    for name in path {
        // `spec` is a plain struct in Go and therefore always present; deeper objects are pointers.
        if path.len() == 1 && stanza.get(*name).is_none_or(Value::is_null) {
            stanza.insert((*name).into(), Value::Object(Map::new()));
        }
        stanza = stanza.get_mut(*name)?.as_object_mut()?;
    }
    Some(stanza)
}

fn fill(parent: &mut Map<String, Value>, rule: &Rule, version: ApiVersion) {
    let name = rule.field.name(version);
    let is_absent = match parent.get(name) {
        None | Some(Value::Null) => true,
        Some(value) => rule.zero_is_absent && is_zero(value),
    };
    if is_absent {
        parent.insert(name.into(), rule.value.into());
    }
}
