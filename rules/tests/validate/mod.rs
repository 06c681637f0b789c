//! Verdicts on requests: compared with recorded responses, and for any object that decodes.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at what it does not expect"
)]

mod go_values;
mod metadata;
mod typed;

use k8s_flowcontrol_rules::decode::Format;
use k8s_flowcontrol_rules::validate::verdict::{Operation, Request, Verdict};
use k8s_flowcontrol_rules::validate::{Rules, verdict};
use k8s_flowcontrol_rules::{bootstrap, validate};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, FieldValidation, Kind, Release};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Our verdict on a recorded request.
fn judge(record: &Value) -> Option<Verdict> {
    let text = |name: &str| record[name].as_str().unwrap_or_default();
    let release: Release = text("kubernetes").parse().unwrap();
    let kind = text("kind").parse().unwrap();
    let kind = VersionedKind::new(kind, text("version").parse().unwrap(), release);
    let objects = bootstrap::objects(release);
    let existing: Vec<_> = objects
        .iter()
        .filter(|object| object.kind == kind.kind)
        .map(|o| o.name)
        .collect();
    let old = &record["old"];
    let operation = match (old.is_null(), text("subresource")) {
        (true, _) => Operation::Create {
            existing: &existing,
        },
        (false, "") => Operation::Replace { old },
        (false, _) => Operation::ReplaceStatus { old },
    };
    let mut request = Request::new(kind, operation);
    request.dry_run = true;
    request.field_validation = match text("fieldValidation") {
        "Strict" => FieldValidation::Strict,
        "Warn" => FieldValidation::Warn,
        _ => FieldValidation::Ignore,
    };
    let format = Format::from_media_type(text("contentType"))?;
    Some(verdict::of_text(text("body").as_bytes(), format, &request))
}

/// Removes the addresses in Go source, which always differ.
fn without_addresses(message: &str) -> String {
    let mut parts = message.split("(0x");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += "(0x";
        text += part.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    text
}

fn agree(records: &str) {
    for record in records.lines() {
        let record: Value = serde_json::from_str(record).unwrap();
        let case = &record["case"];
        let Some(verdict) = judge(&record) else {
            assert_eq!(record["code"], 415, "{case}");
            continue;
        };
        assert_eq!(
            verdict.code, record["code"],
            "{case}: {:?}",
            verdict.failure
        );
        let failure = verdict.failure.as_ref();
        if let Some(message) = record.get("message").filter(|_| verdict.code != 409) {
            assert_eq!(failure.unwrap().message, *message, "{case}");
        }
        let causes: Vec<_> = failure
            .and_then(|failure| failure.details.as_ref())
            .into_iter()
            .flat_map(|details| &details.causes)
            .map(|cause| {
                (
                    cause.reason.as_str(),
                    cause.field.as_str(),
                    cause.message.as_str(),
                )
            })
            .collect();
        let recorded = record["causes"].as_array().map_or(&[][..], |causes| causes);
        assert_eq!(causes.len(), recorded.len(), "{case}: {causes:?}");
        for ((reason, field, message), recorded) in causes.into_iter().zip(recorded) {
            assert_eq!(
                (reason, field),
                (recorded[0].as_str().unwrap(), recorded[1].as_str().unwrap()),
                "{case}"
            );
            let recorded = recorded[2].as_str().unwrap();
            assert_eq!(
                without_addresses(message),
                without_addresses(recorded),
                "{case}"
            );
        }
        let ours = verdict.warnings.iter().map(|warning| {
            let quoted = serde_json::to_string(warning).unwrap();
            Value::from(format!("299 - {quoted}"))
        });
        let recorded = record["warnings"].as_array().cloned().unwrap_or_default();
        assert_eq!(ours.collect::<Vec<_>>(), recorded, "{case}");
    }
}

#[test]
fn verdicts_on_unusual_texts_equal_the_recorded_ones() {
    agree(include_str!("../fixtures/validate/text.jsonl"));
}

#[test]
fn verdicts_on_unusual_objects_equal_the_recorded_ones() {
    agree(include_str!("../fixtures/validate/create.jsonl"));
}

#[test]
fn verdicts_on_replacements_equal_the_recorded_ones() {
    agree(include_str!("../fixtures/validate/update.jsonl"));
}

#[test]
fn built_in_objects_are_valid_in_every_release_that_creates_them() {
    for release in Release::all() {
        for object in bootstrap::objects(release) {
            let kind = VersionedKind::new(object.kind, ApiVersion::V1, release);
            let violations = validate::create(&object.tree(), kind);
            let others: Vec<_> = violations
                .iter()
                .filter(|violation| violation.reason != validate::Reason::Forbidden)
                .collect();
            assert!(others.is_empty(), "{release} {}: {others:?}", object.name);
        }
    }
}

#[test]
fn zero_shares_depend_on_release_and_feature_gate() {
    let level = json!({"metadata": {"name": "a"}, "spec": {"type": "Limited", "limited": {
        "nominalConcurrencyShares": 0, "limitResponse": {"type": "Reject"},
    }}});
    let rules = |minor, open| {
        let release = Release::new(minor).unwrap();
        let kind = VersionedKind::new(Kind::PriorityLevelConfiguration, ApiVersion::V1, release);
        Rules::from(kind).with_zero_limited_shares(open)
    };
    let judge = |rules: Rules| validate::create(&level, rules).len();
    assert_eq!(
        [
            judge(rules(29, false)),
            judge(rules(29, true)),
            judge(rules(30, false))
        ],
        [1, 0, 0]
    );
    // A level that already has zero shares can keep them.
    let violations = validate::update(&level, &level, rules(29, false));
    assert_eq!(violations, []);
}

#[test]
fn a_version_that_a_release_does_not_serve_is_not_found() {
    for (release, version) in Release::all().flat_map(|release| {
        ApiVersion::ALL
            .iter()
            .map(move |version| (release, *version))
    }) {
        let kind = VersionedKind::new(Kind::FlowSchema, version, release);
        let request = Request::new(kind, Operation::Create { existing: &[] });
        for body in ["{}", "no JSON"] {
            let verdict = verdict::of_text(body.as_bytes(), Format::Json, &request);
            let is_found = verdict.code != 404;
            assert_eq!(
                is_found,
                version.is_served_by(release),
                "{version} in {release}"
            );
        }
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = prop::sample::select(vec![
        "metadata",
        "name",
        "generateName",
        "labels",
        "annotations",
        "finalizers",
        "ownerReferences",
        "managedFields",
        "spec",
        "type",
        "limited",
        "exempt",
        "limitResponse",
        "queuing",
        "queues",
        "handSize",
        "queueLengthLimit",
        "nominalConcurrencyShares",
        "assuredConcurrencyShares",
        "lendablePercent",
        "borrowingLimitPercent",
        "rules",
        "subjects",
        "kind",
        "user",
        "group",
        "serviceAccount",
        "namespace",
        "resourceRules",
        "nonResourceRules",
        "verbs",
        "apiGroups",
        "resources",
        "namespaces",
        "nonResourceURLs",
        "matchingPrecedence",
        "distinguisherMethod",
        "priorityLevelConfiguration",
        "status",
        "conditions",
        "deletionTimestamp",
        "bogus",
    ]);
    let words = prop::sample::select(vec![
        "",
        "*",
        "exempt",
        "catch-all",
        "Exempt",
        "Limited",
        "Queue",
        "Reject",
        "User",
        "Group",
        "ServiceAccount",
        "ByUser",
        "a.b",
        "A",
        "é-",
        "/a/*",
        "f:spec",
        "FieldsV1",
        "Update",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (0..100i64).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words.prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names.clone(), inner), 0..8).prop_map(|fields| {
                Value::Object(
                    fields
                        .into_iter()
                        .map(|(name, value)| (name.into(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn every_decoded_object_has_a_verdict(
        metadata in any_json(), spec in any_json(), status in any_json(), minor in 25u32..=37,
    ) {
        let object = json!({"metadata": metadata, "spec": spec, "status": status});
        let release = Release::new(minor).unwrap();
        for version in release.served() {
            for kind in Kind::ALL.iter().copied() {
                let kind = VersionedKind::new(kind, version, release);
                validate::create(&object, kind);
                validate::update(&object, &object, kind);
                validate::update_status(&object, &object, release);
                let request = Request::new(kind, Operation::Replace { old: &object });
                let verdict = verdict::of_tree(&object, &request);
                prop_assert_eq!(verdict.failure.is_none(), verdict.code == 200);
            }
        }
    }
}
