//! The rules of `status.conditions`.

use super::violation::{BadValue, Path, Report};
use serde_json::Value;
use std::collections::HashSet;

/// Every condition has a type, and no type occurs twice.
pub(super) fn check(object: &Value, report: &mut Report) {
    let path = Path::new("status").child("conditions");
    let conditions = object["status"]["conditions"].as_array();
    let types: Vec<_> = conditions
        .into_iter()
        .flatten()
        .map(|condition| condition["type"].as_str().unwrap_or_default())
        .collect();
    let mut seen = HashSet::new();
    for (index, type_) in types.iter().enumerate() {
        let path = path.index(index).child("type");
        if !seen.insert(type_) {
            report.duplicate(&path, &BadValue::Named(type_));
        }
        if type_.is_empty() {
            report.required(&path, report.wording.empty_condition_type);
        }
    }
}
