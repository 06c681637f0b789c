//! Random objects of a schema.

use crate::lossless::schemas::Random;
use serde_json::Value;

/// The text of an object of `kind`.
pub(crate) fn object(definitions: &Value, kind: &str, seed: u64) -> String {
    let mut all = definitions["items"].as_array().unwrap().iter();
    let definition = all
        .find(|one| one["spec"]["names"]["kind"] == kind)
        .unwrap();
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let text = value(schema, &mut Random::new(seed));
    let comma = if text == "{}" { "" } else { "," };
    let rest = &text[1..];
    let metadata = r#"{"name":"a","labels":{},"managedFields":[],"finalizers":[null,"a"]}"#;
    format!(
        r#"{{"apiVersion":"random.example.com/v1","kind":"{kind}","metadata":{metadata}{comma}{rest}"#
    )
}

fn value(schema: &Value, random: &mut Random) -> String {
    if schema["nullable"] == true && random.one_in(3) {
        return "null".to_owned();
    }
    let pick = |random: &mut Random, texts: &[&str]| {
        texts[random.below(texts.len() as u64) as usize].to_owned()
    };
    if schema["x-kubernetes-int-or-string"] == true {
        return pick(
            random,
            &["0", "-1", "9007199254740993", "\"http\"", "\"\"", "\"50%\""],
        );
    }
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("byte")) => pick(
            random,
            &["\"\"", "\"AAEC/w==\"", "\"AAEC/w\"", "\"AA\\nEC\""],
        ),
        (Some("string"), Some(_)) => pick(
            random,
            &[
                "\"2026-11-21T06:23:00Z\"",
                "\"2026-11-21T07:23:00.5+01:00\"",
            ],
        ),
        (Some("string"), None) => pick(random, &["\"\"", "\"A\"", "\"other\"", "\"ü ☃ /\""]),
        (Some("integer"), Some(_)) => pick(random, &["0", "-2147483648", "2147483647"]),
        (Some("integer"), None) => pick(
            random,
            &["0", "1", "-9223372036854775808", "9223372036854775807"],
        ),
        (Some("number"), _) => pick(
            random,
            &["0", "0.0", "-0.0", "1.50", "1e3", "18446744073709551616"],
        ),
        (Some("boolean"), _) => pick(random, &["false", "true"]),
        (Some("array"), _) => {
            let elements = (0..random.below(3)).map(|_| element(&schema["items"], random));
            format!("[{}]", elements.collect::<Vec<_>>().join(","))
        }
        (Some("object"), _) if schema["properties"].is_object() => fields(schema, random),
        (Some("object"), _) if schema["additionalProperties"].is_object() => {
            let entries = (0..random.below(3)).map(|index| {
                format!(
                    "\"key{index}\":{}",
                    element(&schema["additionalProperties"], random)
                )
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        (Some("object"), _) => pick(random, &["{}", r#"{"a":null,"b":[],"c":{"d":0.0}}"#]),
        _ => pick(random, &["null", "[]", "{}", "0.0", "[null,{}]"]),
    }
}

/// An element of a list or a value of a map: sometimes `null` although the schema does not allow that, as in objects from
/// before a change of their schema.
fn element(schema: &Value, random: &mut Random) -> String {
    match random.one_in(8) {
        true => "null".to_owned(),
        false => value(schema, random),
    }
}

/// The fields in the order of the schema, of which some are left out, required ones too.
fn fields(schema: &Value, random: &mut Random) -> String {
    let mut fields = Vec::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        if !random.one_in(4) {
            fields.push(format!("{name:?}:{}", value(property, random)));
        }
    }
    if random.one_in(4) {
        fields.push(r#""fromTheFuture":[null,{},1.50]"#.to_owned());
    }
    format!("{{{}}}", fields.join(","))
}
