//! JSON patch (RFC 6902), with the limits and the leniency of the server's library.

use crate::status::{Details, Failure, bad_request, failure, too_large};
use k8s_flowcontrol_types::FieldValidation;
use serde_json::Value;

const MOST_OPERATIONS: usize = 10_000;

/// The maximum size of all copies of a patch, in bytes.
const MOST_COPIED: usize = 3 * 1024 * 1024;

/// The maximum number of values in all parts of a patch whose depth is computed.
const MOST_MEASURED: usize = 5_000_000;

/// The maximum depth of a patched object.
pub(super) const DEEPEST: usize = 256;

pub(crate) const FIELDS: &[&str] = &["op", "path", "from", "value"];

/// Applies all operations in order, or none. `null` is an empty list.
/// Errors: 400 for a patch that is not a list of operations, 413 for too many operations, 422 for an operation that fails.
pub(crate) fn json_patch(
    object: &mut Value,
    patch: &Value,
    validation: FieldValidation,
) -> Result<(), Failure> {
    check_types(patch, validation).map_err(bad_request)?;
    let operations = patch.as_array().map(Vec::as_slice).unwrap_or_default();
    if operations.len() > MOST_OPERATIONS {
        return Err(too_large(&format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut patched = object.clone();
    let mut growth = Growth {
        copied: 0,
        measured: 0,
        deepest: depth(&patched),
    };
    for operation in operations {
        apply(&mut patched, operation, &mut growth).ok_or_else(rejected)?;
    }
    *object = patched;
    Ok(())
}

/// Checks the types of the operations and their fields. Without field validation only a list of objects is required, and another
/// type of the library is named.
fn check_types(patch: &Value, validation: FieldValidation) -> Result<(), String> {
    let (prefix, list, element) = match validation {
        FieldValidation::Ignore => ("", "jsonpatch.Patch", "jsonpatch.Operation"),
        _ => (
            "error decoding patch: ",
            "[]handlers.jsonPatchOp",
            "handlers.jsonPatchOp",
        ),
    };
    let other = |found: &Value, expected: &str| {
        let found = super::go_kind(found);
        Err(format!(
            "{prefix}json: cannot unmarshal {found} into Go {expected}"
        ))
    };
    let operations = match patch {
        Value::Null => return Ok(()),
        Value::Array(operations) => operations,
        found => return other(found, &format!("value of type {list}")),
    };
    for operation in operations {
        if !operation.is_object() && !operation.is_null() {
            return other(operation, &format!("value of type {element}"));
        }
        if validation == FieldValidation::Ignore {
            continue;
        }
        for name in ["op", "path", "from"] {
            match operation.get(name) {
                None | Some(Value::Null | Value::String(_)) => {}
                Some(found) => {
                    let field = format!("struct field jsonPatchOp.{name} of type string");
                    return other(found, &field);
                }
            }
        }
    }
    Ok(())
}

/// The growth of an object while it is patched.
struct Growth {
    /// The size of all copies, in bytes.
    copied: usize,
    /// The number of all values in the parts whose depth was computed.
    measured: usize,
    /// An upper bound of the object's depth.
    deepest: usize,
}

impl Growth {
    /// Places the value at `from` in `object` at `to`. `None` if it becomes too deep.
    ///
    /// The exact depth is computed only when the bound reaches the limit, so that moving a large value back and forth does not
    /// visit all of it every time; and not for ever, because a part can be large beside a deep one.
    fn move_part(&mut self, object: &mut Value, from: &str, to: &str) -> Option<()> {
        let placed = steps(to) + self.deepest.saturating_sub(steps(from));
        if placed < DEEPEST {
            self.deepest = self.deepest.max(placed);
            return Some(());
        }
        let part = find(object, from)?.get()?.unwrap_or(&Value::Null);
        self.measured += size(part);
        if self.measured > MOST_MEASURED {
            return None;
        }
        self.place(part, steps(to))
    }

    /// Places `value` below `to` steps. `None` if it becomes too deep.
    fn place(&mut self, value: &Value, to: usize) -> Option<()> {
        let placed = to + depth(value);
        self.deepest = self.deepest.max(placed);
        (placed < DEEPEST).then_some(())
    }
}

/// Applies one operation; `None` if it fails. An absent value is `null`.
fn apply(object: &mut Value, operation: &Value, growth: &mut Growth) -> Option<()> {
    let text = |name: &str| operation.get(name)?.as_str();
    let (op, path) = (text("op")?, text("path")?);
    let value = operation.get("value").unwrap_or(&Value::Null);
    match op {
        "add" => {
            growth.place(value, steps(path))?;
            find(object, path)?.add(value.clone())
        }
        "remove" => find(object, path)?.remove().map(drop),
        "replace" if path.is_empty() => {
            growth.place(value, 0)?;
            // Another value has no effect.
            if value.is_object() || value.is_array() {
                object.clone_from(value);
            }
            Some(())
        }
        "replace" => {
            growth.place(value, steps(path))?;
            find(object, path)?.replace(value.clone())
        }
        "test" => {
            let found = match path {
                "" => Some(&*object),
                path => find(object, path)?.get()?,
            };
            // A field that is absent equals `null`.
            (found.unwrap_or(&Value::Null) == value).then_some(())
        }
        "move" | "copy" => {
            let from = text("from")?;
            growth.move_part(object, from, path)?;
            let source = find(object, from)?;
            let part = match op {
                "move" => source.remove()?,
                _ => source.get()?.cloned().unwrap_or_default(),
            };
            // Copies into copies grow exponentially.
            if op == "copy" {
                growth.copied += part.to_string().len();
            }
            if growth.copied > MOST_COPIED {
                return None;
            }
            find(object, path)?.add(part)
        }
        _ => None,
    }
}

/// A place in an object or a list.
struct Place<'a> {
    container: Container<'a>,
    /// The field, or the index. A negative index counts from the end of the list.
    key: String,
}

enum Container<'a> {
    Object(&'a mut serde_json::Map<String, Value>),
    List(&'a mut Vec<Value>),
}

/// The place of a path. `None` for a path without a place, and if the value before its last step is not an object or a list.
fn find<'a>(document: &'a mut Value, path: &str) -> Option<Place<'a>> {
    let (containers, key) = path.rsplit_once('/')?;
    let mut value = document;
    for step in containers.split('/').skip(1) {
        value = match value {
            Value::Object(fields) => fields.get_mut(&unescape(step))?,
            Value::Array(elements) => {
                let at = index(&unescape(step), elements.len())?;
                elements.get_mut(at)?
            }
            _ => return None,
        };
    }
    let container = match value {
        Value::Object(fields) => Container::Object(fields),
        Value::Array(elements) => Container::List(elements),
        _ => return None,
    };
    let key = unescape(key);
    Some(Place { container, key })
}

impl<'a> Place<'a> {
    /// The value. An object has an absent value for every other field, a list does not have one beyond its end.
    fn get(self) -> Option<Option<&'a Value>> {
        match self.container {
            Container::Object(fields) => Some(fields.get(&self.key)),
            Container::List(elements) => {
                let at = index(&self.key, elements.len())?;
                elements.get(at).map(Some)
            }
        }
    }

    fn add(self, value: Value) -> Option<()> {
        match self.container {
            Container::Object(fields) => drop(fields.insert(self.key, value)),
            Container::List(elements) if self.key == "-" => elements.push(value),
            Container::List(elements) => {
                let at = index(&self.key, elements.len() + 1)?;
                elements.insert(at, value);
            }
        }
        Some(())
    }

    /// Replaces a value. An object gets the field if it does not have it.
    fn replace(self, value: Value) -> Option<()> {
        match self.container {
            Container::Object(fields) => drop(fields.insert(self.key, value)),
            Container::List(elements) => {
                let at = index(&self.key, elements.len())?;
                *elements.get_mut(at)? = value;
            }
        }
        Some(())
    }

    fn remove(self) -> Option<Value> {
        match self.container {
            Container::Object(fields) => fields.remove(&self.key),
            Container::List(elements) => {
                let at = index(&self.key, elements.len())?;
                Some(elements.remove(at))
            }
        }
    }
}

/// The index that a step names among `count` places.
fn index(step: &str, count: usize) -> Option<usize> {
    let number: i64 = step.parse().ok()?;
    let at = match number {
        0.. => usize::try_from(number).ok()?,
        _ => count.checked_sub(usize::try_from(number.unsigned_abs()).ok()?)?,
    };
    (at < count).then_some(at)
}

fn steps(path: &str) -> usize {
    path.matches('/').count()
}

pub(super) fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(depth).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}

/// The number of values, with those inside.
fn size(value: &Value) -> usize {
    match value {
        Value::Array(elements) => 1 + elements.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

pub(super) fn rejected() -> Failure {
    failure(
        422,
        "Invalid",
        "the server rejected our request due to an error in our request",
    )
    .with_details(Details::default())
}
