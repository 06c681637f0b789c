//! Bad input gets an error that names the file and the JSON pointer, says what is wrong and what to do.

#![allow(clippy::panic)]

use k8s_flowcontrol_codegen::{Error, Generator};

fn generate(name: &str, text: &str) -> Result<String, Error> {
    let generated = Generator::new().document(name, text)?.generate()?;
    Ok(generated.files.into_iter().map(|(_, text)| text).collect())
}

/// The error for a document.
fn error(text: &str) -> String {
    match generate("bad.json", text) {
        Ok(text) => panic!("this was generated:\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The error for an OpenAPI document with these schemas.
fn schemas(schemas: &str) -> String {
    error(&format!(
        r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#
    ))
}

/// The error for an object with one field of this schema.
fn field(schema: &str) -> String {
    schemas(&format!(
        r#"{{ "a.v1.Foo": {{ "type": "object", "properties": {{ "bar": {schema} }} }} }}"#
    ))
}

#[track_caller]
fn check(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(
            error.contains(part),
            "`{part}` is not in this error:\n{error}"
        );
    }
    assert!(error.contains("help:"), "no help in this error:\n{error}");
}

#[test]
fn text_that_is_not_a_document() {
    check(
        &error("openapi: [3.0.0"),
        &["bad.json#: neither JSON nor YAML: yaml: line 1"],
    );
    check(&error(""), &["bad.json#: the text is empty"]);
    check(&error(" \n"), &["bad.json#: the text is empty"]);
    check(
        &error("# a comment\n"),
        &["bad.json#: the text does not contain a document"],
    );
    check(
        &error("kind: List\napiVersion: v1\nitems: []\n"),
        &["bad.json#: the list has no items"],
    );
    check(
        &error("<html></html>"),
        &["bad.json#: not JSON", "this looks like HTML"],
    );
    check(
        &error(r#"{"openapi": "3.0.0", "#),
        &["bad.json#: not JSON", "the text ends in the middle"],
    );
    check(
        &error(r#"{"kind": "Status", "apiVersion": "v1", "message": "pods is forbidden"}"#),
        &["an error response of a server (pods is forbidden)"],
    );
    check(
        &error("[]"),
        &["bad.json#: expected a schema document, which is a JSON object"],
    );
    check(&error(r#"{"a": 1}"#), &["bad.json#: this is other JSON"]);
    check(
        &error(r#"{"openapi": "2.9.0"}"#),
        &["bad.json#/openapi: OpenAPI version `2.9.0` is not"],
    );
    check(
        &error(r#"{"swagger": "1.2"}"#),
        &["bad.json#/swagger: Swagger version `1.2` is not"],
    );
    check(
        &error(r#"{"kind": "APIResourceList", "apiVersion": "v1", "resources": []}"#),
        &["this looks like a discovery document (`kind: APIResourceList`), not a schema document"],
    );
    check(
        &error(r#"{"kind": "FlowSchema", "apiVersion": "flowcontrol.apiserver.k8s.io/v1"}"#),
        &["this looks like a Kubernetes object (`kind: FlowSchema`)"],
    );
    check(
        &error(r#"{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}"#),
        &["the CustomResourceDefinition has no `spec` here"],
    );
    check(
        &error(r#"{"paths": {"apis/apps/v1": {"serverRelativeURL": "/openapi/v3"}}}"#),
        &["this looks like an index of OpenAPI documents"],
    );
    check(
        &error(r#"{"components": {}}"#),
        &["without its `openapi` version"],
    );
}

#[test]
fn an_empty_document_is_an_error_when_it_is_alone() {
    check(
        &error("{}"),
        &[
            "bad.json#: the document is empty (`{}`)",
            "give an OpenAPI v3",
        ],
    );
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let generated = Generator::new()
        .document("empty.json", "{}")
        .and_then(|g| g.document("full.json", schema))
        .and_then(|g| g.generate())
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(generated.files[0].0, "full.rs");
    assert_eq!(
        generated.notes[0],
        "empty.json is empty (`{}`) and adds no type"
    );
}

#[test]
fn a_reference_to_an_empty_document_is_any_json() {
    let text = r#"{"type": "object", "properties": {"a": {"$ref": "any.json"}, "b": {}}}"#;
    let generated = Generator::new()
        .neighbour("any.json", "{}")
        .document("full.json", text)
        .and_then(|g| g.generate())
        .unwrap_or_else(|error| panic!("{error}"));
    let text = &generated.files[0].1;
    for field in ["a", "b"] {
        let field = format!("pub {field}: Option<::k8s_flowcontrol_types::meta::RawJson>,");
        assert!(text.contains(&field), "{field} is not in:\n{text}");
    }
}

#[test]
fn a_field_that_appears_twice() {
    let twice = r#"{"openapi": "3.0.0", "components": {"schemas": {"a.Foo": {}, "a.Foo": {}}}}"#;
    check(
        &error(twice),
        &["bad.json#: the field `a.Foo` appears twice in one object"],
    );
}

#[test]
fn a_document_that_is_too_deep() {
    let deep = format!("{}1{}", r#"{"items":"#.repeat(500), "}".repeat(500));
    assert!(
        error(&deep).contains("nested too deeply"),
        "{}",
        error(&deep)
    );
}

#[test]
fn wrong_json_types() {
    let error = field("7");
    assert!(
        error.contains("bad.json#/components/schemas/a.v1.Foo/properties/bar: expected an object, found a number"),
        "{error}"
    );
    let error = field(r#"{"type": "string", "description": []}"#);
    assert!(
        error.contains("/properties/bar/description: expected a string, found an array"),
        "{error}"
    );
    check(
        &field(r#"{"type": "text"}"#),
        &["properties/bar/type: `text` is not a JSON Schema type"],
    );
    check(
        &field(r#"{"type": 5}"#),
        &[
            "properties/bar/type: expected the name of a type, such as `object`, or a list of names, found a number",
        ],
    );
    check(
        &field(r#"{"type": ["string", 5]}"#),
        &["properties/bar/type/1: expected the name of a type, such as `object`, found a number"],
    );
    check(
        &schemas(r#"{ "a.v1.Foo": false }"#),
        &["a.v1.Foo: the schema `false` allows no value"],
    );
}

#[test]
fn references_that_lead_nowhere() {
    check(
        &field(r##"{"$ref": "#/components/schemas/a.v1.Nobody"}"##),
        &[
            "bad.json#/components/schemas/a.v1.Foo/properties/bar/$ref: no such reference: \
             `#/components/schemas/a.v1.Nobody`",
            "`bad.json` has nothing at `#/components/schemas/a.v1.Nobody`",
        ],
    );
    check(
        &field(r##"{"$ref": "other.json#/definitions/Foo"}"##),
        &["properties/bar/$ref: the reference leads to `other.json`, which was not given"],
    );
    check(
        &field(r##"{"$ref": "https://example.com/a.json#/definitions/Foo"}"##),
        &["`https://example.com/a.json`, which was not given"],
    );
    check(
        &field(r##"{"$ref": "#foo"}"##),
        &["the reference `#foo` has no JSON pointer"],
    );
    check(
        &field(r##"{"$ref": "#/components/schemas/a.v1.Foo/properties/bar"}"##),
        &["is not a named schema"],
    );
}

#[test]
fn circles_that_no_type_can_hold() {
    check(
        &schemas(r##"{ "a.v1.Foo": { "$ref": "#/components/schemas/a.v1.Foo" } }"##),
        &[
            "the schema `a.v1.Foo` refers to itself",
            "no type can hold it",
        ],
    );
    check(
        &schemas(
            r##"{ "a.v1.A": { "allOf": [{ "$ref": "#/components/schemas/a.v1.B" }] },
                  "a.v1.B": { "type": "array", "items": { "$ref": "#/components/schemas/a.v1.A" } } }"##,
        ),
        &["refers to itself"],
    );
    check(
        &schemas(
            r##"{ "a.v1.A": { "type": "object", "required": ["b"],
                    "properties": { "b": { "$ref": "#/components/schemas/a.v1.B" } } },
                  "a.v1.B": { "type": "object", "required": ["a"],
                    "properties": { "a": { "$ref": "#/components/schemas/a.v1.A" } } } }"##,
        ),
        &["/properties/", "the object requires itself", "`required`"],
    );
}

#[test]
fn keywords_that_change_the_meaning() {
    for keyword in [
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "dependencies",
        "prefixItems",
        "$dynamicRef",
        "propertyNames",
        "contains",
        "unevaluatedProperties",
    ] {
        let pointer =
            format!("/properties/bar/{keyword}: the keyword `{keyword}` is not supported");
        check(
            &field(&format!(
                r#"{{"type": "object", "{keyword}": {{"type": "string"}}}}"#
            )),
            &[&pointer],
        );
    }
    check(
        &field(r#"{"oneOf": [{"type": "string"}, {"type": "boolean"}]}"#),
        &["/properties/bar/oneOf: `oneOf` of several schemas is not supported"],
    );
    check(
        &field(r#"{"anyOf": [{"type": "object", "properties": {"a": {}}}, {"type": "string"}]}"#),
        &["/properties/bar/anyOf: `anyOf` of several schemas"],
    );
    check(
        &field(r##"{"allOf": [{"type": "object"}, {"properties": {"a": {}}}]}"##),
        &["/properties/bar/allOf: `allOf` of several schemas"],
    );
    check(
        &field(r#"{"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}"#),
        &["/properties/bar/items: a list whose elements have a schema each"],
    );
    check(
        &field(r#"{"type": ["string", "boolean"]}"#),
        &["/properties/bar/type: a value of several types (string, boolean)"],
    );
    check(
        &field(r#"{"properties": {"a": {}}, "additionalProperties": {"type": "string"}}"#),
        &["/properties/bar/additionalProperties: an object with `properties` and a schema"],
    );
}

#[test]
fn harmless_annotations_pass() {
    let text = r#"{
        "$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x", "$comment": "c",
        "type": "object", "additionalProperties": false, "minProperties": 1,
        "x-kubernetes-validations": [{ "rule": "true" }], "markdownDescription": "d",
        "properties": {
            "a": { "type": "string", "pattern": "^a$", "minLength": 1, "examples": ["a"], "default": "a",
                   "readOnly": true, "nullable": true, "deprecated": true },
            "b": { "type": "integer", "minimum": 0, "maximum": 10, "default": 0, "multipleOf": 2 },
            "c": { "type": "object", "default": {}, "unevaluatedProperties": false,
                   "properties": { "d": { "type": "boolean" } },
                   "oneOf": [{ "required": ["d"] }, { "maxProperties": 0 }] }
        }
    }"#;
    let text = generate("fine.json", text).unwrap_or_else(|error| panic!("{error}"));
    for field in [
        "pub a: Option<String>,",
        "pub b: Option<i64>,",
        "pub c: Option<C>,",
    ] {
        assert!(text.contains(field), "{field} is not in:\n{text}");
    }
}

#[test]
fn two_documents_that_disagree() {
    let document = |kind: &str| {
        format!(
            r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {{
                "a.v1.Foo": {{ "type": "object", "properties": {{ "a": {{ "type": "{kind}" }} }} }} }} }} }}"#
        )
    };
    let error = Generator::new()
        .document("one.json", &document("string"))
        .and_then(|g| g.document("two.json", &document("integer")))
        .and_then(|g| g.generate())
        .map_or_else(|error| error.to_string(), |_| panic!("this was generated"));
    check(
        &error,
        &[
            "two.json#/components/schemas/a.v1.Foo: the schema `a.v1.Foo` differs from the one at one.json#",
        ],
    );
}

#[test]
fn a_runtime_that_is_not_a_path() {
    let result = Generator::new()
        .document(
            "a.json",
            r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#,
        )
        .and_then(|g| g.runtime("not a path").generate());
    assert!(result.is_err_and(|e| {
        e.to_string()
            .contains("the runtime `not a path` is not a Rust path")
    }));
}

/// Code follows the path, which arguments of types would end.
#[test]
fn a_runtime_with_arguments_is_not_a_path() {
    let document = r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#;
    let result = Generator::new()
        .runtime("a::b<c>")
        .document("a.json", document)
        .and_then(|g| g.generate());
    assert!(result.is_err_and(|e| e.to_string().contains("is not a Rust path")));
}

#[test]
fn no_documents_are_an_error() {
    for error in [
        Generator::new().generate().err(),
        Generator::new().explain().err(),
        Generator::new().operations().err(),
    ] {
        let error = error.map(|error| error.to_string()).unwrap_or_default();
        check(&error, &["there are no documents"]);
    }
}

/// The remedy is one that helps: standard input has no folder, and a text has none either.
#[test]
fn the_remedy_for_a_file_that_is_missing() {
    let text = r#"{"type": "object", "properties": {"a": {"$ref": "b.json"}}}"#;
    let error = |name: &str| match generate(name, text) {
        Ok(text) => panic!("this was generated:\n{text}"),
        Err(error) => error.to_string(),
    };
    check(&error("-"), &["give the document as a file"]);
    check(&error("a.json"), &["`Generator::neighbour`"]);
}
