//! The Swagger 2 document of a server, made from its OpenAPI 3 documents.

use super::assemble::version_number;
use super::published::published;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use k8s_flowcontrol_types::{ApiVersion, Fact, Release};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::mem;

/// The fields of a schema that Swagger 2 has and servers publish. Servers publish no defaults there.
const OF_SCHEMAS: &str = "\
    $ref additionalProperties allOf description enum exclusiveMaximum exclusiveMinimum format items maxItems \
    maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf pattern properties \
    readOnly required title type uniqueItems";

/// The fields that a parameter has from its schema.
const OF_PARAMETERS: &[&str] = &["enum", "format", "items", "type", "uniqueItems"];

/// One document for all `versions`, as `release` publishes them.
pub(super) fn swagger(versions: &[ApiVersion], release: Release) -> Value {
    let (mut paths, mut definitions) = (Map::new(), Map::new());
    for &version in versions {
        let mut document = published(version, release);
        let of_version = take_fields(&mut document["paths"]);
        paths.extend(of_version.map(|(path, item)| (path, path_item(item))));
        let of_version = take_fields(&mut document["components"]["schemas"]);
        definitions.extend(of_version.map(|(name, value)| (name, schema(value))));
    }
    let mut document = json!({
        "swagger": "2.0",
        "info": {"title": "Kubernetes", "version": version_number(release)},
        "paths": paths,
        "definitions": definitions,
        "securityDefinitions": {
            "BearerToken": {
                "description": "The header `Authorization: Bearer TOKEN`.",
                "type": "apiKey",
                "name": "authorization",
                "in": "header",
            },
        },
        "security": [{"BearerToken": []}],
    });
    if release.has(Fact::OpenApiSharesParameters) {
        share_parameters(&mut document);
    }
    document
}

fn path_item(mut item: Value) -> Value {
    let fields = take_fields(&mut item);
    let converted = fields.map(|(name, value)| match name.as_str() {
        "parameters" => (name, parameters(value, None)),
        _ => (name, operation(value)),
    });
    converted.collect::<Map<_, _>>().into()
}

fn operation(mut operation: Value) -> Value {
    let body = Some(operation["requestBody"].take()).filter(|body| !body.is_null());
    let consumes = body.as_ref().map(|body| media_types(&body["content"]));
    let (mut produces, mut responses) = (Vec::new(), Map::new());
    for (code, mut response) in take_fields(&mut operation["responses"]) {
        for media_type in media_types(&response["content"]) {
            if !produces.contains(&media_type) {
                produces.push(media_type);
            }
        }
        let mut converted = json!({"description": response["description"].take()});
        if let Some(schema) = first_schema(&mut response["content"]) {
            converted["schema"] = schema;
        }
        responses.insert(code, converted);
    }
    operation["parameters"] = parameters(operation["parameters"].take(), body);
    operation["consumes"] = consumes.unwrap_or_else(|| vec!["*/*".to_owned()]).into();
    operation["produces"] = produces.into();
    operation["responses"] = responses.into();
    operation["schemes"] = json!(["https"]);
    let has_content = |_: &String, value: &mut Value| !value.is_null() && *value != json!([]);
    if let Value::Object(fields) = &mut operation {
        fields.retain(has_content);
    }
    operation
}

/// The parameters in the order of their names, among them the body.
fn parameters(mut parameters: Value, body: Option<Value>) -> Value {
    let list = parameters.as_array_mut().map(mem::take);
    let list = list.unwrap_or_default().into_iter().map(parameter);
    let mut list: Vec<_> = list.chain(body.map(body_parameter)).collect();
    list.sort_unstable_by_key(|parameter| parameter["name"].as_str().map(str::to_owned));
    list.into()
}

/// A parameter; the fields of its schema become its own.
fn parameter(mut parameter: Value) -> Value {
    for (name, value) in take_fields(&mut parameter["schema"]) {
        if OF_PARAMETERS.contains(&name.as_str()) {
            parameter[name] = value;
        }
    }
    without(parameter, "schema")
}

fn body_parameter(mut body: Value) -> Value {
    body["schema"] = first_schema(&mut body["content"]).unwrap_or_default();
    body["in"] = "body".into();
    body["name"] = "body".into();
    without(body, "content")
}

fn media_types(content: &Value) -> Vec<String> {
    let content = content.as_object().into_iter().flatten();
    let names: BTreeSet<_> = content.map(|(media_type, _)| media_type.clone()).collect();
    names.into_iter().collect()
}

/// The schema of a body, which is the same for all its media types.
fn first_schema(content: &mut Value) -> Option<Value> {
    let (_, mut body) = take_fields(content).next()?;
    Some(schema(body["schema"].take()))
}

fn schema(mut value: Value) -> Value {
    let mut converted = Map::new();
    for (name, value) in take_fields(&mut value) {
        let value = match name.as_str() {
            extension if extension.starts_with("x-") => value,
            other if !OF_SCHEMAS.split(' ').any(|known| known == other) => continue,
            "$ref" => reference(&value),
            "properties" => {
                let mut properties = value;
                let properties = take_fields(&mut properties);
                let properties = properties.map(|(name, value)| (name, schema(value)));
                properties.collect::<Map<_, _>>().into()
            }
            "items" | "additionalProperties" if value.is_object() => schema(value),
            // OpenAPI 3.0 allows no fields beside a reference, Swagger 2 does.
            "allOf" => {
                let mut all = value;
                let all = all.as_array_mut().map(mem::take).unwrap_or_default();
                match <[Value; 1]>::try_from(all) {
                    Ok([mut only]) if only["$ref"].is_string() => {
                        let reference = reference(&only["$ref"].take());
                        converted.insert("$ref".to_owned(), reference);
                        continue;
                    }
                    Ok(only) => only.into_iter().map(schema).collect(),
                    Err(all) => all.into_iter().map(schema).collect(),
                }
            }
            _ => value,
        };
        converted.insert(name, value);
    }
    converted.into()
}

fn reference(reference: &Value) -> Value {
    let reference = reference.as_str().unwrap_or_default();
    reference
        .replace("#/components/schemas/", "#/definitions/")
        .into()
}

fn without(mut value: Value, field: &str) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.remove(field);
    }
    value
}

fn take_fields(value: &mut Value) -> impl Iterator<Item = (String, Value)> + use<> {
    let fields = value.as_object_mut().map(mem::take);
    fields.unwrap_or_default().into_iter()
}

/// The package of the schemas of shared bodies.
const COMMON: &str = "#/definitions/io.k8s.apimachinery";

/// Replaces the parameters of all operations that are not about one kind by references.
pub(super) fn share_parameters(document: &mut Value) {
    let mut shared = Map::new();
    let paths = document["paths"].as_object_mut().into_iter().flatten();
    for (_, item) in paths {
        let fields = item.as_object_mut().into_iter().flatten();
        for (name, value) in fields {
            let list = match name.as_str() {
                "parameters" => Some(value),
                _ => value.get_mut("parameters"),
            };
            let list = list.and_then(Value::as_array_mut);
            for parameter in list.into_iter().flatten() {
                if is_shared(parameter) {
                    let name = unique_name(parameter);
                    let reference = json!({"$ref": format!("#/parameters/{name}")});
                    shared.insert(name, std::mem::replace(parameter, reference));
                }
            }
        }
    }
    document["parameters"] = shared.into();
}

/// Whether a real server shares the parameter. Old releases of `kubectl` look for `dryRun` and `fieldValidation` in
/// the operation itself.
fn is_shared(parameter: &Value) -> bool {
    let text = |name: &str| parameter[name].as_str().unwrap_or_default();
    match (text("in"), text("name")) {
        ("query" | "path", "name") | ("query", "dryRun" | "fieldValidation") => false,
        ("body", _) => parameter["schema"]["$ref"]
            .as_str()
            .is_some_and(|schema| schema.starts_with(COMMON)),
        _ => true,
    }
}

/// The name, with a hash of the whole parameter.
fn unique_name(parameter: &Value) -> String {
    let name = parameter["name"].as_str().unwrap_or_default();
    let hash = fnv(parameter.to_string().as_bytes()).to_be_bytes();
    format!("{name}-{}", URL_SAFE.encode(&hash[..6]))
}

/// The hash FNV-1 of 64 bits.
fn fnv(text: &[u8]) -> u64 {
    text.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte)
    })
}
