//! Taking over fields before the first server-side apply, as `csaupgrade` of client-go does.
//!
//! An apply removes an omitted field only if it was applied through the same version: a field that a manager applied in
//! v1beta3 and omits in v1 would stay without an owner. Fields of `kubectl apply` without `--server-side` would have
//! two owners. Therefore these entries become one entry, in the version of the requests.

use super::rename_fields;
use crate::meta::{LAST_APPLIED_ANNOTATION, Time};
use serde_json::{Map, Value, json};

/// The field manager of `kubectl apply` without `--server-side`.
pub const CLIENT_SIDE_APPLY: &str = "kubectl-client-side-apply";
/// In a set of fields, the field that contains the others.
const ITSELF: &str = ".";

/// The fields that a manager takes over: fields that it applied through other versions, and fields of client-side apply.
///
/// Client-side apply is known by its manager [`CLIENT_SIDE_APPLY`], and, like in kubectl, by the annotation that it writes:
/// `kubectl apply --field-manager` chooses another manager.
///
/// ```
/// use k8s_flowcontrol_types::meta::Time;
/// use k8s_flowcontrol_types::ownership::Takeover;
/// use serde_json::json;
///
/// let live = json!({"metadata": {"name": "batch", "resourceVersion": "7", "managedFields": [{
///     "manager": "kubectl-client-side-apply", "operation": "Update",
///     "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta2",
///     "fieldsV1": {"f:spec": {"f:limited": {"f:assuredConcurrencyShares": {}}}}}]}});
/// let takeover = Takeover::of(&live, "me", "flowcontrol.apiserver.k8s.io/v1").unwrap();
/// let patch = takeover.patch(&Time::from("2026-01-01T00:00:00Z"));
/// assert_eq!(patch[1]["value"][0]["manager"], "me");
/// assert_eq!(
///     patch[1]["value"][0]["fieldsV1"],
///     json!({"f:spec": {"f:limited": {"f:nominalConcurrencyShares": {}}}}),
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Takeover {
    manager: String,
    /// The managers of client-side apply.
    client_side: Vec<String>,
    api_version: String,
    resource_version: Value,
    has_annotation: bool,
    /// All fields of the manager, under their names in the version of the requests.
    own: Value,
    /// The entries of other managers.
    rest: Vec<Value>,
}

impl Takeover {
    /// The fields of `live` that `field_manager` takes over before an apply in `api_version`, such as `apps/v1`; `None`
    /// if it already owns all its fields through one entry of that version.
    ///
    /// Entries of subresources do not change. For this API group, a field gets its name in `api_version`. For other groups,
    /// fields are assumed to have the same name in all versions.
    pub fn of(live: &Value, field_manager: &str, api_version: &str) -> Option<Self> {
        let metadata = &live["metadata"];
        let mut rest = Vec::new();
        let mut taken = Vec::new();
        let mut own = json!({});
        let entries = metadata["managedFields"].as_array()?;
        let client_side = client_side_managers(entries);
        for entry in entries {
            let is_own = entry["manager"] == field_manager && entry["operation"] == "Apply";
            let is_client_side = entry["operation"] == "Update"
                && client_side.iter().any(|name| entry["manager"] == **name);
            if entry.get("subresource").is_some() || !(is_own || is_client_side) {
                rest.push(entry.clone());
            } else if is_own && entry["apiVersion"] == api_version {
                merge(&mut own, &entry["fieldsV1"]);
            } else {
                taken.push(fields_in(entry, api_version));
            }
        }
        for fields in &taken {
            merge(&mut own, fields);
        }
        (!taken.is_empty()).then(|| Self {
            manager: field_manager.to_owned(),
            client_side: client_side.into_iter().map(str::to_owned).collect(),
            api_version: api_version.to_owned(),
            resource_version: metadata["resourceVersion"].clone(),
            has_annotation: metadata["annotations"]
                .get(LAST_APPLIED_ANNOTATION)
                .is_some(),
            own,
            rest,
        })
    }

    /// The managers of client-side apply, whose fields are taken over.
    pub fn client_side_managers(&self) -> impl Iterator<Item = &str> {
        self.client_side.iter().map(String::as_str)
    }

    /// The JSON patch that makes the manager the owner of the fields, and keeps the time of its entry. It also removes
    /// the annotation of client-side apply, and fails with 422 if the object has changed meanwhile.
    pub fn patch(&self, time: &Time) -> Value {
        let mut own = self.own.clone();
        let annotation = format!("f:{LAST_APPLIED_ANNOTATION}");
        remove(&mut own, &["f:metadata", "f:annotations"], &annotation);
        let mut entries = self.rest.clone();
        entries.push(json!({
            "manager": self.manager,
            "operation": "Apply",
            "apiVersion": self.api_version,
            "time": time.as_str(),
            "fieldsType": "FieldsV1",
            "fieldsV1": own,
        }));
        let mut patch = vec![
            json!({"op": "test", "path": "/metadata/resourceVersion", "value": self.resource_version}),
            json!({"op": "replace", "path": "/metadata/managedFields", "value": entries}),
        ];
        if self.has_annotation {
            let escaped = LAST_APPLIED_ANNOTATION.replace('/', "~1");
            patch.push(json!({"op": "remove", "path": format!("/metadata/annotations/{escaped}")}));
        }
        Value::Array(patch)
    }

    /// Removes from `after` the manager's fields that `wanted` omits and that no other manager owns. `after` is the
    /// result of a dry run that applies `wanted` without the takeover; an apply after the takeover removes these
    /// fields. Lists count as a whole.
    pub fn remove_omitted(&self, after: &mut Value, wanted: &Value) {
        let mut others = json!({});
        for entry in &self.rest {
            merge(&mut others, &fields_in(entry, &self.api_version));
        }
        remove_omitted(after, wanted, &self.own, &others);
        let annotations = after.pointer_mut("/metadata/annotations");
        if let Some(annotations) = annotations.and_then(Value::as_object_mut) {
            annotations.remove(LAST_APPLIED_ANNOTATION);
        }
    }
}

/// The managers of client-side apply: its default manager, and the managers that wrote its annotation.
fn client_side_managers(entries: &[Value]) -> Vec<&str> {
    let annotation = format!("f:{LAST_APPLIED_ANNOTATION}");
    let writes_annotation = |entry: &&Value| {
        let annotations = &entry["fieldsV1"]["f:metadata"]["f:annotations"];
        entry["operation"] == "Update" && annotations.get(&annotation).is_some()
    };
    let writers = entries.iter().filter(writes_annotation);
    let names = writers.filter_map(|entry| entry["manager"].as_str());
    std::iter::once(CLIENT_SIDE_APPLY).chain(names).collect()
}

/// The fields of an entry under their names in a version.
fn fields_in(entry: &Value, api_version: &str) -> Value {
    let mut fields = entry["fieldsV1"].clone();
    if let Value::Object(fields) = &mut fields {
        rename_fields(fields, api_version);
    }
    fields
}

/// Adds the fields of one set to another.
///
/// `{}` owns the field itself, which is written as `.` if fields below it are owned too.
fn merge(into: &mut Value, fields: &Value) {
    let (Value::Object(into), Value::Object(fields)) = (into, fields) else {
        return;
    };
    for (name, below) in fields {
        let Some(known) = into.get_mut(name) else {
            into.insert(name.clone(), below.clone());
            continue;
        };
        if is_leaf(known) != is_leaf(below) {
            known[ITSELF] = json!({});
        }
        merge(known, below);
    }
}

fn is_leaf(fields: &Value) -> bool {
    fields.as_object().is_some_and(Map::is_empty)
}

/// Removes a field below a path, and the parts of the path that are then empty. Returns whether there was one.
fn remove(fields: &mut Value, path: &[&str], name: &str) -> bool {
    let Some(below) = fields.as_object_mut() else {
        return false;
    };
    let Some((step, path)) = path.split_first() else {
        return below.remove(name).is_some();
    };
    let Some(inner) = below.get_mut(*step) else {
        return false;
    };
    let removed = remove(inner, path, name);
    if removed && is_leaf(inner) {
        below.remove(*step);
    }
    removed
}

fn remove_omitted(after: &mut Value, wanted: &Value, own: &Value, others: &Value) {
    let (Some(fields), Some(own)) = (after.as_object_mut(), own.as_object()) else {
        return;
    };
    for (step, below) in own {
        let Some(name) = step.strip_prefix("f:") else {
            continue;
        };
        let (wanted, shared) = (&wanted[name], &others[step.as_str()]);
        // A field with fields of its own goes as a whole, with the defaults below it.
        if wanted.is_null() && shared.is_null() {
            fields.remove(name);
        } else if let Some(after) = fields.get_mut(name) {
            remove_omitted(after, wanted, below, shared);
        }
    }
}
