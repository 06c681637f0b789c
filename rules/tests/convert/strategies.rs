//! Levels with all fields that conversion depends on.

use k8s_flowcontrol_types::convert::PRESERVE_ZERO_ANNOTATION;
use k8s_flowcontrol_types::{ApiVersion, Release};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

pub(crate) fn versions() -> impl Strategy<Value = ApiVersion> {
    select(ApiVersion::ALL.to_vec())
}

pub(crate) fn releases() -> impl Strategy<Value = Release> {
    select(Release::all().collect::<Vec<_>>())
}

fn of(values: Value) -> impl Strategy<Value = Value> {
    select(values.as_array().cloned().unwrap_or_default())
}

/// An object of the fields whose value is not `"-"`.
fn object(fields: Vec<(&'static str, Value)>) -> Value {
    let fields = fields.into_iter().filter(|(_, value)| *value != json!("-"));
    Value::Object(
        fields
            .map(|(name, value)| (name.into(), value))
            .collect::<Map<_, _>>(),
    )
}

/// A level without shares under another version's name.
pub(crate) fn plain_level(version: ApiVersion) -> impl Strategy<Value = Value> {
    level(version, of(json!(["-"])))
}

/// A level that may have shares under any version's name.
pub(crate) fn any_level(version: ApiVersion) -> impl Strategy<Value = Value> {
    level(version, of(json!(["-", "-", null, 0, 9, 30, "text", 1.5])))
}

fn level(
    version: ApiVersion,
    foreign: impl Strategy<Value = Value>,
) -> impl Strategy<Value = Value> {
    let (own, other) = match version {
        ApiVersion::V1 | ApiVersion::V1Beta3 => {
            ("nominalConcurrencyShares", "assuredConcurrencyShares")
        }
        _ => ("assuredConcurrencyShares", "nominalConcurrencyShares"),
    };
    let future = || of(json!(["-", {"a": [null]}, 1]));
    let queuing = of(json!(["-", {}, {"queues": 0, "future": 1}, {"queues": 3, "handSize": 1}]));
    let limited = (
        of(json!(["-", null, 0, 7, 30])),
        foreign,
        of(json!(["-", null, 0, 40])),
        of(json!(["-", null, 0, 10])),
        queuing,
        future(),
    )
        .prop_map(
            move |(shares, foreign, lendable, borrowing, queuing, future)| {
                object(vec![
                    (own, shares),
                    (other, foreign),
                    ("lendablePercent", lendable),
                    ("borrowingLimitPercent", borrowing),
                    (
                        "limitResponse",
                        object(vec![("type", json!("Queue")), ("queuing", queuing)]),
                    ),
                    ("future", future),
                ])
            },
        );
    let limited = prop_oneof![4 => limited, 1 => of(json!(["-", null]))];
    let exempt = of(
        json!(["-", "-", null, {}, {"lendablePercent": 0}, {"nominalConcurrencyShares": 5}, {"future": 1}]),
    );
    let annotations = of(json!([
        "-",
        {"a": "b"},
        {PRESERVE_ZERO_ANNOTATION: ""},
        {PRESERVE_ZERO_ANNOTATION: "x", "a": "b"},
    ]));
    (
        limited,
        exempt,
        of(json!(["Limited", "Exempt"])),
        annotations,
        future(),
    )
        .prop_map(|(limited, exempt, kind, annotations, future)| {
            object(vec![
                (
                    "metadata",
                    object(vec![
                        ("annotations", annotations),
                        ("future", future.clone()),
                    ]),
                ),
                (
                    "spec",
                    object(vec![
                        ("type", kind),
                        ("limited", limited),
                        ("exempt", exempt),
                        ("future", future.clone()),
                    ]),
                ),
                ("future", future),
            ])
        })
}

/// Any JSON value, with field names that conversion uses.
pub(crate) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = of(json!([null, true, 0, -1, 1.5, "", "Exempt", 1e300]));
    let names = select(vec![
        "metadata",
        "annotations",
        "spec",
        "limited",
        "exempt",
        "items",
        "type",
        "limitResponse",
        "queuing",
        "queues",
        "lendablePercent",
        "nominalConcurrencyShares",
        "assuredConcurrencyShares",
        "apiVersion",
        PRESERVE_ZERO_ANNOTATION,
    ]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..6).prop_map(object),
        ]
    })
}
