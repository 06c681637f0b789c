//! The operations and query parameters in the documents of `specs/`, read without the generator.

use k8s_flowcontrol_specs as specs;
use serde_json::Value;
use std::collections::BTreeSet;

/// A documented operation.
#[derive(Debug)]
pub(crate) struct Documented {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: BTreeSet<String>,
    pub(crate) has_body: bool,
}

impl Documented {
    /// Whether a request for `path` is this operation.
    pub(crate) fn is(&self, method: &str, path: &str) -> bool {
        let (template, path) = (self.path.trim_matches('/'), path.trim_matches('/'));
        self.method == method
            && template.split('/').count() == path.split('/').count()
            && template
                .split('/')
                .zip(path.split('/'))
                .all(|(t, p)| t.starts_with('{') || t == p)
    }
}

/// The operations of one version.
pub(crate) fn operations(version: &str) -> Vec<Documented> {
    let text = match version {
        "v1" => specs::V1,
        "v1beta3" => specs::V1BETA3,
        "v1beta2" => specs::V1BETA2,
        _ => specs::V1BETA1,
    };
    let document: Value = serde_json::from_str(text).unwrap();
    let meta: Value = serde_json::from_str(specs::META).unwrap();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in ["get", "put", "post", "patch", "delete"] {
            let Some(operation) = item.get(method) else {
                continue;
            };
            let parameters = [&item["parameters"], &operation["parameters"]];
            operations.push(Documented {
                method: method.to_uppercase(),
                path: path.clone(),
                has_body: operation.get("requestBody").is_some(),
                query: parameters
                    .into_iter()
                    .filter_map(Value::as_array)
                    .flatten()
                    .map(|parameter| resolved(parameter, &document, &meta))
                    .filter(|parameter| parameter["in"] == "query")
                    .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                    .collect(),
            });
        }
    }
    operations
}

fn resolved<'a>(node: &'a Value, document: &'a Value, meta: &'a Value) -> &'a Value {
    match node["$ref"]
        .as_str()
        .map(|reference| reference.split_once('#').unwrap())
    {
        None => node,
        Some(("", pointer)) => document.pointer(pointer).unwrap(),
        Some((_, pointer)) => meta.pointer(pointer).unwrap(),
    }
}
