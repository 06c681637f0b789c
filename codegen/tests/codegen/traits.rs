//! The traits of structs: `Debug` without secrets, `Eq` and `Hash` without floats.

#![allow(clippy::panic)]

use crate::plain::check;
use k8s_flowcontrol_codegen::{Error, Generator};

fn generate(schemas: &str) -> Result<Vec<(String, String)>, Error> {
    let document = format!(r#"{{ "openapi": "3.0.0", "components": {{ "schemas": {schemas} }} }}"#);
    let generated = Generator::new().document("x.json", &document)?.generate()?;
    Ok(generated.files)
}

fn module(schemas: &str) -> String {
    let files = generate(schemas).unwrap_or_else(|error| panic!("{error}"));
    files[0].1.clone()
}

#[test]
fn debug_hides_secrets() {
    let map = r#"{ "type": "object", "additionalProperties": { "type": "string" } }"#;
    let text = module(&format!(
        r##"{{ "io.k8s.api.core.v1.Secret": {{ "type": "object", "properties": {{ "data": {map}, "stringData": {map},
                "metadata": {{ "$ref": "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }},
                "type": {{ "type": "string" }} }} }},
             "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {{ "type": "object" }} }}"##
    ));
    check(
        &text,
        &[
            "#[derive(Clone, Default, PartialEq, Eq, Hash)]\npub struct Secret {",
            "rt::v1::hidden! {\n    Secret {\n        data: secret,\n        string_data: secret,\n        metadata: metadata,\n        r#type,\n    }\n}",
        ],
    );
    let password = module(
        r#"{ "a.v1.Login": { "type": "object", "properties": { "password": { "type": "string", "format": "password" } } } }"#,
    );
    check(&password, &["password: secret,"]);
}

#[test]
fn a_secret_that_is_not_found_is_an_error() {
    let error = generate(
        r#"{ "io.k8s.api.authentication.v1.TokenReviewSpec": { "type": "object", "properties": { "jwt": { "type": "string" } } } }"#,
    );
    let error = error.map_or_else(|error| error.to_string(), |_| panic!("this was generated"));
    check(
        &error,
        &[
            "TokenReviewSpec` has no field `token`, which holds a secret",
            "SECRETS",
        ],
    );
}

#[test]
fn numbers_with_a_float_format_are_floats() {
    let float = r#"{ "type": "number", "format": "double" }"#;
    let text = module(&format!(
        r##"{{ "a.v1.Outer": {{ "type": "object", "properties": {{ "inner": {{ "$ref": "#/components/schemas/a.v1.Inner" }} }} }},
             "a.v1.Inner": {{ "type": "object", "required": ["one"], "properties": {{ "one": {float},
                "two": {{ "type": "number", "format": "float" }}, "plain": {{ "type": "number" }},
                "many": {{ "type": "array", "items": {float} }} }} }},
             "a.v1.Other": {{ "type": "object", "properties": {{ "count": {{ "type": "integer" }} }} }} }}"##
    ));
    check(
        &text,
        &[
            "pub one: f64,",
            "pub two: Option<f64>,",
            "pub plain: Option<::k8s_flowcontrol_types::meta::Number>,",
            "pub many: Vec<f64>,",
            "#[derive(Clone, Debug, Default, PartialEq)]\npub struct Outer {",
            "#[derive(Clone, Debug, Default, PartialEq)]\npub struct Inner {",
            "#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]\npub struct Other {",
        ],
    );
}
