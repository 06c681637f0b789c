//! Bodies: valid objects and patches, and mutations of them.

use crate::random::generator::Generator;
use crate::random::requests::NAMES;
use serde_json::{Value, json};

const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const TYPES: &[&str] = &[
    "application/json",
    "application/json; charset=utf-8",
    "application/yaml",
    "",
];
const ODD_TYPES: &[&str] = &[
    "text/plain",
    "application/vnd.kubernetes.protobuf",
    "application/merge-patch+json",
];
const PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/json",
    "",
];

/// A media type and a body.
pub(crate) fn random(
    generator: &mut Generator,
    method: &str,
    path: &str,
) -> (&'static str, Vec<u8>) {
    let (content_type, value) = match method {
        "PATCH" => patch(generator, path),
        "DELETE" if generator.once_in(2) => return ("", Vec::new()),
        "DELETE" => ("application/json", delete_options(generator)),
        _ => {
            let types = if generator.once_in(12) {
                ODD_TYPES
            } else {
                TYPES
            };
            (generator.pick(types), object(generator, path))
        }
    };
    let mut value = value;
    if generator.once_in(4) {
        for _ in 0..=generator.below(3) {
            mutate(generator, &mut value);
        }
    }
    (
        content_type,
        damaged(generator, value.to_string().into_bytes()),
    )
}

fn object(generator: &mut Generator, path: &str) -> Value {
    let mut segments = path.split(['/', '?']).skip(3);
    let version = segments.next().filter(|_| !generator.once_in(15));
    let version = version.unwrap_or("v1beta2");
    let is_schema = path.contains("/flowschemas") != generator.once_in(20);
    let name = segments.nth(1).filter(|_| !generator.once_in(15));
    let mut metadata = json!({"name": name.unwrap_or(generator.pick(NAMES))});
    if generator.once_in(4) {
        metadata["labels"] = json!({"a": generator.pick(&["b", "1", "not a label"])});
    }
    if generator.once_in(6) {
        metadata["finalizers"] = json!(["example.com/hold"]);
    }
    if generator.once_in(8) {
        metadata["annotations"] = json!({"apf.kubernetes.io/autoupdate-spec": "true"});
    }
    if generator.once_in(8) {
        metadata["resourceVersion"] = generator.pick(&["", "0", "5", "abc"]).into();
    }
    let (kind, spec) = if is_schema {
        ("FlowSchema", flow_schema(generator))
    } else {
        ("PriorityLevelConfiguration", level(generator, version))
    };
    let mut object = json!({
        "apiVersion": format!("{GROUP}/{version}"),
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    });
    if generator.once_in(4) {
        // Then the version and the kind match the path.
        for field in ["apiVersion", "kind"] {
            object.as_object_mut().unwrap().remove(field);
        }
    }
    object
}

fn flow_schema(generator: &mut Generator) -> Value {
    json!({
        "priorityLevelConfiguration": {"name": generator.pick(NAMES)},
        "matchingPrecedence": generator.below(10_100),
        "distinguisherMethod": {"type": generator.pick(&["ByUser", "ByUser", "ByNamespace", "ByUser", "ByMood"])},
        "rules": [{
            "subjects": [{"kind": "User", "user": {"name": "jo"}}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/x/*"]}],
        }],
    })
}

fn level(generator: &mut Generator, version: &str) -> Value {
    let shares = match version {
        "v1beta1" | "v1beta2" => "assuredConcurrencyShares",
        _ => "nominalConcurrencyShares",
    };
    json!({"type": "Limited", "limited": {
        shares: generator.below(50),
        "limitResponse": {"type": "Queue", "queuing": {"queues": 8 + generator.below(70)}},
    }})
}

fn patch(generator: &mut Generator, path: &str) -> (&'static str, Value) {
    let content_type = generator.pick(PATCHES);
    let value = match content_type {
        "application/json-patch+json" => json!([{
            "op": generator.pick(&["add", "replace", "remove", "test", "move", "copy", "frob"]),
            "path": generator.pick(&["/metadata/labels", "/metadata/labels/a", "/spec", "", "/metadata/finalizers/-", "/a~2"]),
            "from": generator.pick(&["/metadata/name", "/metadata/labels", "/nothing"]),
            "value": generator.pick(&["b", "c"]),
        }]),
        "application/apply-patch+yaml" => object(generator, path),
        _ => json!({
            "metadata": {
                "labels": {"a": generator.pick(&["x", "y"]), "$patch": generator.pick(&["merge", "delete", "frob"])},
                "finalizers": null,
            },
            "status": {"conditions": [{"type": generator.pick(&["A", "B", ""]), "status": "True"}]},
        }),
    };
    (content_type, value)
}

fn delete_options(generator: &mut Generator) -> Value {
    json!({
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": generator.pick(&["Background", "Foreground", "Orphan", "Sideways"]),
        "preconditions": {"resourceVersion": generator.pick(&["", "1", "x"])},
    })
}

/// Replaces a random part with another value.
fn mutate(generator: &mut Generator, value: &mut Value) {
    let inner = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let at = generator.below(fields.len());
            fields.values_mut().nth(at)
        }
        Value::Array(elements) if !elements.is_empty() => {
            let at = generator.below(elements.len());
            elements.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) if !generator.once_in(4) => mutate(generator, inner),
        _ => *value = anything(generator),
    }
}

fn anything(generator: &mut Generator) -> Value {
    match generator.below(11) {
        0 => Value::Null,
        1 => true.into(),
        2 => json!(-1),
        3 => json!(1.5e300),
        4 => json!(u64::MAX),
        5 => "".into(),
        6 => "\u{0}\u{7f}\u{fffd}\u{1f600}/..".into(),
        7 => json!([null, [], {}]),
        8 => json!({"": {"$ref": null}, "unknown": [1]}),
        9 => "x".repeat(10_000).into(),
        _ => (0..200).fold(Value::Null, |inner, _| json!([inner])),
    }
}

/// A damaged text.
fn damaged(generator: &mut Generator, mut text: Vec<u8>) -> Vec<u8> {
    match generator.below(40) {
        0 => text.truncate(generator.below(text.len() + 1)),
        1 => {
            let at = generator.below(text.len() + 1);
            text.splice(at..at, generator.bytes(3));
        }
        2 => {
            let count = generator.below(300);
            text = generator.bytes(count);
        }
        3 => {
            text = generator
                .pick(&["[", "{\"a\":", "- ", "&a [*a, "])
                .repeat(20_000)
                .into_bytes()
        }
        4 => text.extend(b"\n---\ngarbage: ["),
        5 => text = Vec::new(),
        6 if generator.once_in(10) => text = vec![b' '; 3 * 1024 * 1024 + 1],
        7 => text = b"a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]".to_vec(),
        _ => {}
    }
    text
}
