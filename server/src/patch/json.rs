//! JSON Patch (RFC 6902), with what the server's library makes of it.

use crate::status::{Details, Failure, bad_request, failure, too_large};
use serde_json::Value;

const MOST_OPERATIONS: usize = 10_000;

/// Applies the operations one after the other, all or none.
///
/// # Errors
/// 400 for a patch that is no list, 413 for too many operations, 422 for one that fails.
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
    for operation in operations {
        apply(&mut patched, operation).ok_or_else(refused)?;
    }
    *object = patched;
    Ok(())
}

fn apply(object: &mut Value, operation: &Value) -> Option<()> {
    let mut operation = operation.clone();
    // The server's library replaces a member that is not there, as if it were added.
    if operation.get("op")?.as_str()? == "replace" {
        let path = operation.get("path")?.as_str()?;
        if object.pointer(path).is_none() {
            operation["op"] = "add".into();
        }
    }
    let operation: json_patch::PatchOperation = serde_json::from_value(operation).ok()?;
    json_patch::patch(object, std::slice::from_ref(&operation)).ok()
}

fn refused() -> Failure {
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
    fn what_is_no_list_is_no_patch() {
        assert_eq!(
            json_patch(&mut json!({}), &json!({"a": 1}))
                .unwrap_err()
                .code(),
            400
        );
    }
}
