//! JSON patch (RFC 6902): `json-patch`, with the limits and leniency of the server's library.

use crate::status::{Details, Failure, bad_request, failure, too_large};
use serde_json::Value;

const MOST_OPERATIONS: usize = 10_000;

/// The maximum size of all copies of a patch, in bytes.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The maximum depth of a patched object.
const DEEPEST: usize = 256;

/// Applies all operations in order, or none.
///
/// # Errors
/// 400 for a patch that is not a list, 413 for too many operations, 422 for an operation that fails.
pub(crate) fn json_patch(object: &mut Value, patch: &Value) -> Result<(), Failure> {
    let Some(operations) = patch.as_array() else {
        return Err(bad_request(format!(
            "error decoding patch: json: cannot unmarshal {} into Go value of type \
             []handlers.jsonPatchOp",
            super::go_kind(patch)
        )));
    };
    if operations.len() > MOST_OPERATIONS {
        return Err(too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut patched = object.clone();
    let mut copied = 0;
    for operation in operations {
        apply(&mut patched, operation, &mut copied).ok_or_else(rejected)?;
    }
    *object = patched;
    Ok(())
}

fn apply(object: &mut Value, operation: &Value, copied: &mut usize) -> Option<()> {
    let mut operation = operation.clone();
    let text = |name: &str| operation.get(name)?.as_str();
    let (op, path) = (text("op")?, text("path")?);
    let source = text("from").and_then(|from| object.pointer(from));
    // Copies into copies grow exponentially, so their depth and size are limited.
    let placed = source.or(operation.get("value")).map_or(0, depth);
    if path.split('/').count() + placed > DEEPEST {
        return None;
    }
    if let ("copy", Some(source)) = (op, source) {
        *copied += source.to_string().len();
        if *copied > MOST_COPIED {
            return None;
        }
    }
    // The server's library adds a field that is to be replaced and absent.
    if op == "replace" && object.pointer(path).is_none() {
        operation["op"] = "add".into();
    }
    let operation: json_patch::PatchOperation = serde_json::from_value(operation).ok()?;
    json_patch::patch(object, std::slice::from_ref(&operation)).ok()
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

fn rejected() -> Failure {
    failure(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
    )
    .with_details(Details::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations_apply_in_order_or_not_at_all() {
        let mut object = json!({"a": 1});
        json_patch(
            &mut object,
            &json!([
                {"op": "test", "path": "/a", "value": 1},
                {"op": "move", "from": "/a", "path": "/b"},
                {"op": "replace", "path": "/c", "value": 2},
            ]),
        )
        .unwrap();
        assert_eq!(object, json!({"b": 1, "c": 2}));
        let failing = json!([{"op": "remove", "path": "/b"}, {"op": "remove", "path": "/x"}]);
        assert_eq!(json_patch(&mut object, &failing).unwrap_err().code(), 422);
        assert_eq!(object, json!({"b": 1, "c": 2}));
    }

    #[test]
    fn a_patch_cannot_grow_without_end() {
        let double = json!({"op": "copy", "from": "", "path": "/a"});
        let patch = Value::Array(vec![double; 64]);
        let mut object = json!({"text": "x".repeat(100_000)});
        assert_eq!(json_patch(&mut object, &patch).unwrap_err().code(), 422);
    }

    #[test]
    fn what_is_no_list_is_no_patch() {
        assert_eq!(
            json_patch(&mut json!({}), &json!({"a": 1}))
                .unwrap_err()
                .code(),
            400
        );
    }
}
