//! Plain types of any OpenAPI or JSON Schema document.

#![allow(clippy::panic, clippy::unwrap_used)]

use k8s_flowcontrol_codegen::{Error, Generated, Generator};
use std::collections::BTreeSet;

pub(crate) fn plain(schemas: &str) -> Result<Generated, Error> {
    Generator::new()
        .plain()
        .document("api.json", &document(schemas))?
        .generate()
}

pub(crate) fn document(schemas: &str) -> String {
    format!(r#"{{ "openapi": "3.1.0", "components": {{ "schemas": {schemas} }} }}"#)
}

/// The module and the notes.
pub(crate) fn read(schemas: &str) -> (String, Vec<String>) {
    let generated = plain(schemas).unwrap_or_else(|error| panic!("{error}"));
    let (name, text) = &generated.files[0];
    assert_eq!(name, "api.rs");
    (text.clone(), generated.notes)
}

#[track_caller]
pub(crate) fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn all_of_is_one_struct() {
    let (text, notes) = read(
        r##"{
        "Pet": { "type": "object", "required": ["name"], "properties": { "name": { "type": "string" }, "tag": {} } },
        "Cat": { "description": "A pet with lives.", "required": ["lives"], "properties": { "lives": { "type": "integer" } },
                 "allOf": [ { "$ref": "#/components/schemas/Pet" },
                            { "properties": { "tag": { "type": "string" }, "age": { "type": "integer" } } },
                            { "properties": { "age": { "type": "boolean" } } } ] }
    }"##,
    );
    check(
        &text,
        &[
            "/// A pet with lives.",
            "pub struct Cat {",
            "pub name: String,",
            "pub tag: Option<String>,",
            "pub lives: i64,",
            "pub age: Option<::k8s_flowcontrol_types::meta::RawJson>,",
        ],
    );
    assert_eq!(
        notes,
        [
            "api.json#/components/schemas/Cat/allOf/2/properties/age: any JSON (the schemas of `allOf` give the field \
             different types)"
        ]
    );
}

#[test]
fn branches_of_one_type_are_that_type() {
    let (text, notes) = read(
        r#"{ "Thing": { "type": "object", "properties": {
            "same": { "oneOf": [{ "type": "integer", "minimum": 5 }, { "type": "integer", "maximum": 1 }] },
            "text": { "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "string", "maxLength": 3 }] },
            "none": { "type": "null" },
            "mixed": { "oneOf": [{ "type": "integer" }, { "type": "boolean" }] },
            "count": { "anyOf": [{ "type": "string", "maxLength": 3 }, { "type": "integer" }] },
            "size": { "anyOf": [{ "type": "string" }, { "type": "number" }] },
            "types": { "type": ["integer", "boolean"] },
            "tuple": { "type": "array", "items": [{ "type": "integer" }] },
            "pair": { "type": "array", "prefixItems": [{ "type": "integer" }, { "type": "string" }] },
            "odd": { "type": "string", "enum": ["a", 1] },
            "never": { "type": "object", "properties": { "a": { "type": "string" } }, "not": { "type": "string" } }
        } } }"#,
    );
    check(
        &text,
        &[
            "pub same: Option<i64>,",
            "pub text: Option<String>,",
            "pub never: Option<Box<Never>>,",
            "pub count: Option<::k8s_flowcontrol_types::meta::IntOrString>,",
        ],
    );
    for field in ["none", "size", "mixed", "types", "tuple", "pair", "odd"] {
        let json = "Option<::k8s_flowcontrol_types::meta::RawJson>";
        check(&text, &[&format!("pub {field}: {json},")]);
    }
    let at = |rest: &str| format!("api.json#/components/schemas/Thing/properties/{rest}");
    for note in [
        at("mixed/oneOf: any JSON (the branches have different types)"),
        at("never/not: checked by the server and by generated `validate()`"),
        at(
            "pair/prefixItems: any JSON (the keyword `prefixItems` is not supported, because it changes the type)",
        ),
        at("types/type: any JSON (a value of several types (integer, boolean) is not supported)"),
    ] {
        assert!(notes.contains(&note), "{note}: {notes:#?}");
    }
    assert_eq!(notes.len(), 7, "{notes:#?}");
}

#[test]
fn variants_and_other_fields_are_kept_in_unknown() {
    let (text, notes) = read(
        r##"{
        "Base": { "type": "object", "discriminator": { "propertyName": "kind" }, "properties": { "kind": { "type": "string" } },
                  "oneOf": [{ "$ref": "#/components/schemas/Left" }, { "type": "object", "properties": { "b": {} } }] },
        "Left": { "type": "object", "properties": { "a": {} }, "additionalProperties": { "type": "integer" } }
    }"##,
    );
    check(
        &text,
        &[
            "pub struct Base {",
            "pub kind: Option<String>,",
            "pub struct Left {",
        ],
    );
    assert_eq!(
        notes,
        [
            "api.json#/components/schemas/Base/oneOf: kept in `unknown` (the fields of the branches)",
            "api.json#/components/schemas/Left/additionalProperties: kept in `unknown`",
            "api.json#/components/schemas/Base/discriminator: ignored",
        ]
    );
}

#[test]
fn names_with_dots_and_lists_of_inline_objects_are_types_of_the_module() {
    let (text, notes) = read(
        r##"{
        "account.link": { "type": "object", "properties": {
            "parts": { "$ref": "#/components/schemas/parts" },
            "one": { "$ref": "#/components/schemas/account.link/properties/inner" },
            "inner": { "type": "object", "properties": { "deep": { "type": "string" } } } } },
        "parts": { "type": "array", "items": { "type": "object", "properties": { "x": { "type": "integer" } } } }
    }"##,
    );
    check(
        &text,
        &[
            "pub struct AccountLink {",
            "pub parts: Vec<PartsItem>,",
            "pub struct PartsItem {",
            "pub x: Option<i64>,",
            "pub one: Option<PropertiesInner>,",
        ],
    );
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn mistakes_of_a_document_are_errors_with_their_place() {
    for (schemas, expected) in [
        (
            r##"{ "A": { "allOf": [{ "$ref": "#/components/schemas/A" }, { "properties": { "a": {} } }] } }"##,
            "api.json#/components/schemas/A/allOf: the schemas of `allOf` contain each other",
        ),
        (
            r##"{ "A": { "properties": { "a": { "$ref": "#/components/schemas/B" } } } }"##,
            "api.json#/components/schemas/A/properties/a/$ref: no such reference",
        ),
        (
            r#"{ "A": { "properties": { "a": { "type": "strng" } } } }"#,
            "api.json#/components/schemas/A/properties/a/type: `strng` is not a JSON Schema type",
        ),
    ] {
        let error = plain(schemas).map_or_else(|error| error.to_string(), |_| panic!("generated"));
        check(&error, &[expected, "help:"]);
    }
}

#[test]
fn a_generator_for_kubernetes_names_plain_types_as_the_remedy() {
    let text = document(r#"{ "A": { "anyOf": [{ "type": "object" }, { "type": "integer" }] } }"#);
    let generator = Generator::new().document("api.json", &text).unwrap();
    let error = generator
        .generate()
        .map_or_else(|error| error.to_string(), |_| panic!("generated"));
    check(
        &error,
        &[
            "`anyOf` of several schemas is not supported",
            "types --from FILE",
        ],
    );
}

#[test]
fn long_and_numbered_names_have_a_note_and_can_be_changed() {
    let long = "AQueueOfTheLevelsOfTheConfigurationsOfThePrioritiesOfTheRequests";
    let text = document(&format!(
        r#"{{ "{long}": {{ "type": "object", "properties": {{ "a": {{}} }} }},
             "aB": {{ "type": "object", "properties": {{ "b": {{}} }} }},
             "a_b": {{ "type": "object", "properties": {{ "c": {{}} }} }},
             "Sha256": {{ "type": "object", "properties": {{ "d": {{}} }} }} }}"#
    ));
    let generator = || {
        Generator::new()
            .plain()
            .document("api.json", &text)
            .unwrap()
    };
    let at = "api.json#/components/schemas";
    assert_eq!(
        generator().generate().unwrap().notes,
        [
            format!(
                "{at}/{long}: the type `{long}` has 64 characters; choose one with `--rename {long}=NAME` or `rename()`"
            ),
            format!(
                "{at}/a_b: the type `Ab2` has a number because another type has its name; choose one with `--rename Ab2=NAME` or `rename()`"
            ),
        ]
    );
    let renamed = generator()
        .rename(long, "Queue")
        .rename("Ab2", "Other")
        .generate()
        .unwrap();
    assert!(renamed.notes.is_empty(), "{:?}", renamed.notes);
    check(
        &renamed.files[0].1,
        &["pub struct Queue {", "pub struct Other {"],
    );
    for (from, to, expected) in [
        ("Nothing", "Other", "no type has the name `Nothing`"),
        (
            long,
            "queue",
            "`queue` is not the name of a Rust type\n  help: write it as `Queue`",
        ),
        (
            long,
            "Sha256",
            "cannot become `Sha256`, which is the type of api.json#/components/schemas/Sha256",
        ),
    ] {
        let error = generator().rename(from, to).generate();
        check(
            &error.map_or_else(|error| error.to_string(), |_| panic!("generated")),
            &[expected],
        );
    }
}

#[test]
fn references_into_the_middle_of_a_document_have_a_name_each() {
    let field = |name: &str| {
        format!(
            r#"{{ "type": "object", "properties": {{ "gateway": {{ "type": "object", "properties": {{ "{name}": {{}} }} }} }} }}"#
        )
    };
    let reference = |to: &str| format!(r##"{{ "$ref": "#/components/schemas/{to}" }}"##);
    let (a, b, same) = (field("a"), field("b"), field("a"));
    let fields = ["A", "B", "Same"].map(|name| {
        let to = reference(&format!("{name}/properties/gateway"));
        format!(r#""{}": {to}"#, name.to_lowercase())
    });
    let (text, notes) = read(&format!(
        r#"{{ "A": {a}, "B": {b}, "Same": {same}, "All": {{ "type": "object", "properties": {{ {} }} }} }}"#,
        fields.join(", ")
    ));
    // Schemas that are the same have one name; others have as many steps of their places as tell them apart.
    check(
        &text,
        &[
            "pub a: Option<PropertiesGateway>,",
            "pub b: Option<BPropertiesGateway>,",
            "pub same: Option<PropertiesGateway>,",
            "PropertiesGateway(\"properties_gateway\") {\n        \"a\" => a,",
            "BPropertiesGateway(\"B_properties_gateway\") {\n        \"b\" => b,",
        ],
    );
    assert_eq!(notes, [""; 0]);
}

#[test]
fn a_selection_has_the_types_that_it_needs() {
    let text = document(
        r##"{ "A": { "type": "object", "properties": { "b": { "$ref": "#/components/schemas/B" } } },
            "B": { "type": "object", "properties": { "text": { "type": "string" } } },
            "C": { "type": "object", "properties": { "a": { "$ref": "#/components/schemas/A" } } } }"##,
    );
    let of = |kinds: &[&str]| {
        let generator = Generator::new().plain();
        let generator = generator.document("api.json", &text).unwrap();
        generator.kinds(kinds.iter().copied()).generate()
    };
    let structs = |kinds: &[&str]| {
        let (_, text) = &of(kinds).unwrap().files[0];
        let lines = text.lines();
        let names = lines.filter_map(|line| line.strip_prefix("pub struct "));
        names
            .filter_map(|name| name.chars().next())
            .collect::<BTreeSet<char>>()
    };
    assert_eq!(structs(&["A"]), BTreeSet::from_iter("AB".chars()));
    assert_eq!(structs(&["B"]), BTreeSet::from_iter("B".chars()));
    assert_eq!(structs(&["B", "C"]), BTreeSet::from_iter("ABC".chars()));
    check(
        &of(&["D"]).unwrap_err().to_string(),
        &["no document has the schema `D`"],
    );
}

/// `aB` is `Ab` in the module of its document and in all modules that refer to it.
#[test]
fn types_have_one_name_in_all_modules() {
    let first = r##"{ "$defs": { "X": { "type": "object", "properties": { "y": { "$ref": "b.json#/$defs/aB" } } } } }"##;
    let second = r#"{ "$defs": { "aB": { "type": "object", "properties": { "n": { "type": "string" } } } } }"#;
    let generator = Generator::new().plain();
    let generator = generator.document("a.json", first).unwrap();
    let generated = generator.document("b.json", second).unwrap().generate();
    let files = generated.unwrap().files;
    check(&files[0].1, &["pub y: Option<super::b::Ab>,"]);
    check(&files[1].1, &["pub struct Ab {"]);
}

/// Without `type`, a `null` among the values is a value; with it the type decides.
#[test]
fn null_among_values_makes_a_field_nullable() {
    let (text, _) = read(
        r#"{ "A": { "type": "object", "properties": { "a": { "enum": ["x", null] }, "b": { "type": "string", "enum": ["x", null] } } } }"#,
    );
    check(&text, &["\"a\" => a: nullable,", "\"b\" => b,"]);
}
