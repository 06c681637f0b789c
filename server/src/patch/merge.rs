//! JSON Merge Patch (RFC 7386).

use serde_json::{Map, Value};

/// Members of `patch` replace those of `object`; a `null` removes one.
pub(crate) fn merge_patch(object: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *object = patch.clone();
        return;
    };
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let Value::Object(members) = object else {
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(name);
        } else {
            merge_patch(members.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_merge_and_lists_are_replaced() {
        let mut object = json!({"a": {"b": 1, "c": 2}, "d": [1, 2]});
        merge_patch(
            &mut object,
            &json!({"a": {"b": null, "e": {"f": null, "g": 1}}, "d": [3]}),
        );
        assert_eq!(object, json!({"a": {"c": 2, "e": {"g": 1}}, "d": [3]}));
    }
}
