//! JSON patch (RFC 6902): `json-patch`, with the limits and leniency of the server's library.

use crate::status::{Details, Failure, bad_request, failure, too_large};
use serde_json::Value;

const MOST_OPERATIONS: usize = 10_000;

/// The maximum size of all copies of a patch, in bytes.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The maximum depth of a patched object.
pub(super) const DEEPEST: usize = 256;

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
    let mut growth = Growth {
        copied: 0,
        deepest: depth(&patched),
    };
    for operation in operations {
        apply(&mut patched, operation, &mut growth).ok_or_else(rejected)?;
    }
    *object = patched;
    Ok(())
}

/// The growth of an object while it is patched.
struct Growth {
    /// The size of all copies, in bytes.
    copied: usize,
    /// An upper bound of the object's depth.
    deepest: usize,
}

impl Growth {
    /// Places a part of `object` that lies below `from` steps below `to` steps. `None` if it becomes too deep.
    ///
    /// The exact depths are computed only when the bound reaches the limit, so that moving a large value back and
    /// forth does not visit all of it every time.
    fn move_part(&mut self, object: &Value, part: &Value, from: usize, to: usize) -> Option<()> {
        if to + self.deepest.saturating_sub(from) < DEEPEST {
            self.deepest = self.deepest.max(to + self.deepest.saturating_sub(from));
            return Some(());
        }
        self.deepest = depth(object);
        self.place(part, to)
    }

    /// Places `value` below `to` steps. `None` if it becomes too deep.
    fn place(&mut self, value: &Value, to: usize) -> Option<()> {
        let placed = to + depth(value);
        self.deepest = self.deepest.max(placed);
        (placed < DEEPEST).then_some(())
    }
}

fn apply(object: &mut Value, operation: &Value, growth: &mut Growth) -> Option<()> {
    let mut operation = operation.clone();
    let text = |name: &str| operation.get(name)?.as_str();
    let (op, path) = (text("op")?, text("path")?);
    let from = text("from").filter(|_| matches!(op, "move" | "copy"));
    let source = from.and_then(|from| object.pointer(from));
    // Copies into copies grow exponentially, so their depth and size are limited.
    let steps = |path: &str| path.matches('/').count();
    match (from.zip(source), operation.get("value")) {
        (Some((from, source)), _) => {
            growth.move_part(object, source, steps(from), steps(path))?;
        }
        (None, value) => growth.place(value.unwrap_or(&Value::Null), steps(path))?,
    }
    if let ("copy", Some(source)) = (op, source) {
        growth.copied += source.to_string().len();
        if growth.copied > MOST_COPIED {
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
