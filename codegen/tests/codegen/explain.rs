//! `explain`: the keywords of a document that its types do not express.

use crate::plain::document;
use k8s_flowcontrol_codegen::{Generator, Outcome};

#[test]
fn explain_lists_every_keyword_without_a_type() {
    let text = document(
        r##"{ "Pet": { "type": "object", "x-tags": ["a"], "required": ["name"],
            "oneOf": [{ "required": ["name"] }, { "required": ["age"] }],
            "x-kubernetes-validations": [{ "rule": "self.age > 0" }],
            "properties": {
                "name": { "type": "string", "pattern": "^a", "maxLength": 5, "format": "hostname", "example": "ab" },
                "kind": { "type": "string", "enum": ["cat"], "default": "cat" },
                "age": { "type": "integer", "format": "int32", "enum": [1, 2], "minimum": 1, "nullable": true },
                "address": { "type": "string", "format": "email" },
                "colour": { "type": "string", "format": "of-our-own", "pattern": "(?=a)" },
                "any": { "oneOf": [{ "type": "integer" }, { "type": "boolean" }] },
                "a\"b": { "type": "string" }
            } } }"##,
    );
    let generator = Generator::new()
        .plain()
        .document("api.json", &text)
        .unwrap();
    let found = generator.explain().unwrap();
    // Without the feature, formats and patterns are not tried.
    let is_tried = |place: &String| {
        !(place.starts_with("properties/address") || place.ends_with("colour/pattern"))
    };
    let of = |outcome: Outcome| -> Vec<String> {
        let found = found.iter().filter(|one| one.outcome == outcome);
        let root = "api.json#/components/schemas/Pet/";
        let places = found.map(|one| one.place.replace(root, ""));
        places.filter(is_tried).collect()
    };
    assert_eq!(of(Outcome::AnyJson), ["properties/any/oneOf"]);
    assert_eq!(of(Outcome::KeptUnknown), ["properties/a\"b"]);
    assert_eq!(
        of(Outcome::Documented),
        [
            "properties/age/enum",
            "properties/age/minimum",
            "properties/name/format",
            "properties/name/maxLength",
            "properties/name/pattern",
        ]
    );
    assert_eq!(of(Outcome::FilledIn), ["properties/kind/default"]);
    // Rules are compiled, and so known to be checked, with the feature only.
    let rules = match cfg!(feature = "validate") {
        true => Outcome::Validated,
        false => Outcome::Server,
    };
    let is_rule = |place: &String| place.starts_with("x-kubernetes-validations");
    assert_eq!(of(rules).iter().filter(|place| is_rule(place)).count(), 1);
    assert!(of(Outcome::Validated).contains(&"oneOf".to_owned()));
    assert_eq!(
        of(Outcome::Ignored),
        [
            "properties/colour/format",
            "properties/name/example",
            "x-tags"
        ]
    );
    let outcomes = found.iter().filter(|one| {
        ["address/format", "colour/pattern"]
            .iter()
            .any(|end| one.place.ends_with(end))
    });
    let expected = match cfg!(feature = "validate") {
        true => Outcome::Server,
        false => Outcome::Documented,
    };
    assert!(
        outcomes.clone().all(|one| one.outcome == expected),
        "{found:?}"
    );
    assert_eq!(outcomes.count(), 2);
}

/// What `explain` says of a keyword is true of the generated code: its documentation has each bound that `explain` lists, and no other.
#[test]
fn explain_agrees_with_the_generated_documentation() {
    let manifest = r#"{ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "kites.sky.example" },
        "spec": { "group": "sky.example", "scope": "Namespaced", "names": { "kind": "Kite", "plural": "kites" },
            "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "maxProperties": 91,
                "properties": {
                    "metadata": { "type": "object", "properties": { "name": { "type": "string", "maxLength": 92 } } },
                    "spec": { "type": "object", "minProperties": 11, "not": { "required": ["a", "b"] }, "properties": {
                        "a": { "type": "array", "uniqueItems": false, "minItems": 0, "items": { "type": "array", "items": { "type": "string", "maxLength": 12 } } },
                        "b": { "type": "object", "additionalProperties": { "type": "array", "maxItems": 13, "items": { "type": "object",
                            "properties": { "c": { "type": "integer", "minimum": 14, "default": 93 } } } } },
                        "d": { "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }], "pattern": "^15" },
                        "e": { "type": "string", "anyOf": [{ "maxLength": 94 }, { "pattern": "^95" }] }
                    } } } } } }] } }"#;
    let generator = Generator::new().document("kite.json", manifest).unwrap();
    let found = generator.explain().unwrap();
    let of = |outcome: Outcome| -> Vec<String> {
        let found = found.iter().filter(|one| one.outcome == outcome);
        let root = "kite.json#/spec/versions/0/schema/openAPIV3Schema/";
        found.map(|one| one.place.replace(root, "")).collect()
    };
    let spec = "properties/spec/properties";
    assert_eq!(
        of(Outcome::Documented),
        [
            "properties/spec/minProperties".to_owned(),
            format!("{spec}/a/items/items/maxLength"),
            format!("{spec}/b/additionalProperties/items/properties/c/minimum"),
            format!("{spec}/b/additionalProperties/maxItems"),
            format!("{spec}/d/pattern"),
        ]
    );
    assert_eq!(
        of(Outcome::FilledIn),
        [format!(
            "{spec}/b/additionalProperties/items/properties/c/default"
        )]
    );
    assert_eq!(
        of(Outcome::Validated),
        [
            "maxProperties".to_owned(),
            "properties/metadata/properties/name/maxLength".to_owned(),
            "properties/spec/not".to_owned(),
            format!("{spec}/e/anyOf"),
        ]
    );
    assert_eq!(of(Outcome::Ignored), [""; 0]);
    let generated = generator.generate().unwrap();
    let texts: Vec<&str> = generated
        .files
        .iter()
        .map(|(_, text)| text.as_str())
        .collect();
    let docs: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| line.trim_start().starts_with("///"))
        .collect();
    let docs = docs.join("\n");
    for sentence in [
        "At least 11 entries.",
        "Each element: each element: at most 12 characters.",
        "Each value: at most 13 elements.",
        "At least 14.",
        "Matches `^15`.",
    ] {
        assert!(docs.contains(sentence), "{sentence}: {docs}");
    }
    for number in ["91", "92", "94", "95"] {
        assert!(!docs.contains(number), "{number}: {docs}");
    }
}

/// As at run time, where everything is in `not_checked`.
#[test]
fn a_module_that_validate_cannot_read_has_a_note() {
    let text = document(
        r##"{ "Pet": { "oneOf": [{ "type": "string" }, { "anyOf": [{ "$ref": "#/components/schemas/Pet" }] }] },
              "Owner": { "type": "object", "properties": { "pet": { "$ref": "#/components/schemas/Pet" } } } }"##,
    );
    let generator = Generator::new().plain().validate();
    let generated = generator.document("api.json", &text).unwrap().generate();
    let notes = generated.unwrap().notes;
    let note = "`validate()` checks nothing in the module `api`: the schema at `/Pet/oneOf/1/anyOf/0/$ref`: the definition `Pet` refers to itself";
    assert_eq!(
        notes.iter().any(|one| one == note),
        cfg!(feature = "validate"),
        "{notes:?}"
    );
}

/// `generate` gives an error for such a document.
#[test]
fn explain_reads_a_document_without_exact_types() {
    let text = document(
        r##"{ "Pet": { "type": "object", "properties": { "any": { "oneOf": [{ "type": "integer" }, { "type": "boolean" }] } } } }"##,
    );
    let generator = Generator::new().document("api.json", &text).unwrap();
    assert!(generator.generate().is_err());
    let found = generator.explain().unwrap();
    assert_eq!(found[0].outcome, Outcome::AnyJson);
    assert_eq!(
        found[0].place,
        "api.json#/components/schemas/Pet/properties/any/oneOf"
    );
}
