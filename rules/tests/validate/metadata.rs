//! Metadata as Go reads it: resource versions as numbers, and the case of annotation keys.

use k8s_flowcontrol_rules::validate;
use k8s_flowcontrol_rules::validate::verdict::{Operation, Request, of_tree};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::{Value, json};

fn schema(metadata: Value) -> Value {
    json!({"metadata": metadata, "spec": {"priorityLevelConfiguration": {"name": "exempt"}}})
}

fn kind() -> VersionedKind {
    VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST)
}

/// A server compares the numbers of resource versions, and accepts digits alone.
#[test]
fn resource_versions_are_numbers() {
    let old = schema(json!({"name": "a", "resourceVersion": "42"}));
    let cases = [
        ("", 200, 201),
        ("0", 200, 201),
        ("00", 200, 201),
        ("42", 200, 500),
        ("042", 200, 500),
        ("43", 409, 500),
        // A created object with a malformed version is stored without it.
        ("+42", 500, 201),
        ("-1", 500, 201),
        ("4_2", 500, 201),
        ("18446744073709551616", 500, 201),
    ];
    for (version, replaced, created) in cases {
        let object = schema(json!({"name": "a", "resourceVersion": version}));
        let code = |operation| of_tree(&object, &Request::new(kind(), operation)).code;
        let codes = [
            code(Operation::Replace { old: &old }),
            code(Operation::Create { existing: &[] }),
        ];
        assert_eq!(codes, [replaced, created], "{version:?}");
    }
}

/// A server checks annotation keys in lower case, to which Go changes each character by itself.
#[test]
fn annotation_keys_are_valid_in_any_case() {
    for (key, is_valid) in [("Some.Key", true), ("aİb", true), ("aÉb", false)] {
        let object = schema(json!({"name": "a", "annotations": {key: ""}}));
        let violations = validate::create(&object, kind());
        assert_eq!(violations.is_empty(), is_valid, "{key}: {violations:?}");
    }
}
