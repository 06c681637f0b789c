//! Protocol Buffers of Swagger 2 documents, read without their schema's code.

use k8s_flowcontrol_text::{parse_yaml, to_value};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The messages of gnostic's `openapi.v2.Document`: number, name and type of each field. A message with the
/// name `.` stands for its only value, and a message with `*` is a map.
const MESSAGES: &str = "
Document: 1 swagger text, 2 info Info, 8 paths Paths, 9 definitions Schemas, 10 parameters Parameters
Document: 12 security Security[], 13 securityDefinitions Schemes, 16 * any
Info: 1 title text, 2 version text, 3 description text, 7 * any
Paths: 1 * any, 2 * Path
Path: 2 get Operation, 3 put Operation, 4 post Operation, 5 delete Operation, 8 patch Operation
Path: 9 parameters ParametersItem[], 10 * any
Operation: 1 tags text[], 2 summary text, 3 description text, 5 operationId text, 6 produces text[]
Operation: 7 consumes text[], 8 parameters ParametersItem[], 9 responses Responses, 10 schemes text[]
Operation: 11 deprecated switch, 13 * any
ParametersItem: 1 . Parameter, 2 . Reference
Parameters: 1 * Parameter
Parameter: 1 . Body, 2 . NonBody
NonBody: 3 . Query, 4 . InPath
Reference: 1 $ref text, 2 description text
Body: 1 description text, 2 name text, 3 in text, 4 required switch, 5 schema Schema, 6 * any
Query: 1 required switch, 2 in text, 3 description text, 4 name text, 6 type text, 7 format text
Query: 20 uniqueItems switch, 21 enum any[], 23 * any
InPath: 1 required switch, 2 in text, 3 description text, 4 name text, 5 type text, 6 format text
InPath: 19 uniqueItems switch, 20 enum any[], 22 * any
Responses: 1 * ResponseValue, 2 * any
ResponseValue: 1 . Response, 2 . Reference
Response: 1 description text, 2 schema SchemaItem, 5 * any
SchemaItem: 1 . Schema
Schemas: 1 * Schema
Schema: 1 $ref text, 2 format text, 3 title text, 4 description text, 7 maximum double, 9 minimum double
Schema: 11 maxLength number, 12 minLength number, 13 pattern text, 14 maxItems number, 15 minItems number
Schema: 16 uniqueItems switch, 19 required text[], 20 enum any[], 21 additionalProperties Additional
Schema: 22 type TypeItem, 23 items ItemsItem, 24 allOf Schema[], 25 properties Schemas, 31 * any
Additional: 1 . Schema, 2 . switch
TypeItem: 1 . text
ItemsItem: 1 . Schema
Security: 1 * Strings
Strings: 1 . text[]
Schemes: 1 * Scheme
Scheme: 2 . ApiKey
ApiKey: 1 type text, 2 name text, 3 in text, 4 description text, 5 * any
";

pub(crate) type Messages = BTreeMap<&'static str, BTreeMap<u64, (&'static str, &'static str)>>;

pub(crate) fn messages() -> Messages {
    let mut messages = Messages::new();
    for line in MESSAGES.lines().filter(|line| !line.is_empty()) {
        let (message, fields) = line.split_once(": ").unwrap();
        for field in fields.split(", ") {
            let [number, name, r#type] = field.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{field}");
            };
            let fields = messages.entry(message).or_default();
            fields.insert(number.parse().unwrap(), (name, r#type));
        }
    }
    messages
}

/// A field of a message: an integer, eight bytes, or bytes with their length.
enum Wire<'a> {
    Number(u64),
    Double(f64),
    Bytes(&'a [u8]),
}

/// A message as JSON.
pub(crate) fn decode(messages: &Messages, message: &str, mut bytes: &[u8]) -> Value {
    let fields = &messages[message];
    let mut decoded = match fields.get(&1) {
        Some((".", r#type)) if r#type.ends_with("[]") => json!([]),
        _ => json!({}),
    };
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let (number, length) = (key >> 3, key & 7);
        let wire = match length {
            0 => Wire::Number(varint(&mut bytes)),
            1 => Wire::Double(f64::from_le_bytes(take(&mut bytes, 8).try_into().unwrap())),
            2 => {
                let length = varint(&mut bytes);
                Wire::Bytes(take(&mut bytes, length as usize))
            }
            other => panic!("{message} {number}: {other}"),
        };
        let Some((name, r#type)) = fields.get(&number) else {
            panic!("{message} has no field {number}");
        };
        let element = r#type.strip_suffix("[]");
        let r#type = element.unwrap_or(r#type);
        if *name == "*" {
            let Wire::Bytes(entry) = wire else {
                panic!("{message} {number}")
            };
            let (name, value) = entry_of(messages, r#type, entry);
            decoded[name] = value;
            continue;
        }
        let value = value(messages, r#type, &wire);
        let place = match *name {
            "." => &mut decoded,
            name => &mut decoded[name],
        };
        match element {
            Some(_) => match place {
                Value::Array(elements) => elements.push(value),
                place => *place = json!([value]),
            },
            None => *place = value,
        }
    }
    decoded
}

/// The name and the value of an entry of a map.
fn entry_of(messages: &Messages, r#type: &str, mut entry: &[u8]) -> (String, Value) {
    let (mut name, mut decoded) = (String::new(), Value::Null);
    while !entry.is_empty() {
        let key = varint(&mut entry);
        let length = varint(&mut entry);
        let bytes = take(&mut entry, length as usize);
        match key {
            0x0a => name = String::from_utf8(bytes.to_vec()).unwrap(),
            0x12 => decoded = value(messages, r#type, &Wire::Bytes(bytes)),
            other => panic!("{other}"),
        }
    }
    (name, decoded)
}

fn value(messages: &Messages, r#type: &str, wire: &Wire<'_>) -> Value {
    match (r#type, wire) {
        ("text", Wire::Bytes(text)) => std::str::from_utf8(text).unwrap().into(),
        ("switch", Wire::Number(number)) => (*number == 1).into(),
        ("number", Wire::Number(number)) => (*number).into(),
        // JSON has the same number as an integer.
        ("double", Wire::Double(number)) if number.fract() == 0.0 => (*number as i64).into(),
        ("double", Wire::Double(number)) => (*number).into(),
        ("any", Wire::Bytes(any)) => {
            let mut any = *any;
            assert_eq!(varint(&mut any), 0x12);
            let length = varint(&mut any);
            assert_eq!(any.len() as u64, length);
            to_value(parse_yaml(any).unwrap().tree.root()).unwrap()
        }
        (message, Wire::Bytes(bytes)) => decode(messages, message, bytes),
        _ => panic!("{}", r#type),
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = bytes.split_at(length);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = take(bytes, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
