//! Random structural schemas, in CustomResourceDefinitions.

use serde_json::{Value, json};

/// The kinds that are defined.
pub(crate) const KINDS: [&str; 4] = ["Kind0", "Kind1", "Kind2", "Kind3"];

/// Random numbers by xorshift: the same for the same seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        // Zero would stay zero.
        Self(seed ^ 0x9e37_79b9_7f4a_7c15 | 1)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// The definitions of the kinds.
pub(crate) fn definitions() -> Value {
    let kinds = KINDS.iter().zip(1..).map(|(kind, seed)| {
        let schema = object(&mut Random::new(seed), 3);
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "spec": {
                "group": "random.example.com",
                "names": { "kind": kind, "plural": format!("{}s", kind.to_lowercase()) },
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1",
                    "served": true,
                    "storage": true,
                    "schema": { "openAPIV3Schema": schema }
                }]
            }
        })
    });
    json!({ "apiVersion": "v1", "kind": "List", "items": kinds.collect::<Vec<_>>() })
}

fn object(random: &mut Random, depth: u64) -> Value {
    let mut schema = json!({ "type": "object", "properties": {}, "required": [] });
    for index in 0..5 + random.below(6) {
        let name = format!(
            "{}{index}",
            ["x", "fooBar", "long_name", "URLs"][random.below(4) as usize]
        );
        schema["properties"][&name] = any(random, depth);
        if random.one_in(3) {
            schema["required"].as_array_mut().unwrap().push(name.into());
        }
    }
    schema
}

fn any(random: &mut Random, depth: u64) -> Value {
    let choices = if depth == 0 { 11 } else { 16 };
    let mut schema = match random.below(choices) {
        0 => json!({ "type": "string" }),
        1 => json!({ "type": "integer" }),
        2 => json!({ "type": "integer", "format": "int32" }),
        3 => json!({ "type": "number" }),
        4 => json!({ "type": "boolean" }),
        5 => json!({ "type": "string", "format": "date-time" }),
        6 => json!({ "x-kubernetes-int-or-string": true }),
        7 => json!({ "type": "string", "enum": ["A", "B"] }),
        8 => json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        9 => json!({ "x-kubernetes-preserve-unknown-fields": true, "nullable": true }),
        10 => json!({ "type": "string", "format": "byte" }),
        11 | 12 => json!({ "type": "array", "items": any(random, depth - 1) }),
        13 => json!({ "type": "object", "additionalProperties": any(random, depth - 1) }),
        _ => object(random, depth - 1),
    };
    if random.one_in(3) {
        schema["nullable"] = true.into();
    }
    schema
}
