//! Constraints as the text of JSON in ASCII, so that no letter of a document has a meaning in Rust.

use crate::json::Json;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One definition a line. Kinds are resources: their rules can use `apiVersion`, `kind` and the name.
pub(super) fn of_definitions(definitions: &BTreeMap<String, Json>, kinds: &[&str]) -> String {
    let mut text = String::from("{\n");
    for (index, (name, schema)) in definitions.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { ",\n" });
        string(name, &mut text);
        text.push_str(": ");
        match schema {
            Json::Object(fields) if kinds.contains(&name.as_str()) => {
                let word = "x-kubernetes-embedded-resource";
                let flag = (word.to_owned(), Json::Bool(true));
                let others = fields.iter().filter(|(name, _)| name != word);
                object(others.chain([&flag]), &mut text);
            }
            schema => value(schema, &mut text),
        }
    }
    text.push_str("\n}");
    text
}

fn value(json: &Json, text: &mut String) {
    match json {
        Json::Null => text.push_str("null"),
        Json::Bool(flag) => text.push_str(if *flag { "true" } else { "false" }),
        Json::Number(number) => text.push_str(number),
        Json::String(content) => string(content, text),
        Json::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                text.push_str(if index == 0 { "" } else { "," });
                value(element, text);
            }
            text.push(']');
        }
        Json::Object(fields) => object(fields.iter(), text),
    }
}

fn object<'a>(fields: impl Iterator<Item = &'a (String, Json)>, text: &mut String) {
    text.push('{');
    for (index, (name, field)) in fields.enumerate() {
        text.push_str(if index == 0 { "" } else { "," });
        string(name, text);
        text.push(':');
        value(field, text);
    }
    text.push('}');
}

fn string(content: &str, text: &mut String) {
    text.push('"');
    for unit in content.encode_utf16() {
        match char::from_u32(unit.into()) {
            Some(letter @ ('"' | '\\')) => text.extend(['\\', letter]),
            Some(letter @ ' '..='~') => text.push(letter),
            // Writing into a string cannot fail.
            _ => drop(write!(text, "\\u{unit:04x}")),
        }
    }
    text.push('"');
}
