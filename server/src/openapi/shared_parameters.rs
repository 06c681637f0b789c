//! Parameters that a Swagger 2 document lists once, under `parameters`.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::{Map, Value, json};

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
