//! The same thing is one type, with a short name that depends on nothing else in the documents.

#![allow(clippy::panic, clippy::unwrap_used)]

use crate::plain::check;
use k8s_flowcontrol_codegen::Generator;
use std::path::Path;

const MONITORS: &str = include_str!("../fixtures/monitors.yaml");

fn files(documents: &[(&str, &str)]) -> Vec<(String, String)> {
    let generator = documents
        .iter()
        .try_fold(Generator::new(), |generator, (name, text)| {
            generator.document(name, text)
        });
    let generated = generator.and_then(|generator| generator.generate());
    generated.unwrap_or_else(|error| panic!("{error}")).files
}

fn file(name: &str, documents: &[(&str, &str)]) -> String {
    let file = files(documents).into_iter().find(|(file, _)| file == name);
    file.map_or_else(|| panic!("no {name}"), |(_, text)| text)
}

/// The module `a_v1` of a document with these schemas.
fn module(schemas: &str) -> String {
    let document = format!(r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#);
    file("a_v1.rs", &[("x.json", &document)])
}

#[test]
fn a_definition_with_repetitions_becomes_few_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/checks_v1.rs");
    let text = file("checks_v1.rs", &[("monitors.yaml", MONITORS)]);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}

#[test]
fn equal_enums_are_one_type_with_the_name_of_their_field() {
    let protocol = r#"{ "description": "D", "type": "string", "enum": ["TCP", "UDP"] }"#;
    let turned = r#"{ "type": "string", "enum": ["UDP", "TCP"] }"#;
    let text = module(&format!(
        r#"{{ "a.v1.ContainerPort": {{ "type": "object", "properties": {{ "protocol": {protocol} }} }},
             "a.v1.ServicePort": {{ "type": "object", "properties": {{ "protocols": {{ "type": "array", "items": {turned} }} }} }} }}"#
    ));
    check(
        &text,
        &[
            "pub protocol: Option<Protocol>,",
            "pub protocols: Vec<Protocol>,",
            "/// The values of `protocol` and `protocols`.",
        ],
    );
    assert_eq!(text.matches("pub enum ").count(), 1, "{text}");
}

#[test]
fn fields_with_vague_names_have_the_name_of_their_object_too() {
    let text = module(
        r#"{ "a.v1.PodStatus": { "type": "object", "properties": { "phase": { "enum": ["Running"] } } },
             "a.v1.ServiceSpec": { "type": "object", "properties": { "type": { "enum": ["ClusterIP"] } } } }"#,
    );
    check(
        &text,
        &[
            "pub phase: Option<PodPhase>,",
            "pub r#type: Option<ServiceType>,",
        ],
    );
}

#[test]
fn different_types_with_one_field_name_have_longer_names() {
    let text = module(
        r#"{ "a.v1.Door": { "type": "object", "properties": { "colour": { "enum": ["red"] } } },
             "a.v1.Wall": { "type": "object", "properties": { "colour": { "enum": ["blue"] },
                "left": { "type": "object", "properties": { "colour": { "enum": ["red"] } } } } } }"#,
    );
    check(
        &text,
        &[
            "pub colour: Option<DoorColour>,",
            "pub colour: Option<WallColour>,",
            "pub left: Option<Left>,",
        ],
    );
    assert_eq!(text.matches("pub enum ").count(), 2, "{text}");
}

#[test]
fn fields_with_a_common_end_give_their_type_that_name() {
    let policy = r#"{ "enum": ["Honor", "Ignore"] }"#;
    let text = module(&format!(
        r#"{{ "a.v1.Pod": {{ "type": "object", "properties": {{
                "imagePullPolicy": {{ "enum": ["Always"] }}, "pullPolicy": {{ "enum": ["Always"] }} }} }},
             "a.v1.Spread": {{ "type": "object", "properties": {{ "nodePolicy": {policy}, "taintPolicy": {policy} }} }} }}"#
    ));
    check(
        &text,
        &[
            "pub image_pull_policy: Option<PullPolicy>,",
            "pub pull_policy: Option<PullPolicy>,",
            "pub node_policy: Option<SpreadPolicy>,",
            "pub taint_policy: Option<SpreadPolicy>,",
        ],
    );
}

#[test]
fn objects_that_differ_in_a_fact_are_different_types() {
    let object = |required: &str, list: &str| {
        format!(
            r#"{{ "type": "object", "required": {required}, "properties": {{ "a": {{ "type": "string" }},
                "b": {{ "type": "array", "items": {{ "type": "string" }}, "x-kubernetes-list-type": "{list}" }} }} }}"#
        )
    };
    let text = module(&format!(
        r#"{{ "a.v1.Foo": {{ "type": "object", "properties": {{ "one": {}, "two": {}, "three": {}, "same": {} }} }} }}"#,
        object("[]", "set"),
        object(r#"["a"]"#, "set"),
        object("[]", "atomic"),
        object("[]", "set"),
    ));
    assert_eq!(text.matches("pub struct ").count(), 4, "{text}");
    check(&text, &["pub one: Option<One>,", "pub same: Option<One>,"]);
}

#[test]
fn the_plain_name_belongs_to_the_plain_spelling() {
    let object = r#"{ "type": "object", "properties": { "a": { "type": "string" } } }"#;
    let text = module(&format!(
        r#"{{ "a.v1.box": {object}, "a.v1.Box": {object}, "a.v1.HTTPBox": {object}, "a.v1.Http-Box": {object},
             "a.v1.Foo": {{ "type": "object", "properties": {{
                "Box": {{ "type": "string" }}, "box": {{ "type": "integer" }},
                "Default": {{ "type": "string" }}, "default": {{ "type": "integer" }},
                "xY": {{ "type": "string" }}, "x_y": {{ "type": "integer" }} }} }} }}"#
    ));
    check(
        &text,
        &[
            "fields! {\n    Box {",
            "fields! {\n    Box2(\"box\") {",
            "fields! {\n    HttpBox(\"HTTPBox\") {",
            "fields! {\n    HttpBox2(\"Http-Box\") {",
            "pub r#box: Option<i64>,",
            "pub box_2: Option<String>,",
            "pub default: Option<i64>,",
            "pub x_y: Option<i64>,",
        ],
    );
}

/// A document of a group with one kind, whose schemas are those given and the kind's.
fn group(group: &str, kind: &str, schemas: &str, fields: &str) -> String {
    let (path, label) = match group {
        "" => ("/api/v1".to_owned(), "core"),
        _ => (format!("/apis/{group}/v1"), group),
    };
    let gvk = format!(r#"{{"group":"{group}","version":"v1","kind":"{kind}"}}"#);
    format!(
        r##"{{ "openapi": "3.0.0", "paths": {{ "{path}/things": {{ "get": {{
                "x-kubernetes-group-version-kind": {gvk}, "responses": {{}} }} }} }},
            "components": {{ "schemas": {{ {schemas}
                "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {{ "type": "object" }},
                "io.k8s.api.{label}.v1.{kind}": {{ "type": "object", "x-kubernetes-group-version-kind": [{gvk}],
                    "properties": {{ "apiVersion": {{ "type": "string" }}, "kind": {{ "type": "string" }},
                        "metadata": {{ "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }},
                        {fields} }} }} }} }} }}"##
    )
}

#[test]
fn a_type_does_not_depend_on_the_other_documents() {
    let phase = r#""phase": { "enum": ["Bound"] }, "accessModes": { "type": "array", "items": { "enum": ["Once"] } }"#;
    let core = group("", "Claim", "", phase);
    let claim = r##""claims": { "type": "array", "items": { "$ref": "#/components/schemas/io.k8s.api.core.v1.Claim" } }"##;
    let (_, rest) = core.split_once("\"io.k8s.api.core.v1.Claim\"").unwrap();
    let schema = rest.trim_end().strip_suffix("} } }").unwrap().trim_end();
    let schema = format!("\"io.k8s.api.core.v1.Claim\"{schema},");
    let apps = group("apps", "Set", &schema, claim);

    let blocks = |text: &str| {
        let (_, body) = text.split_once('\n').unwrap();
        let blocks = body.split("\n\n").map(|block| block.trim().to_owned());
        blocks.filter(|block| !block.is_empty()).collect::<Vec<_>>()
    };
    let alone = blocks(&file("core_v1.rs", &[("apps.json", &apps)]));
    for documents in [
        [("apps.json", apps.as_str()), ("core.json", core.as_str())],
        [("core.json", core.as_str()), ("apps.json", apps.as_str())],
    ] {
        let together = blocks(&file("core_v1.rs", &documents));
        for block in &alone {
            // The table of a kind that is served says so.
            let block = block.replace("Claim as \"v1\" \"Claim\"", "Claim as Resource");
            assert!(
                together.contains(&block),
                "{block}\nis not in\n{}",
                together.join("\n\n")
            );
        }
    }
    assert!(
        alone
            .iter()
            .any(|block| block.contains("pub enum ClaimPhase")),
        "{alone:?}"
    );
}
