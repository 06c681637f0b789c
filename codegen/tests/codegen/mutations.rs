//! The generator turns every mutation of a document into Rust or an error, and never panics.
//!
//! `MUTATIONS=100000 cargo test --release -p k8s-flowcontrol-codegen --test codegen mutations` tries more.

#![allow(clippy::unwrap_used)]

use k8s_flowcontrol_codegen::Generator;
use k8s_flowcontrol_specs::{META, V1BETA1};
use serde_json::{Value, json};

const SCHEMA: &str = include_str!("../fixtures/paint-v1.json");

/// A small generator of numbers, the same in every run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }
}

/// The number of rounds; a quick run has a third of the default.
fn rounds(default: usize) -> usize {
    let default = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => default,
        None => default / 3,
    };
    std::env::var("MUTATIONS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// Generates with all that can be asked for; only a panic fails.
fn survive(text: &str, neighbour: &str) {
    let generator = Generator::new().neighbour("meta.json", neighbour);
    if let Ok(generator) = generator.document("mutated.json", text) {
        let _ = generator.operations();
        if let Err(error) = generator.generate() {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn truncations() {
    let mut random = Random(0x5eed);
    for _ in 0..rounds(300) {
        let mut end = random.below(V1BETA1.len());
        while !V1BETA1.is_char_boundary(end) {
            end -= 1;
        }
        survive(&V1BETA1[..end], META);
    }
}

#[test]
fn flipped_bytes() {
    let mut random = Random(0xb17e5);
    for _ in 0..rounds(150) {
        let mut bytes = SCHEMA.as_bytes().to_vec();
        for _ in 0..=random.below(3) {
            let index = random.below(bytes.len());
            bytes[index] = b"\"{}[],:a0 \\$#/"[random.below(14)];
        }
        survive(&String::from_utf8_lossy(&bytes), META);
    }
}

#[test]
fn changed_values() {
    let mut random = Random(0xc0de);
    for round in 0..rounds(240) {
        let text = if round % 2 == 0 { SCHEMA } else { V1BETA1 };
        let mut document: Value = serde_json::from_str(text).unwrap();
        for _ in 0..=random.below(4) {
            mutate(&mut document, &mut random);
        }
        survive(&document.to_string(), META);
        if round % 24 == 1 {
            let mut neighbour: Value = serde_json::from_str(META).unwrap();
            mutate(&mut neighbour, &mut random);
            survive(text, &neighbour.to_string());
        }
    }
}

/// Walks to a random place and changes what is there.
fn mutate(value: &mut Value, random: &mut Random) {
    let go_on = random.below(6) > 0;
    match value {
        Value::Object(fields) if go_on && !fields.is_empty() => {
            let name = fields
                .keys()
                .nth(random.below(fields.len()))
                .unwrap()
                .clone();
            match random.below(40) {
                0 => drop(fields.remove(&name)),
                1 => {
                    let moved = fields.remove(&name).unwrap();
                    fields.insert(word(random), moved);
                }
                _ => mutate(fields.get_mut(&name).unwrap(), random),
            }
        }
        Value::Array(elements) if go_on && !elements.is_empty() => {
            let index = random.below(elements.len());
            mutate(&mut elements[index], random);
        }
        _ => *value = replacement(random),
    }
}

fn replacement(random: &mut Random) -> Value {
    match random.below(12) {
        0 => Value::Null,
        1 => json!(random.below(1000)),
        2 => json!([]),
        3 => json!({}),
        4 => json!(random.below(2) == 0),
        5 => json!([word(random), word(random)]),
        6 => json!({ "$ref": word(random) }),
        7 => {
            json!({ "type": "object", "properties": { word(random): { "enum": [word(random), word(random)] } } })
        }
        8 => json!({ "type": "array", "items": { "$ref": word(random) } }),
        9 => {
            json!({ "title": word(random), "type": "object", "properties": { word(random): {}, word(random): {} } })
        }
        _ => json!(word(random)),
    }
}

/// Words that mean something somewhere, and words that are hard to make names of.
fn word(random: &mut Random) -> String {
    const WORDS: [&str; 40] = [
        "",
        "*",
        "-",
        "_",
        "__",
        "/",
        "~",
        "%",
        "#",
        "a.b",
        ".",
        "..",
        "1",
        "Self",
        "self",
        "type",
        "unknown",
        "Unknown",
        "Option",
        "String",
        "Vec",
        "Result",
        "ü",
        "名前",
        "🦀",
        "\r\n\"\\",
        "FooBar",
        "fooBar",
        "URLs",
        "$ref",
        "#/definitions/a",
        "#/components/schemas/io.k8s.api.flowcontrol.v1beta1.Subject",
        "#/components/schemas/io.k8s.api.flowcontrol.v1beta1.FlowSchema",
        "meta.json#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
        "object",
        "array",
        "string",
        "integer",
        "merge",
        "null",
    ];
    WORDS[random.below(WORDS.len())].to_owned()
}
