//! The form in which servers publish a document: without the facts that only the project's documents state, and with
//! the facts that Go's types imply.

use super::assemble::assemble;
use super::groups::registered;
use k8s_flowcontrol_types::{ApiVersion, Fact, GROUP, Release};
use serde_json::{Value, json};

/// The keywords that Go's types do not express.
const NOT_EXPRESSED: [&str; 7] = [
    "enum",
    "maximum",
    "minimum",
    "title",
    "x-go-always-emitted",
    "x-go-type",
    "x-kubernetes-introduced-in",
];
/// The media types of bodies, which servers publish as one.
const BODIES: [&str; 3] = [
    "application/json",
    "application/vnd.kubernetes.protobuf",
    "application/yaml",
];
/// The schemas that every group registers.
const OF_EVERY_GROUP: [&str; 2] = ["DeleteOptions", "WatchEvent"];

/// The document of `version` as `release` publishes it.
pub(super) fn published(version: ApiVersion, release: Release) -> Value {
    let mut document = assemble(version, release);
    document["info"] = json!({"title": "Kubernetes", "version": document["info"]["version"]});
    document["components"]["securitySchemes"] = json!({"BearerToken": {
        "type": "apiKey",
        "description": "The header `Authorization: Bearer TOKEN`.",
        "name": "authorization",
        "in": "header",
    }});
    for (name, schema) in fields(&mut document["components"]["schemas"]) {
        let kind = name.rsplit('.').next().unwrap_or_default();
        if OF_EVERY_GROUP.contains(&kind) {
            schema["x-kubernetes-group-version-kind"] = kinds_of(kind, version, release);
        } else if kind == "Status" && release.has(Fact::OpenApiStatusOfResourceGroup) {
            let of_resources =
                json!({"group": "resource.k8s.io", "kind": "Status", "version": "v1alpha2"});
            if let Some(kinds) = schema["x-kubernetes-group-version-kind"].as_array_mut() {
                kinds.push(of_resources);
            }
        }
        publish_schema(schema, release);
    }
    for (path, item) in fields(&mut document["paths"]) {
        let list = list_of(item);
        publish_parameters(item);
        for (_, operation) in fields(item).filter(|(_, operation)| operation.is_object()) {
            publish_operation(operation, path, list.as_ref(), release);
        }
    }
    document
}

fn fields(value: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    value.as_object_mut().into_iter().flatten()
}

/// `x-kubernetes-group-version-kind` of a kind of every group.
fn kinds_of(kind: &str, version: ApiVersion, release: Release) -> Value {
    let kind_in =
        |(group, version): (&str, &str)| json!({"group": group, "kind": kind, "version": version});
    match release.has(Fact::OpenApiNamesEveryGroup) {
        true => registered(release).map(kind_in).collect(),
        false => [("", "v1"), (GROUP, version.as_str())].map(kind_in).into(),
    }
}

fn publish_schema(schema: &mut Value, release: Release) {
    if let Some(properties) = schema.get_mut("properties") {
        fields(properties).for_each(|(_, property)| publish_property(property, release));
        let known: Vec<String> = fields(properties).map(|(name, _)| name.clone()).collect();
        for union in schema
            .get_mut("x-kubernetes-unions")
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            if let Some(fields) = union["fields-to-discriminateBy"].as_object_mut() {
                fields.retain(|name, _| known.contains(name));
            }
        }
    }
    strip(schema);
}

/// Replaces the default that a server applies by the zero value that Go writes, if it writes one.
fn publish_property(property: &mut Value, release: Release) {
    let is_written = property["x-go-always-emitted"] == true;
    let is_pointer = property["x-go-type"]
        .as_str()
        .is_some_and(|name| name.starts_with('*'));
    let is_written = match is_special(property) {
        true => !release.has(Fact::OpenApiRequiredBodies),
        false => is_written,
    };
    let default = zero(property).filter(|_| is_written && !is_pointer);
    set_default(property, default);
    let has_defaults = release.has(Fact::OpenApiElementDefaults);
    for inner in ["items", "additionalProperties"] {
        let Some(element) = property.get_mut(inner) else {
            continue;
        };
        if has_defaults {
            // A reference stands alone, unless it is the only part of `allOf`.
            if element.get("$ref").is_some() {
                *element = json!({"allOf": [element]});
            }
            let default = zero(element);
            set_default(element, default);
        }
    }
}

/// Whether the property refers to a type that describes its own schema.
fn is_special(property: &Value) -> bool {
    let reference = property["allOf"][0]["$ref"].as_str().unwrap_or_default();
    reference.ends_with(".Time") || reference.ends_with(".RawExtension")
}

fn set_default(property: &mut Value, default: Option<Value>) {
    let Some(property) = property.as_object_mut() else {
        return;
    };
    match default {
        Some(default) => property.insert("default".to_owned(), default),
        None => property.remove("default"),
    };
}

fn zero(property: &Value) -> Option<Value> {
    Some(match property["type"].as_str() {
        Some("string") => "".into(),
        Some("integer" | "number") => 0.into(),
        Some("boolean") => false.into(),
        Some(_) => return None,
        None => json!({}),
    })
}

/// Removes the keywords that are not published, at every depth but that of names.
fn strip(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, _| !NOT_EXPRESSED.contains(&name.as_str()));
            for (name, value) in object {
                match name.as_str() {
                    "properties" => fields(value).for_each(|(_, property)| strip(property)),
                    _ => strip(value),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The schema of a list at a path, if it is listed.
fn list_of(item: &Value) -> Option<Value> {
    let content = &item["get"]["responses"]["200"]["content"];
    let is_list = item["get"]["x-kubernetes-action"] == "list";
    is_list.then(|| content["application/json"]["schema"].clone())
}

fn publish_operation(operation: &mut Value, path: &str, list: Option<&Value>, release: Release) {
    publish_parameters(operation);
    let Some(object) = operation.as_object_mut() else {
        return;
    };
    // Servers publish it only as a part of the description, by which generators recognize it.
    if object.remove("deprecated").is_some()
        && let Some(Value::String(description)) = object.get_mut("description")
    {
        description.push_str(" deprecated: use the 'watch' parameter of the list.");
    }
    if let Some(body) = object.get_mut("requestBody").and_then(Value::as_object_mut) {
        if !release.has(Fact::OpenApiRequiredBodies) {
            body.remove("required");
        }
        if let Some(content) = body.get_mut("content").and_then(Value::as_object_mut)
            && let Some(schema) = content.get(BODIES[0]).cloned()
        {
            content.retain(|media_type, _| !BODIES.contains(&media_type.as_str()));
            content.insert("*/*".to_owned(), schema);
        }
    }
    let Some(responses) = object.get_mut("responses") else {
        return;
    };
    for (_, response) in fields(responses) {
        let Some(content) = response.get_mut("content").and_then(Value::as_object_mut) else {
            continue;
        };
        if path.contains("/watch/")
            && let Some(schema) = content.get(BODIES[0]).cloned()
        {
            content.insert(BODIES[2].to_owned(), schema);
        }
        if let Some(list) = list {
            // Servers publish the schema of the list also for its watches.
            for (media_type, schema) in content {
                if media_type.ends_with(";stream=watch") {
                    schema["schema"] = list.clone();
                }
            }
        }
    }
}

/// Sorts the parameters of a path or operation by name, and reduces their schemas to a type.
fn publish_parameters(owner: &mut Value) {
    let Some(parameters) = owner.get_mut("parameters").and_then(Value::as_array_mut) else {
        return;
    };
    for parameter in parameters.iter_mut() {
        let schema = json!({"type": parameter["schema"]["type"], "uniqueItems": true});
        parameter["schema"] = schema;
        strip(parameter);
    }
    parameters.sort_unstable_by_key(|parameter| parameter["name"].as_str().map(str::to_owned));
}
