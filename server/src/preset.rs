//! The objects that a server starts with.

use crate::body::read_object;
use crate::ids;
use crate::registry::{self, Write};
use crate::start_error::Cause;
use crate::state::State;
use crate::store::meta_str;
use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;

/// The field manager of the objects.
const MANAGER: &str = "kubectl";

/// The namespace of objects that name none.
const NAMESPACE: &str = "default";

/// Creates an object as a client does.
/// Errors: the object is of no kind that is served, or the server rejects it.
pub(crate) fn create(state: &State, mut object: Value) -> Result<(), Cause> {
    let text = |field: &str| object[field].as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let version = match api_version.as_str() {
        "" => "without apiVersion".to_owned(),
        version => format!("of {version}"),
    };
    let kind_or = match kind.as_str() {
        "" => "an object without kind,",
        kind => kind,
    };
    let title = format!("{kind_or} {:?} {version}", meta_str(&object, "name"));
    let fail = |why: String| Cause::Object(title.clone(), why);
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let served = state
        .kinds
        .served_in(group, version)
        .find(|(served, _)| served.name() == kind);
    let Some((kind, version)) = served else {
        if kind == "List" || object["items"].is_array() {
            return Err(fail("a list is not an object: give its items".to_owned()));
        }
        let kinds = state.kinds.all.iter().flat_map(|kind| {
            let versions = kind.served.iter();
            versions.map(|version| format!("{} of {}", kind.name(), version.api_version()))
        });
        let kinds = kinds.collect::<Vec<_>>().join(", ");
        return Err(fail(format!(
            "no such kind is served; the server has {kinds}"
        )));
    };
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("resourceVersion");
        if kind.is_namespaced() {
            let namespace = metadata.entry("namespace").or_insert(Value::Null);
            if namespace.is_null() || namespace == "" {
                *namespace = NAMESPACE.into();
            }
        }
    }
    let body = object.to_string();
    let read = read_object(
        body.as_bytes(),
        Format::Json,
        kind,
        version,
        FieldValidation::Strict,
    );
    let read = read.map_err(|failure| fail(failure.message().to_owned()))?;
    let now = ids::now();
    let write = Write {
        kind,
        version,
        namespace: meta_str(&object, "namespace"),
        subresource: "",
        manager: MANAGER,
        dry_run: false,
        applies: false,
        now: &now,
    };
    let created = state.write(|store| registry::create(store, &write, read.object));
    created
        .and_then(|created| created)
        .map(drop)
        .map_err(|failure| fail(failure.message().to_owned()))
}
