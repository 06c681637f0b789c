//! The safety net: a changed text is read again and compared with the intended result.

use crate::documents::Form;
use crate::documents::parse_as;
use k8s_flowcontrol_text::to_value;
use serde_json::Value;

/// The intended content of a document after its changes.
#[derive(Clone, Debug)]
pub(in crate::migrate) struct Expected {
    /// The offset of the document in the old text.
    pub(in crate::migrate) offset: usize,
    pub(in crate::migrate) value: Value,
    /// The flowcontrol objects in it, as JSON pointers.
    pub(in crate::migrate) objects: Vec<String>,
}

/// The fields of an object that a server reads. Others, such as a field for anchors, may change.
const FIELDS: [&str; 5] = ["apiVersion", "kind", "metadata", "spec", "status"];

/// Reads the new text and compares it with the intended result.
///
/// # Errors
/// The offset in the old text, and the reason.
pub(in crate::migrate) fn verify(
    text: &str,
    form: Form,
    expected: &[Expected],
) -> Result<(), (usize, String)> {
    let start = expected.first().map_or(0, |expected| expected.offset);
    let parsed = parse_as(text, form)
        .map_err(|error| (start, format!("the result cannot be read: {error}")))?;
    if parsed.documents.len() != expected.len() {
        return Err((start, "the result has another number of documents".into()));
    }
    for (document, expected) in parsed.documents.iter().zip(expected) {
        let value = to_value(document.tree.root()).map_err(|error| (expected.offset, error))?;
        if value == expected.value {
            continue;
        }
        if reduced(value, &expected.objects) != reduced(expected.value.clone(), &expected.objects) {
            let what = "the change would also affect other values, perhaps through an anchor, a merge or a duplicate key";
            return Err((expected.offset, what.into()));
        }
    }
    Ok(())
}

/// The document with only the fields that a server reads.
fn reduced(mut document: Value, objects: &[String]) -> Value {
    for pointer in objects {
        let object = document.pointer_mut(pointer).and_then(Value::as_object_mut);
        if let Some(object) = object {
            object.retain(|name, _| FIELDS.contains(&name.as_str()));
        }
    }
    document
}
