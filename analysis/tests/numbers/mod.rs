//! The numbers of a saved result, which a file can have wrong.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot read its own input has failed"
)]

use crate::tries_all;
use serde_json::{Value, json};

/// The paths of all numbers in a value, and of fields whose names are numbers. A path has the fields and indexes.
pub(crate) fn numbers(value: &Value, path: &str, found: &mut Vec<(String, bool)>) {
    match value {
        Value::Number(_) => found.push((path.to_owned(), false)),
        Value::Array(values) => {
            // Minutes have 60 equal seconds.
            let alike = values.len() >= 60;
            for (index, value) in values
                .iter()
                .enumerate()
                .filter(|(index, _)| !alike || *index == 0)
            {
                numbers(value, &format!("{path}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                if name.parse::<i64>().is_ok() {
                    found.push((path.clone(), true));
                }
                numbers(value, &path, found);
            }
        }
        _ => {}
    }
}

/// The value with another number at a path.
pub(crate) fn with(value: &Value, path: &str, is_name: bool, number: &Value) -> Value {
    let mut value = value.clone();
    if !is_name {
        *value.pointer_mut(path).unwrap() = number.clone();
        return value;
    }
    let (parent, name) = path.rsplit_once('/').unwrap();
    let fields = value.pointer_mut(parent).unwrap().as_object_mut().unwrap();
    let kept = fields.remove(name).unwrap();
    fields.insert(number.to_string(), kept);
    value
}

/// Tries other numbers at each place: `read` returns a report of their sums, or an error that names the field.
pub(crate) fn try_all(
    known: &Value,
    places: &[(String, bool)],
    read: impl Fn(&Value) -> Result<String, String>,
) {
    let hostile = [
        json!(0),
        json!(-1),
        json!(1_u64 << 53),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(1_u64 << 63),
        json!(u64::MAX),
        json!(1e308),
        json!(1e-308),
        json!(-1e308),
        json!((1_u64 << 60) - 1),
        json!(253_402_207_200_999_999_i64),
    ];
    let (mut errors, mut sums) = (0, 0);
    let step = if tries_all() { 1 } else { 3 };
    for (path, is_name) in places.iter().step_by(step) {
        for number in &hostile {
            match read(&with(known, path, *is_name, number)) {
                Ok(report) => {
                    sums += 1;
                    assert!(!report.contains("null,null"), "{path} = {number}: {report}");
                }
                Err(error) => {
                    errors += 1;
                    let mut place = path.split('/').skip(1);
                    let begin = place.next().unwrap();
                    assert!(error.starts_with(begin), "{path} = {number}: {error}");
                    let field = place.filter(|name| name.parse::<i64>().is_err()).last();
                    // Names that are values of an enum are `?`.
                    let is_named = |field: &str| error.contains(&field.replace("~1", "/"));
                    let is_named = field.is_none_or(is_named) || error.contains(".?:");
                    assert!(is_named, "{path} = {number}: {error}");
                    assert!(error.contains("expected"), "{path} = {number}: {error}");
                }
            }
        }
    }
    assert!(errors > 100 && sums > 100, "{errors} errors, {sums} sums");
}
