//! Migration from client-side to server-side apply by the annotation `last-applied-configuration`.
//!
//! Both functions are for the field manager `kubectl` only.

use super::Writer;
use super::field_set::FieldSet;
use super::typed;
use crate::store::edit_metadata;
use k8s_flowcontrol_types::meta::LAST_APPLIED_ANNOTATION;
use serde_json::{Map, Value};

const KUBECTL: &str = "kubectl";
/// The maximum size of all annotations of an object, in bytes.
const LARGEST: usize = 256 * 1024;

/// The fields that kubectl may take without force: it applied them client-side in the writer's version, and they
/// still have the applied values.
pub(super) fn own_fields(writer: &Writer<'_>, live: &Value) -> Option<FieldSet> {
    if writer.manager != KUBECTL {
        return None;
    }
    let applied: Value = serde_json::from_str(annotation(live)?).ok()?;
    let version = applied.get("apiVersion").and_then(Value::as_str);
    if version != Some(&*writer.version.api_version()) {
        return None;
    }
    let schema = writer.version.schema();
    let live = writer.kind.in_version(live, writer.version);
    let changes = typed::compare(&live, &applied, schema);
    let fields = typed::field_set(&applied, schema)
        .difference(&changes.set())
        .difference(&changes.removed);
    Some(fields)
}

/// Updates the annotation, if the object has it, to the configuration that kubectl applied now.
pub(super) fn follow(writer: &Writer<'_>, object: &mut Value, config: &Value) {
    if writer.manager != KUBECTL || annotation(object).is_none() {
        return;
    }
    let text = text_of(config);
    edit_metadata(object, |metadata| {
        let Some(Value::Object(annotations)) = metadata.get_mut("annotations") else {
            return;
        };
        annotations.insert(LAST_APPLIED_ANNOTATION.into(), text.into());
        if size(annotations) > LARGEST {
            annotations.remove(LAST_APPLIED_ANNOTATION);
        }
    });
}

fn annotation(object: &Value) -> Option<&str> {
    let annotations = object.pointer("/metadata/annotations")?;
    let text = annotations.get(LAST_APPLIED_ANNOTATION)?.as_str()?;
    (!text.is_empty()).then_some(text)
}

/// The configuration without the annotation, as Go's JSON encoder writes it.
fn text_of(config: &Value) -> String {
    let mut config = config.clone();
    let annotations = config.pointer_mut("/metadata/annotations");
    if let Some(Value::Object(annotations)) = annotations {
        annotations.remove(LAST_APPLIED_ANNOTATION);
    }
    // Also where another crate turns on serde_json's feature `preserve_order`.
    config.sort_all_objects();
    // These characters occur only inside JSON strings.
    let text = config
        .to_string()
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029");
    text + "\n"
}

fn size(annotations: &Map<String, Value>) -> usize {
    let value = |value: &Value| value.as_str().map_or(0, str::len);
    annotations
        .iter()
        .map(|(key, text)| key.len() + value(text))
        .sum()
}
