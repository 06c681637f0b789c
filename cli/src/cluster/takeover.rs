//! Taking over fields before an apply that earlier writes own in another version or under the name of client-side apply.
//!
//! Apply removes an omitted field only if it was applied through the same version: a field that a manager applied in v1beta3
//! and omits in v1 would stay without an owner. Fields of `kubectl apply` without `--server-side` would have two owners.
//! So these entries are merged into one entry in the version of the requests.

use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol::meta::Time;
use serde_json::{Map, Value, json};

/// The field manager of `kubectl apply` without `--server-side`.
pub(super) const CLIENT_SIDE: &str = "kubectl-client-side-apply";
/// The annotation in which it records the applied object.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The JSON patch after which `manager` owns, in `version`, the fields of its entries in other versions and of client-side
/// apply. None if there is nothing to take over.
pub(crate) fn takeover(object: &Value, manager: &str, version: ApiVersion) -> Option<Value> {
    let Holdings { mut own, mut rest } = Holdings::of(object, manager, version)?;
    let annotation = format!("f:{LAST_APPLIED}");
    remove(&mut own, &["f:metadata", "f:annotations"], &annotation);
    rest.push(json!({
        "manager": manager,
        "operation": "Apply",
        "apiVersion": version.api_version(),
        "time": Time::now().as_str(),
        "fieldsType": "FieldsV1",
        "fieldsV1": own,
    }));
    let mut patch = vec![
        // A concurrent change of the object makes the patch fail.
        json!({"op": "test", "path": "/metadata/resourceVersion", "value": object["metadata"]["resourceVersion"]}),
        json!({"op": "replace", "path": "/metadata/managedFields", "value": rest}),
    ];
    if object["metadata"]["annotations"]
        .get(LAST_APPLIED)
        .is_some()
    {
        let escaped = LAST_APPLIED.replace('/', "~1");
        patch.push(json!({"op": "remove", "path": format!("/metadata/annotations/{escaped}")}));
    }
    Some(Value::Array(patch))
}

/// The fields that a manager owns, and the entries of other managers.
pub(super) struct Holdings {
    /// The owned fields in the version of the requests.
    pub(super) own: Value,
    pub(super) rest: Vec<Value>,
}

impl Holdings {
    /// None if all fields of the manager are already in one entry in `version`.
    pub(super) fn of(object: &Value, manager: &str, version: ApiVersion) -> Option<Self> {
        let entries = object["metadata"]["managedFields"].as_array()?;
        let mut rest = Vec::new();
        let mut taken = Vec::new();
        let mut own = json!({});
        for entry in entries {
            if entry.get("subresource").is_some() {
                rest.push(entry.clone());
            } else if is_own(entry, manager) && entry["apiVersion"] == version.api_version() {
                merge(&mut own, &entry["fieldsV1"]);
            } else if is_own(entry, manager) || is_client_side(entry) {
                taken.push(in_version(entry, version));
            } else {
                rest.push(entry.clone());
            }
        }
        for fields in &taken {
            merge(&mut own, fields);
        }
        (!taken.is_empty()).then_some(Self { own, rest })
    }
}

fn is_own(entry: &Value, manager: &str) -> bool {
    entry["manager"] == manager && entry["operation"] == "Apply"
}

fn is_client_side(entry: &Value) -> bool {
    entry["manager"] == CLIENT_SIDE && entry["operation"] == "Update"
}

/// The fields of an entry under the names of another version. Only the shares have two names.
pub(super) fn in_version(entry: &Value, version: ApiVersion) -> Value {
    let mut fields = entry["fieldsV1"].clone();
    let names = ["f:assuredConcurrencyShares", "f:nominalConcurrencyShares"];
    let (from, to) = match version {
        ApiVersion::V1Beta1 | ApiVersion::V1Beta2 => (names[1], names[0]),
        ApiVersion::V1Beta3 | ApiVersion::V1 => (names[0], names[1]),
    };
    if let Some(limited) = fields
        .pointer_mut("/f:spec/f:limited")
        .and_then(Value::as_object_mut)
        && let Some(field) = limited.remove(from)
    {
        limited.insert(to.to_owned(), field);
    }
    fields
}

/// Adds the fields of one set to another.
pub(super) fn merge(into: &mut Value, fields: &Value) {
    let (Value::Object(into), Value::Object(fields)) = (into, fields) else {
        return;
    };
    for (name, below) in fields {
        merge(
            into.entry(name.as_str()).or_insert_with(|| json!({})),
            below,
        );
    }
}

/// Removes a field below a path, and the parts of the path that are then empty.
fn remove(fields: &mut Value, path: &[&str], name: &str) {
    let Some(below) = fields.as_object_mut() else {
        return;
    };
    match path.split_first() {
        None => {
            below.remove(name);
        }
        Some((step, path)) => {
            if let Some(inner) = below.get_mut(*step) {
                remove(inner, path, name);
                if inner.as_object().is_some_and(Map::is_empty) {
                    below.remove(*step);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, version: ApiVersion, fields: Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": version.api_version(), "fieldsV1": fields})
    }

    fn object(entries: &[Value]) -> Value {
        json!({"metadata": {"resourceVersion": "7", "managedFields": entries}})
    }

    #[test]
    fn an_entry_of_another_version_moves_with_its_renamed_field() {
        let old = json!({"f:spec": {"f:limited": {"f:assuredConcurrencyShares": {}}}});
        let other = entry(
            "other",
            "Update",
            ApiVersion::V1,
            json!({"f:spec": {"f:type": {}}}),
        );
        let object = object(&[
            other.clone(),
            entry("me", "Apply", ApiVersion::V1Beta2, old),
        ]);
        let patch = takeover(&object, "me", ApiVersion::V1).unwrap();
        assert_eq!(patch[0]["value"], "7");
        let entries = patch[1]["value"].as_array().unwrap();
        assert_eq!(entries[0], other);
        assert_eq!(entries[1]["apiVersion"], ApiVersion::V1.api_version());
        assert_eq!(
            entries[1]["fieldsV1"],
            json!({"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}})
        );
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn client_side_apply_is_taken_over_with_its_annotation() {
        let fields = json!({
            "f:metadata": {"f:annotations": {".": {}, format!("f:{LAST_APPLIED}"): {}}},
            "f:spec": {"f:type": {}},
        });
        let mut object = object(&[
            entry(CLIENT_SIDE, "Update", ApiVersion::V1, fields),
            entry(
                "me",
                "Apply",
                ApiVersion::V1,
                json!({"f:spec": {"f:limited": {}}}),
            ),
        ]);
        object["metadata"]["annotations"] = json!({LAST_APPLIED: "{}"});
        let patch = takeover(&object, "me", ApiVersion::V1).unwrap();
        let entries = patch[1]["value"].as_array().unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(
            entries[0]["fieldsV1"]["f:spec"],
            json!({"f:type": {}, "f:limited": {}})
        );
        assert!(!entries[0].to_string().contains(LAST_APPLIED));
        assert_eq!(patch[2]["op"], "remove");
    }

    #[test]
    fn nothing_to_take_over() {
        let object = object(&[
            entry("me", "Apply", ApiVersion::V1, json!({})),
            entry("me", "Update", ApiVersion::V1Beta3, json!({})),
            entry("other", "Apply", ApiVersion::V1Beta3, json!({})),
        ]);
        assert_eq!(takeover(&object, "me", ApiVersion::V1), None);
    }
}
