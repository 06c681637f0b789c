//! The facts of kinds that are in the paths of their operations.

#![allow(clippy::panic)]

use crate::plain::check;
use k8s_flowcontrol_codegen::Generator;
use serde_json::{Map, Value, json};

/// The generated text of a document with these kinds and paths.
fn generated(kinds: &[(&str, &str)], paths: &[(&str, &str)]) -> String {
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    let gvk = |kind: &str| {
        let group = kinds
            .iter()
            .find(|(name, _)| *name == kind)
            .map(|(_, group)| group);
        json!({ "group": group, "version": "v1", "kind": kind })
    };
    let mut schemas = Map::new();
    schemas.insert(meta.to_owned(), json!({ "type": "object" }));
    for (kind, _) in kinds {
        let reference = format!("#/components/schemas/{meta}");
        let schema = json!({
            "type": "object",
            "x-kubernetes-group-version-kind": [gvk(kind)],
            "properties": { "metadata": { "$ref": reference } },
        });
        schemas.insert(
            format!("io.example.{}.v1.{kind}", kind.to_lowercase()),
            schema,
        );
    }
    let operation = |(path, kind): &(&str, &str)| {
        let get = json!({ "responses": {}, "x-kubernetes-group-version-kind": gvk(kind) });
        ((*path).to_owned(), json!({ "get": get }))
    };
    let paths: Map<String, Value> = paths.iter().map(operation).collect();
    let document =
        json!({ "openapi": "3.0.0", "paths": paths, "components": { "schemas": schemas } });
    let generated = Generator::new()
        .document("api.json", &document.to_string())
        .and_then(|generator| generator.generate())
        .unwrap_or_else(|error| panic!("{error}"));
    generated.files.into_iter().map(|(_, text)| text).collect()
}

#[test]
fn a_path_has_the_plural_the_scope_and_the_subresource() {
    let text = generated(
        &[("Thing", "a.io"), ("Pod", ""), ("Namespace", "")],
        &[
            ("/apis/a.io/v1/", "Thing"),
            ("/apis/a.io/v1/things", "Thing"),
            ("/apis/a.io/v1/things/{name}/status", "Thing"),
            ("/apis/a.io/v1/watch/things", "Thing"),
            ("/api/v1/namespaces/{namespace}/pods", "Pod"),
            (
                "/api/v1/namespaces/{namespace}/pods/{name}/proxy/{path}",
                "Pod",
            ),
            ("/api/v1/namespaces/{name}", "Namespace"),
            ("/api/v1/namespaces/{name}/finalize", "Namespace"),
        ],
    );
    for (kind, plural, namespaced, subresource) in [
        ("Thing", "things", false, "status"),
        ("Pod", "pods", true, "proxy"),
        ("Namespace", "namespaces", false, "finalize"),
    ] {
        check(
            &text,
            &[&format!(
                "        kind: {kind:?},\n        plural: {plural:?},\n        \
                 namespaced: {namespaced},\n        subresources: [{subresource:?}],\n"
            )],
        );
    }
}
