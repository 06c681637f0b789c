//! Documents of other groups: modules, kinds, subresources, operations, fix-ups and what versions share.

#![allow(clippy::panic)]

use crate::plain::check;
use k8s_flowcontrol_codegen::{Error, Generated, Generator};
use k8s_flowcontrol_specs::{META, V1, V1BETA2, V1BETA3};

const SWAGGER: &str = include_str!("../fixtures/swagger.json");

pub(crate) fn done<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn generate(documents: &[(&str, &str)]) -> Result<Generated, Error> {
    let start = Ok(Generator::new());
    let generator = documents.iter().fold(start, |generator, (name, text)| {
        generator.and_then(|g| g.document(name, text))
    });
    generator.and_then(|generator| generator.generate())
}

pub(crate) fn file<'a>(generated: &'a Generated, name: &str) -> &'a str {
    match generated.files.iter().find(|(n, _)| n == name) {
        Some((_, text)) => text,
        None => panic!("{name} is not among the files"),
    }
}

#[test]
fn several_groups_have_modules_by_group_and_version() {
    let generated = done(generate(&[("swagger.json", SWAGGER)]));
    let names: Vec<&str> = generated
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "paints_v1.rs",
            "walls_v1.rs",
            "scales_v1.rs",
            "bricks_v1.rs",
            "mod.rs"
        ]
    );
    check(
        file(&generated, "paints_v1.rs"),
        &[
            "::k8s_flowcontrol_types::rt::v1::resource! {\n    Coat {",
            "group: \"paints.example.com\",",
            "version: \"v1\",",
            "namespaced: false,",
            "spec: CoatSpec,",
            "status: (),",
            "pub type CoatList = ::k8s_flowcontrol_types::List<Coat>;",
        ],
    );
    check(
        file(&generated, "walls_v1.rs"),
        &[
            "rt::v1::resource! {\n    Wall {",
            "namespaced: true,",
            "subresources: [\"scale\"],",
            "pub coats: Vec<super::bricks_v1::Brick>,",
        ],
    );
    // It is sent on its own, so its type meta belongs to it; it does not have its own path.
    let scale = file(&generated, "scales_v1.rs");
    check(
        scale,
        &[
            "Scale as \"scales.example.com/v1\" \"Scale\" {",
            "pub replicas: Option<i32>,",
        ],
    );
    assert!(
        !scale.contains("resource!") && !scale.contains("pub api_version"),
        "{scale}"
    );
    check(
        file(&generated, "bricks_v1.rs"),
        &["pub weight: Option<::k8s_flowcontrol_types::meta::Quantity>,"],
    );
}

#[test]
fn operations_are_printed_as_a_table() {
    let table = done(
        Generator::new()
            .document("swagger.json", SWAGGER)
            .and_then(|g| g.operations()),
    );
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 5, "{table}");
    check(
        &table,
        &[
            "METHOD  PATH",
            "1: limit",
            "201 Coat, 401",
            "walls/{name}/scale (deprecated)",
        ],
    );
    let column = lines[0].find("ACTION");
    assert_eq!(column, lines[1].find("list"));
}

#[test]
fn our_documents_offer_25_operations_each() {
    let generator = Generator::new()
        .document("v1.json", V1)
        .map(|g| g.neighbour("meta.json", META));
    let table = done(generator.and_then(|g| g.operations()));
    assert_eq!(table.lines().count(), 26, "{table}");
    assert_eq!(table.matches("(deprecated)").count(), 4, "{table}");
}

#[test]
fn a_module_list_declares_every_module() {
    let generated = done(generate(&[("swagger.json", SWAGGER)]));
    check(
        file(&generated, "mod.rs"),
        &["/// `paints.example.com/v1`.", "pub mod bricks_v1;"],
    );
}

#[test]
fn versions_share_what_agrees() {
    let documents = [
        ("v1.json", V1),
        ("v1beta3.json", V1BETA3),
        ("meta.json", META),
    ];
    let generated = done(generate(&documents));
    check(
        file(&generated, "flowcontrol_v1beta3.rs"),
        &[
            "pub use super::flowcontrol_v1::{",
            "pub struct FlowSchema {",
        ],
    );
    check(
        &generated.shared,
        &["flowcontrol_v1beta3::FlowSchemaSpec = flowcontrol_v1::FlowSchemaSpec\n"],
    );
    assert!(
        !generated.shared.contains("::FlowSchema ="),
        "kinds are never shared"
    );
}

#[test]
fn a_change_of_what_is_shared_is_shown() {
    let documents = [
        ("v1.json", V1),
        ("v1beta2.json", V1BETA2),
        ("meta.json", META),
    ];
    let shared = done(generate(&documents)).shared;
    let generator = || {
        let start = Ok(Generator::new());
        documents
            .iter()
            .fold(start, |g: Result<Generator, Error>, (name, text)| {
                g.and_then(|g| g.document(name, text))
            })
    };
    done(generator().and_then(|g| g.shared(&shared).generate()));
    let other = shared
        .replace("::Verb\n", "::Verbs\n")
        .replace("::Verb =", "::Verbs =");
    let error = generator().and_then(|g| g.shared(&other).generate());
    let error = error.map_or_else(|error| error.to_string(), |_| panic!("this was generated"));
    check(
        &error,
        &[
            "\n  - flowcontrol_v1beta2::Verbs = flowcontrol_v1::Verbs",
            "\n  + flowcontrol_v1beta2::Verb = flowcontrol_v1::Verb",
            "help:",
        ],
    );
}

/// A document as kube-apiserver publishes it, with its watch endpoints described so.
fn published(description: &str) -> String {
    format!(
        r#"{{ "openapi": "3.0.0", "info": {{ "title": "Kubernetes" }}, "paths": {{
            "/apis/a.io/v1/watch/things": {{ "get": {{ "operationId": "w", "description": "{description}",
                "x-kubernetes-action": "watchlist", "responses": {{}} }} }} }} }}"#
    )
}

#[test]
fn watch_endpoints_that_are_deprecated_in_prose_are_marked() {
    let text =
        published("watch things. deprecated: use the 'watch' parameter with a list operation");
    let table = done(
        Generator::new()
            .document("x.json", &text)
            .and_then(|g| g.operations()),
    );
    check(&table, &["/apis/a.io/v1/watch/things (deprecated)"]);
}

#[test]
fn a_fix_up_that_corrects_nothing_fails() {
    let text = published("watch things");
    let result = Generator::new()
        .document("x.json", &text)
        .and_then(|g| g.operations());
    let error = result.map_or_else(|error| error.to_string(), |_| panic!("the fix-up applied"));
    check(
        &error,
        &[
            "x.json#: the fix-up `deprecated-watch-endpoints` found nothing to correct",
            "help:",
        ],
    );
}

#[test]
fn two_documents_of_one_kind_are_an_error() {
    let result = generate(&[("a.json", SWAGGER), ("b.json", SWAGGER)]);
    let error = result.map_or_else(|error| error.to_string(), |_| panic!("this was generated"));
    check(
        &error,
        &[
            "b.json#: `a.json` describes the kind",
            "remove one of the documents",
        ],
    );
}

/// An OpenAPI document with these schemas.
pub(crate) fn schemas(schemas: &str) -> String {
    format!(r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#)
}

#[test]
fn names_that_would_collide_get_out_of_each_others_way() {
    let inline = r#"{ "type": "object", "properties": { "fooBar": {}, "foo_bar": {} } }"#;
    let document = schemas(&format!(
        r#"{{ "a.v1.Foo": {{ "type": "object", "properties": {{ "bar": {inline},
                "a": {{ "title": "Mode", "enum": ["x", "y"] }},
                "b": {{ "title": "Mode", "enum": ["get", "Get"] }},
                "c": {{ "title": "Mode", "enum": ["x", "y"] }} }} }},
             "a.v1.FooBar": {inline}, "b.a.v1.Other": {inline} }}"#
    ));
    let generated = done(generate(&[("x.json", &document)]));
    check(
        file(&generated, "a_v1.rs"),
        &[
            "pub struct FooBar {",
            "pub bar: Option<Bar>,",
            "pub foo_bar_2: Option<",
            "pub a: Option<A>,",
            "pub b: Option<B>,",
            "pub c: Option<A>,",
            "Get2 = \"get\",",
            "Get = \"Get\",",
        ],
    );
    check(file(&generated, "b_a_v1.rs"), &["pub struct Other {"]);
}

/// Rust looks for no file of a module with other letters.
#[test]
fn modules_have_names_of_ascii_letters() {
    let foo = r#"{ "type": "object", "properties": { "a": { "type": "string" } } }"#;
    let document = schemas(&format!(r#"{{ "ét.v1.Foo": {foo} }}"#));
    let generated = done(generate(&[("x.json", &document)]));
    let names: Vec<_> = generated
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["u00e9_t_v1.rs", "mod.rs"]);
}

#[test]
fn rules_that_state_no_type_only_restrict() {
    let document = schemas(
        r#"{ "a.v1.Foo": { "type": "object", "properties": {
            "mode": { "type": "string", "not": { "enum": ["off"] } },
            "source": { "type": "object",
                "properties": { "git": { "type": "string" }, "disk": { "type": "string" } },
                "oneOf": [{ "required": ["git"], "not": { "required": ["disk"] } },
                          { "properties": { "disk": { "minLength": 1 } }, "required": ["disk"] }] },
            "size": { "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }],
                      "pattern": "^[0-9]+%?$" } } } }"#,
    );
    let generated = done(generate(&[("x.json", &document)]));
    check(
        file(&generated, "a_v1.rs"),
        &[
            "pub mode: Option<String>,",
            "pub source: Option<FooSource>,",
            "pub git: Option<String>,",
            "pub size: Option<::k8s_flowcontrol_types::meta::IntOrString>,",
        ],
    );
}

#[test]
fn values_that_no_plain_type_holds_are_any_json() {
    let document = schemas(
        r##"{ "a.v1.Foo": { "type": "object", "properties": {
            "mixed": { "enum": ["a", 1, null] },
            "strings": { "enum": ["a", null] }, "default": { "$ref": "#/components/schemas/a.v1.Default" },
            "holes": { "type": "array", "items": { "type": "string", "nullable": true } },
            "gaps": { "type": "object", "additionalProperties": { "type": "integer", "nullable": true } },
            "huge": { "type": "integer", "format": "uint64" },
            "openAPIV3Schema": { "type": "object" } } },
            "a.v1.Default": { "type": "object", "properties": { "of": { "enum": ["x"] } } } }"##,
    );
    let generated = done(generate(&[("x.json", &document)]));
    check(
        file(&generated, "a_v1.rs"),
        &[
            "pub mixed: Option<::k8s_flowcontrol_types::meta::RawJson>,",
            "pub strings: Option<Strings>,",
            "pub holes: Vec<Option<String>>,",
            "pub gaps: ::std::collections::BTreeMap<String, Option<i64>>,",
            "pub huge: Option<::k8s_flowcontrol_types::meta::Number>,",
            "pub open_api_v3_schema: Option<",
            // Not the derive macro.
            "The values of `of` in [`Default`](struct@Default).",
        ],
    );
}

#[test]
fn a_kind_without_a_schema_is_a_kind() {
    let document = r##"{ "swagger": "2.0", "info": {}, "paths": { "/apis/a.io/v1/things": { "get": {
            "operationId": "list", "x-kubernetes-action": "list",
            "x-kubernetes-group-version-kind": { "group": "a.io", "version": "v1", "kind": "Thing" },
            "responses": { "200": { "schema": { "$ref": "#/definitions/io.a.v1.ThingList" } } } } } },
        "definitions": {
            "io.a.v1.Thing": { "type": "object",
                "x-kubernetes-group-version-kind": [{ "group": "a.io", "version": "v1", "kind": "Thing" }] },
            "io.a.v1.ThingList": { "type": "object", "required": ["items"], "properties": {
                "metadata": { "$ref": "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta" },
                "items": { "type": "array", "items": { "$ref": "#/definitions/io.a.v1.Thing" } } },
                "x-kubernetes-group-version-kind": [{ "group": "a.io", "version": "v1", "kind": "ThingList" }] },
            "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": { "type": "object" } } }"##;
    let thing = r#""io.a.v1.Thing": { "type": "object","#;
    let atomic = format!(r#"{thing} "x-kubernetes-map-type": "atomic","#);
    for document in [document, &document.replace(thing, &atomic)] {
        let generated = done(generate(&[("x.json", document)]));
        assert_eq!(generated.kinds, 1);
        check(
            file(&generated, "a_v1.rs"),
            &[
                "rt::v1::resource! {\n    Thing {",
                "pub metadata: ::k8s_flowcontrol_types::meta::ObjectMeta,",
                "pub type ThingList = ::k8s_flowcontrol_types::List<Thing>;",
            ],
        );
    }
}
