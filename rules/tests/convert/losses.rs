//! Losses of shares and their annotation, row by row of the documented table.

use super::kinds::levels;
use ApiVersion::{V1, V1Beta1, V1Beta2, V1Beta3};
use k8s_flowcontrol_types::convert::{Loss, Lossy, PRESERVE_ZERO_ANNOTATION};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release, convert};
use serde_json::{Value, json};

const ANNOTATION: &str =
    "metadata.annotations[flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares]";
const NOMINAL: &str = "spec.limited.nominalConcurrencyShares";

fn level(limited: Value, annotated: bool) -> Value {
    let mut level = json!({"spec": {"type": "Limited", "limited": limited}});
    if annotated {
        level["metadata"] = json!({"annotations": {PRESERVE_ZERO_ANNOTATION: "", "a": "b"}});
    }
    level
}

pub(crate) fn shape(
    level: &Value,
    from: ApiVersion,
    to: ApiVersion,
    minor: u32,
) -> (Value, Vec<Loss>) {
    let release = Release::new(minor).unwrap();
    Lossy::parts(convert::shape_tree(
        level.clone(),
        levels(from, release),
        to,
    ))
}

/// The `limited` object, whether the annotation is present, and the paths of the losses.
#[track_caller]
pub(crate) fn expect(
    (limited, annotated): (Value, bool),
    (from, to): (ApiVersion, ApiVersion),
    minor: u32,
    (expected, stays): (Value, bool),
    paths: &[&str],
) {
    let (converted, losses) = shape(&level(limited, annotated), from, to, minor);
    assert_eq!(converted["spec"]["limited"], expected);
    let annotation = converted["metadata"]["annotations"].get(PRESERVE_ZERO_ANNOTATION);
    assert_eq!(annotation.is_some(), stays);
    let lost: Vec<_> = losses.iter().map(|loss| loss.path.as_str()).collect();
    assert_eq!(lost, paths, "{losses:?}");
}

fn nominal(shares: i32) -> Value {
    json!({"nominalConcurrencyShares": shares})
}

fn assured(shares: i32) -> Value {
    json!({"assuredConcurrencyShares": shares})
}

#[test]
fn shares_other_than_zero() {
    expect(
        (assured(7), false),
        (V1Beta2, V1),
        36,
        (nominal(7), false),
        &[],
    );
    expect(
        (nominal(-1), false),
        (V1, V1Beta1),
        36,
        (assured(-1), false),
        &[],
    );
    expect(
        (json!({}), false),
        (V1Beta1, V1),
        36,
        (json!({}), false),
        &[],
    );
    let null = json!({"assuredConcurrencyShares": null});
    let renamed = json!({"nominalConcurrencyShares": null});
    expect((null, false), (V1Beta2, V1Beta3), 36, (renamed, false), &[]);
}

#[test]
fn zero_that_means_thirty() {
    expect(
        (assured(0), false),
        (V1Beta2, V1),
        36,
        (nominal(30), false),
        &[],
    );
    expect(
        (nominal(0), false),
        (V1Beta3, V1),
        36,
        (nominal(30), false),
        &[],
    );
    expect(
        (nominal(0), false),
        (V1Beta3, V1Beta2),
        36,
        (assured(0), false),
        &[],
    );
    expect(
        (assured(0), false),
        (V1Beta1, V1Beta3),
        36,
        (nominal(0), false),
        &[],
    );
}

#[test]
fn zero_that_means_zero() {
    expect(
        (nominal(0), false),
        (V1, V1Beta3),
        36,
        (nominal(0), true),
        &[],
    );
    expect(
        (nominal(0), true),
        (V1Beta3, V1),
        29,
        (nominal(0), false),
        &[],
    );
    expect(
        (json!({}), true),
        (V1Beta3, V1),
        29,
        (nominal(0), false),
        &[],
    );
    expect(
        (nominal(0), false),
        (V1, V1Beta2),
        36,
        (assured(0), false),
        &[NOMINAL],
    );
    expect(
        (nominal(0), true),
        (V1Beta3, V1Beta1),
        36,
        (assured(0), false),
        &[NOMINAL],
    );
    expect(
        (json!({}), true),
        (V1Beta3, V1Beta2),
        36,
        (json!({}), false),
        &[NOMINAL],
    );
    // Before 1.29 the annotation has no effect, and v1beta3 cannot express zero.
    expect(
        (nominal(0), false),
        (V1, V1Beta3),
        28,
        (nominal(0), false),
        &[NOMINAL],
    );
    expect(
        (nominal(0), true),
        (V1Beta3, V1Beta2),
        28,
        (assured(0), true),
        &[],
    );
    expect(
        (json!({}), true),
        (V1Beta2, V1Beta3),
        28,
        (json!({}), true),
        &[],
    );
    expect(
        (nominal(0), true),
        (V1Beta3, V1),
        28,
        (nominal(30), false),
        &[ANNOTATION],
    );
}

#[test]
fn annotation_without_effect() {
    expect(
        (nominal(20), true),
        (V1Beta3, V1),
        36,
        (nominal(20), false),
        &[ANNOTATION],
    );
    expect(
        (nominal(20), true),
        (V1Beta3, V1Beta2),
        36,
        (assured(20), false),
        &[ANNOTATION],
    );
    expect(
        (assured(0), true),
        (V1Beta2, V1),
        36,
        (nominal(30), false),
        &[ANNOTATION],
    );
    // In the target version an absent field means zero.
    expect(
        (json!({}), true),
        (V1Beta2, V1Beta3),
        36,
        (json!({}), false),
        &[ANNOTATION],
    );
    expect(
        (assured(20), true),
        (V1Beta2, V1Beta1),
        36,
        (assured(20), true),
        &[],
    );
    expect(
        (nominal(0), true),
        (V1, V1Beta3),
        36,
        (nominal(0), true),
        &[],
    );
    expect(
        (nominal(20), true),
        (V1, V1Beta3),
        36,
        (nominal(20), false),
        &[ANNOTATION],
    );
    expect(
        (nominal(20), true),
        (V1, V1Beta1),
        36,
        (assured(20), false),
        &[ANNOTATION],
    );
    let schema = json!({"metadata": {"annotations": {PRESERVE_ZERO_ANNOTATION: ""}}});
    let kind = VersionedKind::new(Kind::FlowSchema, V1Beta3, Release::NEWEST);
    let kept = convert::shape_tree(schema.clone(), kind, V1);
    assert_eq!(kept, Ok(schema));
}

#[test]
fn an_unknown_field_with_the_other_name() {
    let both = json!({"assuredConcurrencyShares": 5, "nominalConcurrencyShares": 9});
    expect(
        (both.clone(), false),
        (V1Beta2, V1),
        36,
        (nominal(5), false),
        &[NOMINAL],
    );
    let assured_path = ["spec.limited.assuredConcurrencyShares"];
    expect(
        (both, false),
        (V1, V1Beta2),
        36,
        (assured(9), false),
        &assured_path,
    );
    // Without the shares field of its version, the field becomes the shares.
    expect(
        (nominal(9), false),
        (V1Beta2, V1),
        36,
        (nominal(9), false),
        &[NOMINAL],
    );
    expect(
        (nominal(30), false),
        (V1Beta2, V1),
        36,
        (nominal(30), false),
        &[],
    );
    expect(
        (nominal(0), false),
        (V1Beta2, V1),
        36,
        (nominal(0), false),
        &[NOMINAL],
    );
    expect(
        (nominal(0), false),
        (V1Beta2, V1Beta3),
        36,
        (nominal(0), false),
        &[],
    );
}
