//! Reading schemas, and what is not checked.

use k8s_flowcontrol_constraints::{Definitions, Schema, uncheckable};
use serde_json::{Value, json};

fn spec(schema: Value) -> Schema {
    Schema::new(&json!({ "type": "object", "properties": { "spec": schema } })).unwrap()
}

#[test]
fn a_rule_with_an_unknown_function_is_reported_and_not_passed() {
    let rules = json!([{ "rule": "image(self.a).tag() == 'x'" }, { "rule": "self.a != ''" }]);
    let schema = spec(json!({
        "type": "object",
        "properties": { "a": { "type": "string" } },
        "x-kubernetes-validations": rules,
    }));
    let known = schema.not_checked();
    assert_eq!(
        known[0].to_string(),
        "spec: not checked: `image(self.a).tag() == 'x'`: the function `image` is not supported"
    );
    let outcome = schema.validate(&json!({ "spec": { "a": "x" } }));
    assert_eq!(outcome.violations, []);
    assert_eq!(outcome.not_checked, known);
    assert!(!outcome.is_valid());
    let error = outcome.into_result().unwrap_err();
    assert!(error.to_string().contains("image(self.a)"), "{error}");
    // Without the value there is nothing to check.
    assert!(schema.validate(&json!({})).is_valid());
}

#[test]
fn patterns_and_formats_that_are_not_supported_are_reported() {
    let schema = spec(json!({
        "type": "object",
        "properties": {
            "a": { "type": "string", "pattern": "(?=x)" },
            "b": { "type": "string", "format": "uri" },
            "c": { "type": "string", "format": "of-our-own" },
        },
    }));
    let object = json!({ "spec": { "a": "x", "b": "y", "c": "z" } });
    let outcome = schema.validate(&object);
    let fields: Vec<&str> = outcome
        .not_checked
        .iter()
        .map(|one| one.field.as_str())
        .collect();
    assert_eq!(fields, ["spec.a", "spec.b"]);
    assert_eq!(schema.not_checked().len(), 2);
}

/// A definition may restrict the name of its objects, and nothing else of their metadata.
#[test]
fn bounds_of_names_are_checked() {
    let name = json!({ "type": "string", "maxLength": 3, "pattern": "^a" });
    let schema = json!({ "type": "object", "properties": { "metadata": { "type": "object", "properties": { "name": name } } } });
    let outcome = Schema::new(&schema)
        .unwrap()
        .validate(&json!({ "metadata": { "name": "long" } }));
    let fields: Vec<&str> = outcome
        .violations
        .iter()
        .map(|one| one.field.as_str())
        .collect();
    assert_eq!(fields, ["metadata.name"], "{outcome:?}");
}

#[test]
fn defaults_are_filled_in_before_rules_see_the_object() {
    let schema = spec(json!({
        "type": "object",
        "default": {},
        "properties": { "mode": { "type": "string", "default": "a" } },
        "x-kubernetes-validations": [{ "rule": "self.mode == 'a'" }],
    }));
    assert!(schema.validate(&json!({})).is_valid());
    assert!(
        schema
            .validate(&json!({ "spec": { "mode": null } }))
            .is_valid()
    );
    assert!(
        !schema
            .validate(&json!({ "spec": { "mode": "b" } }))
            .is_valid()
    );
}

#[test]
fn definitions_may_contain_themselves() {
    let schema = Schema::new(&json!({
        "$ref": "#/$defs/Tree",
        "$defs": { "Tree": {
            "type": "object",
            "properties": {
                "depth": { "type": "integer", "maximum": 2 },
                "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
            },
        } },
    }))
    .unwrap();
    let outcome = schema.validate(&json!({ "children": [{ "children": [{ "depth": 3 }] }] }));
    assert_eq!(
        outcome.violations[0].to_string(),
        "children[0].children[0].depth: Invalid value: 3: children[0].children[0].depth in body should be less \
         than or equal to 2"
    );
}

#[test]
fn mistakes_of_a_schema_name_their_place() {
    let error = |schema: Value| Schema::new(&schema).unwrap_err().to_string();
    assert_eq!(
        error(json!({ "properties": { "a": { "minimum": "1" } } })),
        "the schema at `/properties/a/minimum`: must be a number"
    );
    assert_eq!(error(json!([])), "the schema: must be an object");
    assert_eq!(
        error(json!({ "properties": { "a/b": { "$ref": "#/$defs/None" } } })),
        "the schema at `/properties/a~1b/$ref`: there is no definition `None` in `$defs`"
    );
    let circle = json!({ "$ref": "#/$defs/A", "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } } });
    assert!(error(circle).ends_with("` refers to itself"));
    let a = json!({ "allOf": [{ "$ref": "#/$defs/B" }] });
    let circle = json!({ "$defs": { "A": a, "B": { "anyOf": [{ "$ref": "#/$defs/B" }] } } });
    assert_eq!(
        error(circle),
        "the schema at `/$defs/B/anyOf/0/$ref`: the definition `B` refers to itself"
    );
    for (schema, expected) in [
        (
            json!({ "required": ["a", 5] }),
            "/required/1`: must be a string",
        ),
        (
            json!({ "type": ["string", 5] }),
            "/type/1`: must be a string",
        ),
        (
            json!({ "maxLength": 1.5 }),
            "/maxLength`: must be an integer that is not negative",
        ),
        (
            json!({ "x-kubernetes-list-type": "bag" }),
            "/x-kubernetes-list-type`: must be `atomic`, `set` or `map`",
        ),
    ] {
        assert_eq!(error(schema), format!("the schema at `{expected}"));
    }
}

/// A list with a schema for each element, or without elements, cannot be in a CustomResourceDefinition.
#[test]
fn other_forms_of_items_are_not_checked() {
    for items in [json!([{ "type": "string" }]), json!(false)] {
        let schema = spec(json!({ "type": "array", "items": items }));
        let outcome = schema.validate(&json!({ "spec": [1] }));
        assert!(!outcome.is_valid());
        assert_eq!(outcome.not_checked[0].constraint, "items");
    }
}

/// A server reads the old object from its storage, and fills in defaults that are newer than that.
#[test]
fn defaults_are_filled_into_the_old_object_too() {
    let schema = spec(json!({
        "type": "object",
        "properties": { "mode": { "type": "string", "default": "a" } },
        "x-kubernetes-validations": [{ "rule": "self.mode == oldSelf.mode", "message": "mode is immutable" }],
    }));
    let old = json!({ "spec": {} });
    assert!(
        schema
            .validate_update(&json!({ "spec": {} }), &old)
            .is_valid()
    );
    let outcome = schema.validate_update(&json!({ "spec": { "mode": "b" } }), &old);
    assert_eq!(
        outcome.violations[0].to_string(),
        "spec: Invalid value: mode is immutable"
    );
}

#[test]
fn of_a_missing_schema_nothing_is_checked() {
    let definitions = Definitions::new(&json!({ "A": { "type": "string" } })).unwrap();
    assert_eq!(definitions.not_checked("A"), []);
    let found = definitions.not_checked("B");
    assert_eq!(found[0].reason, "there is no schema `B`");
}

#[test]
fn every_function_that_is_named_as_supported_is_there() {
    let rules = [
        "'a b'.findAll('[a-z]').size() == 2",
        "'ab'.find('b') == 'b'",
        "[1, 2].isSorted() && [1, 2].max() == 2 && [1, 2].min() == 1 && [1.5, 2.0].sum() > 3.0",
        "[1, 2].indexOf(2) == 1 && [1, 1].lastIndexOf(1) == 1",
        "sets.contains([1], [1]) && sets.equivalent([1], [1, 1]) && !sets.intersects([1], [2])",
        "'a,b'.split(',').join('-') == 'a-b' && 'ab'.charAt(1) == 'b' && ' a '.trim() == 'a'",
        "'aB'.lowerAscii() == 'ab' && 'aB'.upperAscii() == 'AB' && 'ab'.replace('a', 'b') == 'bb'",
        "'abc'.substring(1, 2) == 'b' && 'abab'.indexOf('b') == 1 && 'abab'.lastIndexOf('b') == 3",
        "'%d'.format([1]) == '1' && strings.quote('a') == '\"a\"'",
        "duration('1h').getMinutes() == 60 && timestamp('2026-01-01T00:00:00Z').getMonth() == 0",
        "optional.of(1).orValue(2) == 1 && optional.none().orValue(2) == 2",
        "int('1') == 1 && double('1') == 1.0 && string(1) == '1' && type(1) == int && bool('true')",
    ];
    assert_eq!(uncheckable(&rules), vec![None; rules.len()]);
    for rule in rules {
        let schema = Schema::new(
            &json!({ "type": "object", "x-kubernetes-validations": [{ "rule": rule }] }),
        )
        .unwrap();
        let outcome = schema.validate(&json!({}));
        assert!(outcome.is_valid(), "{rule}: {outcome:?}");
    }
}
