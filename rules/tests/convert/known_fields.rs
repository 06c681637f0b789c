//! Losses of fields that some versions or releases do not have.

use super::kinds::levels;
use super::losses::{expect, shape};
use ApiVersion::{V1, V1Beta1, V1Beta2, V1Beta3};
use k8s_flowcontrol_rules::conversion;
use k8s_flowcontrol_types::{ApiVersion, Release};
use serde_json::{Value, json};

#[test]
fn fields_of_later_releases() {
    let lending = json!({"lendablePercent": 5, "borrowingLimitPercent": 0});
    let paths = [
        "spec.limited.lendablePercent",
        "spec.limited.borrowingLimitPercent",
    ];
    expect(
        (lending.clone(), false),
        (V1, V1Beta1),
        36,
        (json!({}), false),
        &paths,
    );
    expect(
        (lending.clone(), false),
        (V1, V1Beta2),
        25,
        (json!({}), false),
        &paths,
    );
    expect(
        (lending.clone(), false),
        (V1, V1Beta2),
        26,
        (lending.clone(), false),
        &[],
    );
    // The target knows these fields, so they take effect there.
    expect(
        (lending.clone(), false),
        (V1Beta1, V1),
        36,
        (lending.clone(), false),
        &paths,
    );
    expect(
        (lending.clone(), false),
        (V1Beta1, V1Beta2),
        25,
        (lending, false),
        &[],
    );
    let zero = json!({"lendablePercent": 0, "borrowingLimitPercent": null});
    expect((zero, false), (V1, V1Beta1), 36, (json!({}), false), &[]);

    let exempt = |exempt: Value, kind: &str| json!({"spec": {"type": kind, "exempt": exempt}});
    for (level, is_lossy) in [
        (exempt(json!({}), "Exempt"), false),
        (exempt(json!({"lendablePercent": 0}), "Exempt"), false),
        (exempt(json!({"lendablePercent": 1}), "Exempt"), true),
        (exempt(json!({"x": 1}), "Exempt"), true),
        // Servers that know the field reject it in a limited level.
        (exempt(json!({}), "Limited"), true),
    ] {
        let (converted, losses) = shape(&level, V1, V1Beta1, 36);
        assert_eq!(converted["spec"].get("exempt"), None);
        assert_eq!(!losses.is_empty(), is_lossy, "{level}");
        let (converted, losses) = shape(&level, V1Beta1, V1, 36);
        assert_eq!(converted, level);
        assert_eq!(!losses.is_empty(), is_lossy, "{level}");
    }
}

#[test]
fn the_reason_names_the_release() {
    let level = json!({"spec": {
        "type": "Exempt", "exempt": {"lendablePercent": 1}, "limited": {"lendablePercent": 1},
    }});
    let whys = |to, minor| -> Vec<String> {
        shape(&level, V1, to, minor)
            .1
            .into_iter()
            .map(|loss| loss.why)
            .collect()
    };
    assert_eq!(
        whys(V1Beta1, 36),
        [
            "dropped: v1beta1 does not know it, which Kubernetes 1.26 introduced",
            "dropped: v1beta1 does not know it, which Kubernetes 1.28 introduced",
        ]
    );
    assert_eq!(
        whys(V1Beta2, 27),
        ["dropped: v1beta2 has it since Kubernetes 1.28, not in 1.27"]
    );
}

#[test]
fn server_conversion_reports_pruned_fields() {
    let level = json!({
        "metadata": {"name": "a", "future": 1},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 0, "future": null}},
        "status": {"conditions": [{"type": "A", "future": {}}]},
    });
    let release = Release::new(28).unwrap();
    let lossy = conversion::server_tree(level, levels(V1Beta2, release), V1Beta3).unwrap_err();
    let paths: Vec<_> = lossy.losses.iter().map(|loss| loss.path.as_str()).collect();
    let mut sorted = paths.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            "metadata.future",
            "spec.limited.nominalConcurrencyShares",
            "status.conditions[0].future"
        ]
    );
    let expected = json!({
        "metadata": {"name": "a"},
        "spec": {
            "type": "Limited",
            "limited": {"nominalConcurrencyShares": 30, "lendablePercent": 0},
        },
        "status": {"conditions": [{"type": "A"}]},
    });
    assert_eq!(lossy.into_object(), expected);
}
