//! Plain JSON Schemas: objects in place, `null` types, unions, and references into a neighbouring file.

#![allow(clippy::panic)]

use crate::plain::check;
use k8s_flowcontrol_codegen::{Error, Generator};

const LEVEL: &str = include_str!("../fixtures/paint-v1.json");
const WALL: &str = include_str!("../fixtures/wall-v1.json");
const DEFINITIONS: &str = include_str!("../fixtures/_definitions.json");

fn files(generator: Result<Generator, Error>) -> Vec<(String, String)> {
    let generated = generator.and_then(|generator| generator.generate());
    generated.unwrap_or_else(|error| panic!("{error}")).files
}

#[test]
fn objects_in_place_become_types() {
    let files = files(Generator::new().document("paint-v1.json", LEVEL));
    assert_eq!(files[0].0, "paint_v1.rs");
    check(
        &files[0].1,
        &[
            // The file names the root, and fields name inline schemas.
            "pub struct PaintV1 {",
            "pub layers: Option<i32>,",
            "pub drying: Option<Box<Drying>>,",
            "pub struct Drying {",
            "pub fan: Option<Fan>,",
            // Required, and `null` is allowed.
            "pub r#type: Option<DryingType>,",
            "pub colours: Vec<Option<Colour>>,",
            "pub struct Colour {",
            "pub labels: ::std::collections::BTreeMap<String, Option<String>>,",
            "pub since: Option<::k8s_flowcontrol_types::meta::Time>,",
            "pub port: Option<::k8s_flowcontrol_types::meta::IntOrString>,",
            "pub amount: Option<::k8s_flowcontrol_types::meta::Quantity>,",
            "pub anything: Option<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub unknown_: Option<String>,",
            "pub r#move: Option<bool>,",
            "pub self_: Option<String>,",
            "pub non_resource_urls: Vec<String>,",
            "Matte = \"matte\",",
            "All = \"*\",",
            "Empty = \"\",",
            "UnknownFinish = \"Unknown\",",
        ],
    );
    check(&files[1].1, &["pub mod paint_v1;"]);
}

#[test]
fn the_values_of_type_meta_become_no_types() {
    let document = r#"{"definitions": {"com.example.v1.Door": {"type": "object",
        "x-kubernetes-group-version-kind": [{"group": "example.com", "version": "v1", "kind": "Door"}],
        "properties": {"apiVersion": {"type": "string", "enum": ["example.com/v1"]},
            "kind": {"type": "string", "enum": ["Door"]}, "width": {"type": "integer"}}}}}"#;
    let files = files(Generator::new().document("door.json", document));
    check(
        &files[0].1,
        &[
            "Door as \"example.com/v1\" \"Door\"",
            "pub width: Option<i64>,",
        ],
    );
    assert!(!files[0].1.contains("enum"), "{}", files[0].1);
}

#[test]
fn documents_are_read_as_they_are_found() {
    let document = r##"{
        "swagger": "2.0", "paths": null, "definitions": {
            "io.a.v1.Thing": { "type": "object", "required": null, "properties": {
                "never": false, "anything": true, "empty": {}, "none": { "type": "array", "items": false },
                "labels": { "type": "object", "patternProperties": { "^x-": { "type": "string" }, "^y-": { "type": "string" } } },
                "mixed": { "type": "object", "patternProperties": { "^x-": { "type": "string" }, "^y-": { "type": "integer" } } },
                "colour": { "$ref": "/api/_definitions.json#/$defs/Person" },
                "lost": { "$ref": "#/definitions/io.a.v1.Lost" }, "gone": { "$ref": "gone.json#/definitions/Gone" }
            } }
        } }"##;
    let generator = || {
        let generator = Generator::new().document("thing.json", document);
        generator.map(|g| g.neighbour("_definitions.json", DEFINITIONS))
    };
    let error = generator()
        .and_then(|g| g.generate())
        .err()
        .map(|e| e.to_string());
    check(
        &error.unwrap_or_default(),
        &[
            "`thing.json` has nothing at `#/definitions/io.a.v1.Lost`",
            "`--missing-as-json`",
        ],
    );
    let files = files(generator().map(Generator::missing_as_json));
    let text = &files[0].1;
    check(
        text,
        &[
            "pub anything: Option<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub empty: Option<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub none: Vec<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub labels: ::std::collections::BTreeMap<String, String>,",
            "pub mixed: ::std::collections::BTreeMap<",
            "pub colour: Option<super::definitions::Person>,",
            "pub lost: Option<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub gone: Option<::k8s_flowcontrol_types::meta::RawJson>,",
        ],
    );
    assert!(!text.contains("never"), "{text}");
}

#[test]
fn an_embedded_resource_has_the_fields_of_every_object() {
    let text = r#"{"type": "object", "properties": {"template": {"type": "object",
        "x-kubernetes-embedded-resource": true, "required": ["kind"],
        "properties": {"kind": {"type": "string"}, "spec": {"type": "object"}}}}}"#;
    let files = files(Generator::new().document("plan-v1.json", text));
    check(
        &files[0].1,
        &[
            "pub api_version: Option<String>,",
            "pub kind: String,",
            "pub metadata: Option<::k8s_flowcontrol_types::meta::ObjectMeta>,",
            "pub spec: Option<::k8s_flowcontrol_types::meta::RawJson>,",
        ],
    );
}

#[test]
fn references_into_a_neighbouring_file_are_followed() {
    let generator = Generator::new()
        .document("wall-v1.json", WALL)
        .map(|generator| generator.neighbour("_definitions.json", DEFINITIONS));
    let files = files(generator);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["wall_v1.rs", "paints_v1.rs", "definitions.rs", "mod.rs"]
    );
    check(
        &files[0].1,
        &[
            "pub struct Wall {",
            "pub metadata: Option<::k8s_flowcontrol_types::meta::ObjectMeta>,",
            "pub coats: Vec<super::paints_v1::Coat>,",
            "pub owner: Option<super::definitions::Person>,",
            "\"coats\" => coats",
        ],
    );
    // A coat holds itself, where it may be absent.
    check(
        &files[1].1,
        &["pub below: Option<Box<Coat>>,", "\"below\" => below,"],
    );
    // Schemas without a reference to them are omitted.
    assert!(!files[1].1.contains("Unused"));
}

#[test]
fn a_file_of_definitions_is_a_document_too() {
    let files = files(Generator::new().document("_definitions.json", DEFINITIONS));
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["paints_v1.rs", "definitions.rs", "mod.rs"]);
    check(&files[0].1, &["pub struct Unused {"]);
}

#[test]
fn a_schema_may_refer_to_itself_as_a_whole() {
    let tree = r##"{ "title": "tree node", "type": "object", "properties": {
        "left": { "$ref": "#" }, "children": { "type": "array", "items": { "$ref": "#" } } } }"##;
    let files = files(Generator::new().document("x.json", tree));
    check(
        &files[0].1,
        &[
            "pub struct TreeNode {",
            "pub left: Option<Box<TreeNode>>,",
            "pub children: Vec<TreeNode>,",
        ],
    );
}

#[test]
fn descriptions_become_rustdoc_without_traps() {
    let schema = r#"{ "type": "object", "description": "See [this] and <that> at https://example.com/a.",
        "properties": { "a": { "type": "string", "description": "One:\n\n      x = y[0]\n\nand `[b]`." } } }"#;
    let files = files(Generator::new().document("x.json", schema));
    check(
        &files[0].1,
        &[
            r"/// See \[this\] and \<that\> at <https://example.com/a>.",
            "    /// ```text\n    ///   x = y[0]\n    /// ```",
            "/// and `[b]`.",
        ],
    );
}
