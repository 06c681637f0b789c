//! Bodies: valid objects and patches, and mutations of them.

use crate::generator::Dice;
use crate::requests::NAMES;
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
pub(crate) fn random(dice: &mut Dice, method: &str, path: &str) -> (&'static str, Vec<u8>) {
    let (content_type, value) = match method {
        "PATCH" => patch(dice, path),
        "DELETE" if dice.once_in(2) => return ("", Vec::new()),
        "DELETE" => ("application/json", delete_options(dice)),
        _ => {
            let types = if dice.once_in(12) { ODD_TYPES } else { TYPES };
            (dice.pick(types), object(dice, path))
        }
    };
    let mut value = value;
    if dice.once_in(4) {
        for _ in 0..=dice.below(3) {
            mutate(dice, &mut value);
        }
    }
    (content_type, damaged(dice, value.to_string().into_bytes()))
}

fn object(dice: &mut Dice, path: &str) -> Value {
    let mut segments = path.split(['/', '?']).skip(3);
    let version = segments.next().filter(|_| !dice.once_in(15));
    let version = version.unwrap_or("v1beta2");
    let is_schema = path.contains("/flowschemas") != dice.once_in(20);
    let name = segments.nth(1).filter(|_| !dice.once_in(15));
    let mut metadata = json!({"name": name.unwrap_or(dice.pick(NAMES))});
    if dice.once_in(4) {
        metadata["labels"] = json!({"a": dice.pick(&["b", "1", "not a label"])});
    }
    if dice.once_in(6) {
        metadata["finalizers"] = json!(["example.com/hold"]);
    }
    if dice.once_in(8) {
        metadata["annotations"] = json!({"apf.kubernetes.io/autoupdate-spec": "true"});
    }
    if dice.once_in(8) {
        metadata["resourceVersion"] = dice.pick(&["", "0", "5", "abc"]).into();
    }
    let (kind, spec) = if is_schema {
        ("FlowSchema", flow_schema(dice))
    } else {
        ("PriorityLevelConfiguration", level(dice, version))
    };
    let mut object = json!({
        "apiVersion": format!("{GROUP}/{version}"),
        "kind": kind,
        "metadata": metadata,
        "spec": spec,
    });
    if dice.once_in(4) {
        // Then the version and the kind match the path.
        for field in ["apiVersion", "kind"] {
            object.as_object_mut().unwrap().remove(field);
        }
    }
    object
}

fn flow_schema(dice: &mut Dice) -> Value {
    json!({
        "priorityLevelConfiguration": {"name": dice.pick(NAMES)},
        "matchingPrecedence": dice.below(10_100),
        "distinguisherMethod": {"type": dice.pick(&["ByUser", "ByUser", "ByNamespace", "ByUser", "ByMood"])},
        "rules": [{
            "subjects": [{"kind": "User", "user": {"name": "jo"}}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["/x/*"]}],
        }],
    })
}

fn level(dice: &mut Dice, version: &str) -> Value {
    let shares = match version {
        "v1beta1" | "v1beta2" => "assuredConcurrencyShares",
        _ => "nominalConcurrencyShares",
    };
    json!({"type": "Limited", "limited": {
        shares: dice.below(50),
        "limitResponse": {"type": "Queue", "queuing": {"queues": 8 + dice.below(70)}},
    }})
}

fn patch(dice: &mut Dice, path: &str) -> (&'static str, Value) {
    let content_type = dice.pick(PATCHES);
    let value = match content_type {
        "application/json-patch+json" => json!([{
            "op": dice.pick(&["add", "replace", "remove", "test", "move", "copy", "frob"]),
            "path": dice.pick(&["/metadata/labels", "/metadata/labels/a", "/spec", "", "/metadata/finalizers/-", "/a~2"]),
            "from": dice.pick(&["/metadata/name", "/metadata/labels", "/nothing"]),
            "value": dice.pick(&["b", "c"]),
        }]),
        "application/apply-patch+yaml" => object(dice, path),
        _ => json!({
            "metadata": {
                "labels": {"a": dice.pick(&["x", "y"]), "$patch": dice.pick(&["merge", "delete", "frob"])},
                "finalizers": null,
            },
            "status": {"conditions": [{"type": dice.pick(&["A", "B", ""]), "status": "True"}]},
        }),
    };
    (content_type, value)
}

fn delete_options(dice: &mut Dice) -> Value {
    json!({
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "propagationPolicy": dice.pick(&["Background", "Foreground", "Orphan", "Sideways"]),
        "preconditions": {"resourceVersion": dice.pick(&["", "1", "x"])},
    })
}

/// Replaces a random part with another value.
fn mutate(dice: &mut Dice, value: &mut Value) {
    let inner = match value {
        Value::Object(fields) if !fields.is_empty() => {
            let at = dice.below(fields.len());
            fields.values_mut().nth(at)
        }
        Value::Array(elements) if !elements.is_empty() => {
            let at = dice.below(elements.len());
            elements.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) if !dice.once_in(4) => mutate(dice, inner),
        _ => *value = anything(dice),
    }
}

fn anything(dice: &mut Dice) -> Value {
    match dice.below(11) {
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
fn damaged(dice: &mut Dice, mut text: Vec<u8>) -> Vec<u8> {
    match dice.below(40) {
        0 => text.truncate(dice.below(text.len() + 1)),
        1 => {
            let at = dice.below(text.len() + 1);
            text.splice(at..at, dice.bytes(3));
        }
        2 => {
            let count = dice.below(300);
            text = dice.bytes(count);
        }
        3 => {
            text = dice
                .pick(&["[", "{\"a\":", "- ", "&a [*a, "])
                .repeat(20_000)
                .into_bytes()
        }
        4 => text.extend(b"\n---\ngarbage: ["),
        5 => text = Vec::new(),
        6 if dice.once_in(10) => text = vec![b' '; 3 * 1024 * 1024 + 1],
        7 => text = b"a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nc: [*b, *b, *b, *b]".to_vec(),
        _ => {}
    }
    text
}
