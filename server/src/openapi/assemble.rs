//! A self-contained document, assembled from the document of a version and the shared one.

use k8s_flowcontrol_specs::{META, V1, V1BETA1, V1BETA2, V1BETA3};
use k8s_flowcontrol_types::{ApiVersion, Fact, Release};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

const SCHEMAS: &str = "#/components/schemas/";
/// The file name by which documents refer to the shared one.
const SHARED: &str = "meta.json";
/// The extensions about lists.
const LIST_TYPES: [&str; 2] = ["x-kubernetes-list-type", "x-kubernetes-list-map-keys"];
/// The schema of a field that the first releases lack.
const EXEMPT: &str = ".ExemptPriorityLevelConfiguration";
/// The only required field of these schemas, since [`Fact::OpenApiRequiresSpec`].
const REQUIRED_LATER: [(&str, &str); 5] = [
    ("FlowSchema", "spec"),
    ("FlowSchemaCondition", "type"),
    ("LimitedPriorityLevelConfiguration", "limitResponse"),
    ("PriorityLevelConfiguration", "spec"),
    ("PriorityLevelConfigurationCondition", "type"),
];
/// The first release with a field or parameter.
const INTRODUCED: &str = "x-kubernetes-introduced-in";

/// The document of `version`, as `release` publishes it: with the fields and parameters of the release, the shared
/// schemas included, and everything else inlined.
pub(super) fn assemble(version: ApiVersion, release: Release) -> Value {
    let text = match version {
        ApiVersion::V1 => V1,
        ApiVersion::V1Beta3 => V1BETA3,
        ApiVersion::V1Beta2 => V1BETA2,
        ApiVersion::V1Beta1 => V1BETA1,
    };
    // Both texts are valid JSON: a test assembles all documents.
    let [own, shared] = [text, META].map(|text| serde_json::from_str(text).unwrap_or_default());
    let mut assembly = Assembly {
        own,
        shared,
        release,
        schemas: BTreeMap::new(),
    };
    let paths = assembly.part("paths", From::Own);
    let security_schemes = assembly.part("components/securitySchemes", From::Own);
    // Also the schemas without a path.
    for name in assembly.names() {
        assembly.schema(&name, From::Own);
    }
    let mut info = assembly.part("info", From::Own);
    info["version"] = version_number(release).into();
    json!({
        "openapi": "3.0.0",
        "info": info,
        "paths": paths,
        "components": {"schemas": assembly.schemas, "securitySchemes": security_schemes},
    })
}

/// The version in the `info` of a document.
pub(super) fn version_number(release: Release) -> String {
    let minor = release.minor();
    match release.has(Fact::OpenApiShortVersion) {
        true => format!("1.{minor}"),
        false => format!("v1.{minor}.0"),
    }
}

/// The document of a value. References without a file name stay in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Own,
    Shared,
}

struct Assembly {
    own: Value,
    shared: Value,
    release: Release,
    /// The schemas that are used so far.
    schemas: BTreeMap<String, Value>,
}

impl Assembly {
    fn at(&self, path: &str, from: From) -> Option<&Value> {
        let document = match from {
            From::Own => &self.own,
            From::Shared => &self.shared,
        };
        path.split('/')
            .try_fold(document, |value, field| value.get(field))
    }

    fn names(&self) -> Vec<String> {
        let schemas = self.at("components/schemas", From::Own);
        let schemas = schemas.and_then(Value::as_object);
        let names = schemas.into_iter().flat_map(Map::keys);
        let has_exempt = self.release.has(Fact::ExemptField);
        let is_known = |name: &&String| has_exempt || !name.ends_with(EXEMPT);
        names.filter(is_known).cloned().collect()
    }

    /// The value at `path`, resolved.
    fn part(&mut self, path: &str, from: From) -> Value {
        let value = self.at(path, from).cloned().unwrap_or_default();
        self.resolve(value, from)
    }

    /// Adds a schema, once.
    fn schema(&mut self, name: &str, from: From) {
        if self.schemas.contains_key(name) {
            return;
        }
        // Inserted before it is resolved, because schemas may refer to themselves.
        self.schemas.insert(name.to_owned(), Value::Null);
        let schemas = self.at("components/schemas", from);
        let schema = schemas.and_then(|schemas| schemas.get(name)).cloned();
        let mut schema = self.resolve(schema.unwrap_or_default(), from);
        self.as_published(name, from, &mut schema);
        self.schemas.insert(name.to_owned(), schema);
    }

    /// Removes what the release does not say about a schema.
    fn as_published(&self, name: &str, from: From, schema: &mut Value) {
        let kind = name.rsplit('.').next().unwrap_or_default();
        if from == From::Shared && !self.release.has(Fact::OpenApiMetaListTypes) {
            let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
            for property in properties.into_iter().flat_map(Map::values_mut) {
                if let Some(property) = property.as_object_mut() {
                    property.retain(|name, _| !LIST_TYPES.contains(&name.as_str()));
                }
            }
        }
        if kind == "Status" && self.release.has(Fact::OpenApiStatusDetailsList) {
            schema["properties"]["details"][LIST_TYPES[0]] = "atomic".into();
        }
        if self.release.has(Fact::OpenApiRequiresSpec) {
            return;
        }
        for (_, field) in REQUIRED_LATER.iter().filter(|(owner, _)| *owner == kind) {
            if schema["required"] == json!([field])
                && let Some(schema) = schema.as_object_mut()
            {
                schema.remove("required");
            }
        }
    }

    fn resolve(&mut self, value: Value, from: From) -> Value {
        match value {
            Value::Object(fields) => self.object(fields, from),
            Value::Array(elements) => {
                let elements = elements.into_iter();
                let resolved = elements.map(|element| self.resolve(element, from));
                let resolved: Vec<_> = resolved.collect();
                resolved.into_iter().filter(|v| self.is_known(v)).collect()
            }
            value => value,
        }
    }

    fn object(&mut self, fields: Map<String, Value>, from: From) -> Value {
        if let Some(Value::String(reference)) = fields.get("$ref") {
            return self.reference(reference, from);
        }
        let mut object = Map::new();
        for (name, mut value) in fields {
            if name == "properties" {
                self.drop_unknown(&mut value);
            }
            object.insert(name, self.resolve(value, from));
        }
        Value::Object(object)
    }

    /// References to schemas stay, others are inlined.
    fn reference(&mut self, reference: &str, from: From) -> Value {
        let (from, path) = match reference.strip_prefix(SHARED) {
            Some(path) => (From::Shared, path),
            None => (from, reference),
        };
        match path.strip_prefix(SCHEMAS) {
            Some(name) => {
                self.schema(name, from);
                json!({"$ref": path})
            }
            None => self.part(path.trim_start_matches("#/"), from),
        }
    }

    fn drop_unknown(&self, properties: &mut Value) {
        if let Value::Object(properties) = properties {
            properties.retain(|_, property| self.is_known(property));
        }
    }

    /// Whether the release has the field or parameter.
    fn is_known(&self, value: &Value) -> bool {
        let first = value.get(INTRODUCED).and_then(Value::as_str);
        let minor = first.and_then(|first| first.strip_prefix("1.")?.parse().ok());
        minor.is_none_or(|minor: u32| minor <= self.release.minor())
    }
}
