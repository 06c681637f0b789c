//! The safety net: a changed text is read again and compared with the intended result.

use crate::documents::Form;
use crate::documents::parse_part_as;
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

/// Reads the new text of a document and compares it with the intended result.
/// Errors: the reason why it differs.
pub(in crate::migrate) fn verify(
    text: &str,
    form: Form,
    actions_before: usize,
    expected: &Expected,
) -> Result<(), String> {
    let parsed = parse_part_as(text, form, actions_before)
        .map_err(|error| format!("the result cannot be read: {error}"))?;
    let [document] = parsed.documents.as_slice() else {
        return Err("the result has another number of documents".into());
    };
    let value = to_value(document.tree.root())?;
    let objects = &expected.objects;
    if value == expected.value
        || reduced(value, objects) == reduced(expected.value.clone(), objects)
    {
        return Ok(());
    }
    Err("the change would also affect other values, perhaps through an anchor, a merge or a duplicate key".into())
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
