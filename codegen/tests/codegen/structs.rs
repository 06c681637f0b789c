//! The structs that typify makes of a reduced copy: names, types, `Option`, and types of other modules.

#![allow(clippy::panic)]

use crate::plain::check;
use k8s_flowcontrol_codegen::Generator;

/// The module `name` of the generated code for these schemas.
fn module(name: &str, schemas: &str) -> String {
    let document = format!(r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#);
    let generated = Generator::new()
        .document("x.json", &document)
        .and_then(|generator| generator.runtime("crate").generate())
        .unwrap_or_else(|error| panic!("{error}"));
    let file = generated.files.into_iter().find(|(file, _)| file == name);
    file.map_or_else(|| panic!("no {name}"), |(_, text)| text)
}

#[test]
fn required_scalars_and_objects_are_plain_and_others_optional() {
    let text = module(
        "a_v1.rs",
        r##"{ "a.v1.Foo": { "type": "object", "required": ["count", "other", "list", "any", "mode"], "properties": {
            "count": { "type": "integer", "format": "int32", "minimum": 1, "default": 3 },
            "size": { "type": "integer", "minimum": 0, "maximum": 255 },
            "other": { "$ref": "#/components/schemas/a.v1.Other" }, "more": { "$ref": "#/components/schemas/a.v1.Other" },
            "list": { "type": "array", "items": { "type": "string" } },
            "set": { "type": "array", "uniqueItems": true, "minItems": 2, "maxItems": 2, "items": { "type": "boolean" } },
            "labels": { "type": "object", "additionalProperties": { "type": "array", "items": { "type": "number" } } },
            "any": {}, "maybe": {}, "mode": { "enum": ["a"] }, "day": { "type": "string", "format": "date" },
            "since": { "type": "string", "format": "date-time" }, "id": { "type": "string", "format": "uuid" } } },
            "a.v1.Other": { "type": "object", "properties": { "on": { "type": "boolean" } } } }"##,
    );
    check(
        &text,
        &[
            "pub count: i32,",
            "pub size: Option<i64>,",
            "pub other: Other,",
            "pub more: Option<Other>,",
            "pub list: Vec<String>,",
            "pub set: Vec<bool>,",
            "pub labels: ::std::collections::BTreeMap<String, Vec<crate::meta::Number>>,",
            "pub any: crate::meta::RawJson,",
            "pub maybe: Option<crate::meta::RawJson>,",
            "pub mode: FooMode,",
            "pub day: Option<String>,",
            "pub since: Option<crate::meta::Time>,",
            "pub id: Option<String>,",
            "pub on: Option<bool>,",
        ],
    );
}

#[test]
fn inline_schemas_in_lists_and_maps_have_names() {
    let text = module(
        "a_v1.rs",
        r##"{ "a.v1.Foo": { "type": "object", "properties": {
            "parts": { "type": "array", "items": { "type": "object", "properties": {
                "modes": { "type": "array", "items": { "enum": ["on", "off"] } } } } },
            "named": { "type": "object", "additionalProperties": { "type": "object", "properties": {
                "level": { "enum": ["debug", "DEBUG"] } } } } } } }"##,
    );
    check(
        &text,
        &[
            "pub parts: Vec<Part>,",
            "pub struct Part {",
            "pub modes: Vec<PartMode>,",
            "pub enum PartMode {",
            "pub named: ::std::collections::BTreeMap<String, Named>,",
            "pub level: Option<NamedLevel>,",
            "Debug2 = \"DEBUG\",",
        ],
    );
}

#[test]
fn circles_through_another_module_are_boxed() {
    let schemas = r##"{
        "a.v1.Wall": { "type": "object", "properties": { "door": { "$ref": "#/components/schemas/b.v1.Door" } } },
        "b.v1.Door": { "type": "object", "properties": { "wall": { "$ref": "#/components/schemas/a.v1.Wall" },
            "locks": { "type": "array", "items": { "$ref": "#/components/schemas/c.b_v1.Door" } } } },
        "c.b_v1.Door": { "type": "object", "properties": { "next": { "$ref": "#/components/schemas/c.b_v1.Door" } } } }"##;
    check(
        &module("a_v1.rs", schemas),
        &["pub door: Option<Box<super::b_v1::Door>>,"],
    );
    check(
        &module("b_v1.rs", schemas),
        &[
            "pub wall: Option<Box<super::a_v1::Wall>>,",
            "pub locks: Vec<super::c_b_v1::Door>,",
        ],
    );
}

#[test]
fn types_may_have_names_of_the_prelude() {
    let text = module(
        "a_v1.rs",
        r##"{ "a.v1.String": { "type": "object", "properties": {
                "text": { "type": "string" }, "vec": { "$ref": "#/components/schemas/a.v1.Vec" } } },
             "a.v1.Vec": { "type": "object", "properties": {
                "all": { "type": "array", "items": { "$ref": "#/components/schemas/a.v1.String" } } } } }"##,
    );
    check(
        &text,
        &[
            "pub text: Option<::std::string::String>,",
            "pub vec: Option<Vec>,",
            "pub all: ::std::vec::Vec<String>,",
        ],
    );
}

#[test]
fn fields_whose_names_differ_in_case_keep_their_types() {
    let text = module(
        "a_v1.rs",
        r##"{ "a.v1.Foo": { "type": "object", "properties": {
            "podIPs": { "type": "array", "items": { "type": "string" } }, "podIps": { "type": "integer" },
            "fooBar": { "type": "boolean" }, "foo_bar": { "type": "string" }, "type": { "type": "string" } } } }"##,
    );
    check(
        &text,
        &[
            "pub pod_ips: Vec<String>,",
            "pub pod_ips_2: Option<i64>,",
            "pub foo_bar_2: Option<bool>,",
            "pub foo_bar: Option<String>,",
            "pub r#type: Option<String>,",
        ],
    );
}
