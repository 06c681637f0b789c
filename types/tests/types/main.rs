//! Round trips through the types: recorded objects, unknown fields, malformed text, scalars.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod both_ways;
mod embedded;
mod equal;
mod facts;
mod floats;
mod formats;
mod hidden;
mod kinds;
mod managed_fields;
mod memory;
mod names;
mod order;
mod ownership;
mod partial;
mod raw_json;
mod scalars;
mod strict;
mod strings;

use equal::normalized;
use k8s_flowcontrol_types::api::v1::FlowSchema;
use k8s_flowcontrol_types::schema::{Shape, TypeSchema};
use k8s_flowcontrol_types::{List, json};
use kinds::{lists, records, round_trip, round_trip_list, schema_of};
use serde_json::Value;

/// An unknown field with values that a lossy parser would change.
const FUTURE: &str = r#"{"precise":1234567890123456789.01234567890123456789,"huge":1e400,"minus":-0.0,"same":1,"same":2,"text":"\u00e9\/","list":[null,{},[]]}"#;

#[test]
fn recorded_lists_come_back_equal() {
    for (name, version, kind, text) in lists() {
        let written = round_trip_list(version, kind, text).expect(name);
        let (read, wrote) = (tree(text), tree(&written));
        let item = schema_of(version, kind);
        assert_eq!(items(&read).len(), items(&wrote).len(), "{name}");
        for (before, after) in items(&read).iter().zip(items(&wrote)) {
            assert_eq!(normalized(before, item), normalized(after, item), "{name}");
        }
        assert_eq!(read["metadata"], wrote["metadata"], "{name}");
        assert_eq!(
            (&read["kind"], &read["apiVersion"]),
            (&wrote["kind"], &wrote["apiVersion"])
        );
        if !text.contains("null") && !text.contains("[]") {
            assert_eq!(
                written.trim_end(),
                text.trim_end(),
                "{name}: letter by letter"
            );
        }
    }
}

#[test]
fn at_least_one_recorded_list_is_compared_letter_by_letter() {
    assert!(
        lists()
            .iter()
            .any(|(.., text)| !text.contains("null") && !text.contains("[]"))
    );
}

#[test]
fn accepted_objects_come_back_equal() {
    for record in records(include_str!("../fixtures/types/accepted.jsonl")) {
        let text = record.object.to_string();
        let written = round_trip(&record.version, &record.kind, &text).expect(&text);
        let schema = schema_of(&record.version, &record.kind);
        let mut expected = record.object.clone();
        expected["apiVersion"] = serde_json::json!(format!(
            "{}/{}",
            k8s_flowcontrol_types::GROUP,
            record.version
        ));
        expected["kind"] = serde_json::json!(record.kind);
        assert_eq!(
            normalized(&expected, schema),
            normalized(&tree(&written), schema),
            "{text}"
        );
    }
}

#[test]
fn invalid_objects_still_decode() {
    for record in records(include_str!("../fixtures/types/refused.jsonl")) {
        let text = record.object.to_string();
        round_trip(&record.version, &record.kind, &text).expect(&text);
    }
}

#[test]
fn unknown_fields_at_every_depth_survive_with_their_numbers() {
    let mut planted = 0;
    for record in records(include_str!("../fixtures/types/accepted.jsonl")) {
        let schema = schema_of(&record.version, &record.kind);
        let mut object = record.object.clone();
        let count = plant(&mut object, schema);
        let text = object.to_string().replace("\"@future@\"", FUTURE);
        let written = round_trip(&record.version, &record.kind, &text).expect(&text);
        assert_eq!(written.matches(FUTURE).count(), count, "{text}\n{written}");
        let after = tree(&written.replace(FUTURE, "\"@future@\""));
        object["apiVersion"] = after["apiVersion"].clone();
        object["kind"] = after["kind"].clone();
        assert_eq!(
            normalized(&object, schema),
            normalized(&after, schema),
            "{text}"
        );
        planted += count;
    }
    assert!(planted > 200, "only {planted} unknown fields were planted");
}

#[test]
fn every_truncation_of_a_real_object_is_an_error() {
    for record in records(include_str!("../fixtures/types/accepted.jsonl")) {
        let text = record.object.to_string();
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            assert!(round_trip(&record.version, &record.kind, &text[..end]).is_err());
        }
    }
}

#[test]
fn an_invalid_item_is_an_item_of_its_own() {
    let text = r#"{"kind":"FlowSchemaList","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"resourceVersion":"7"},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b","namespace":"n"},"spec":{"matchingPrecedence":"high"}}]}"#;
    json::from_str::<List<FlowSchema>>(text).unwrap_err();
    let list = List::<FlowSchema>::from_slice_keeping_invalid(text.as_bytes()).unwrap();
    assert_eq!(list.items.len(), 1);
    let [invalid] = list.invalid.as_slice() else {
        panic!("{list:?}");
    };
    assert_eq!(
        invalid.to_string(),
        "n/b: spec.matchingPrecedence: invalid type: string \"high\", expected i32"
    );
    assert_eq!(invalid.metadata.name.as_deref(), Some("b"));
    assert_eq!(json::to_string(&list), text);
    // Text that is not JSON is an error of the list.
    let cut = &text.as_bytes()[..text.len() - 4];
    List::<FlowSchema>::from_slice_keeping_invalid(cut).unwrap_err();
}

#[test]
fn null_is_neither_a_list_nor_an_item() {
    List::<FlowSchema>::from_slice_keeping_invalid(b"null").unwrap_err();
    let text = br#"{"metadata":{"resourceVersion":"7"},"items":[null,{"metadata":{"name":"a"}}]}"#;
    let list = List::<FlowSchema>::from_slice_keeping_invalid(text).unwrap();
    assert_eq!((list.items.len(), list.invalid.len()), (1, 1), "{list:?}");
}

#[test]
fn a_million_random_bytes_are_errors_and_never_a_panic() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut bytes = vec![0u8; 1_000_000];
    for byte in &mut bytes {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *byte = (state >> 32) as u8;
    }
    // Random lengths; half of the texts begin like a real object.
    let mut rest = bytes.as_slice();
    let mut length = 1;
    while !rest.is_empty() {
        let (piece, tail) = rest.split_at(length.min(rest.len()));
        for start in ["", r#"{"spec":{"limited":"#] {
            let noise = [start.as_bytes(), piece].concat();
            let text = String::from_utf8_lossy(&noise);
            for version in ["v1", "v1beta2"] {
                let result = round_trip(version, "PriorityLevelConfiguration", &text);
                assert!(result.is_err(), "{text:?} was read as an object");
            }
        }
        rest = tail;
        length = length % 997 + 7;
    }
}

#[test]
fn an_empty_set_of_unknown_fields_costs_a_pointer() {
    assert_eq!(
        size_of::<k8s_flowcontrol_types::meta::Unknown>(),
        size_of::<usize>()
    );
}

#[test]
fn null_is_absent_where_it_is_no_value() {
    let text = r#"{"metadata":{"name":"a","labels":null,"finalizers":[null,"x"]},"spec":{"rules":[{"subjects":null,"nonResourceRules":[null]}],"matchingPrecedence":null,"distinguisherMethod":null},"status":null}"#;
    let mut schema: FlowSchema = json::from_str(text).unwrap();
    let written = r#"{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"a","finalizers":[null,"x"]},"spec":{"rules":[{"nonResourceRules":[null]}]}}"#;
    assert_eq!(
        normalized(
            &tree(&json::to_string(&schema)),
            schema_of("v1", "FlowSchema")
        ),
        normalized(&tree(written), schema_of("v1", "FlowSchema"))
    );
    assert!(!json::to_string(&schema).contains(":null"));
    assert!(json::to_string(&schema).contains(r#""finalizers":[null,"x"]"#));
    schema.metadata.finalizers.push("y".to_owned());
    assert!(json::to_string(&schema).contains(r#""finalizers":["","x","y"]"#));
}

#[test]
fn depth_needs_no_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!(r#"{{"spec":{{"limited":{{"fromTheFuture":{deep}}}}}}}"#);
    let written = round_trip("v1", "PriorityLevelConfiguration", &text).unwrap();
    assert!(written.contains(&deep));
    // Where a typed value is expected, a deep one has a wrong type.
    let wrong = format!(r#"{{"spec":{{"limited":{deep}}}}}"#);
    assert!(round_trip("v1", "PriorityLevelConfiguration", &wrong).is_err());
}

#[test]
fn another_kind_or_version_is_an_error() {
    for (text, expected) in [
        (
            r#"{"kind":"FlowSchema"}"#,
            "expected kind `PriorityLevelConfiguration`, found `FlowSchema`",
        ),
        (
            r#"{"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3"}"#,
            "expected apiVersion `flowcontrol.apiserver.k8s.io/v1`, found `flowcontrol.apiserver.k8s.io/v1beta3`",
        ),
    ] {
        let error = round_trip("v1", "PriorityLevelConfiguration", text).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
    for text in [r#"{"kind":"","apiVersion":null}"#, "{}"] {
        round_trip("v1", "PriorityLevelConfiguration", text).unwrap();
    }
}

fn tree(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn items(list: &Value) -> &[Value] {
    list["items"].as_array().unwrap()
}

/// Adds a placeholder field to every object in the schema and returns their number.
fn plant(value: &mut Value, schema: &TypeSchema) -> usize {
    let Value::Object(fields) = value else {
        return 0;
    };
    let mut count = 1;
    for (name, field) in fields.iter_mut() {
        match schema.field(name).map(|field| &field.shape) {
            Some(Shape::Object(inner)) => count += plant(field, inner),
            Some(Shape::List {
                element: Shape::Object(inner),
                ..
            }) => {
                for element in field.as_array_mut().into_iter().flatten() {
                    count += plant(element, inner);
                }
            }
            _ => {}
        }
    }
    fields.insert("fromTheFuture".to_owned(), serde_json::json!("@future@"));
    count
}
