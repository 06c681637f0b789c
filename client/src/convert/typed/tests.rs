use super::*;
use crate::Resource;
use crate::convert::PRESERVE_ZERO_ANNOTATION;
use serde_json::{Value, json};

fn read<K: Resource>(value: Value) -> K {
    serde_json::from_str(&value.to_string()).unwrap()
}

fn write<K: Resource>(object: &K) -> Value {
    serde_json::to_value(object).unwrap()
}

fn level(limited: Value, annotated: bool) -> Value {
    let annotations = if annotated {
        json!({PRESERVE_ZERO_ANNOTATION: "", "a": "b"})
    } else {
        json!({"a": "b"})
    };
    json!({
        "metadata": {"name": "x", "annotations": annotations, "future": 1},
        "spec": {"type": "Limited", "limited": limited, "future": 1.50},
        "status": {"conditions": [], "future": 1},
        "future": {"a": null},
    })
}

/// The limited stanza and whether the annotation is there, after a conversion without losses.
fn converted<From, To>(limited: Value, annotated: bool) -> (Value, bool)
where
    From: Resource + Convert<To>,
    To: Resource,
{
    let (object, losses) = read::<From>(level(limited, annotated)).convert();
    assert_eq!(losses, []);
    let object = write::<To>(&object);
    assert_eq!(object["apiVersion"], To::API_VERSION);
    assert_eq!(object["metadata"]["annotations"]["a"], "b");
    for future in [
        &object["metadata"],
        &object["spec"],
        &object["status"],
        &object,
    ] {
        assert!(future.get("future").is_some(), "{object}");
    }
    let annotation = object["metadata"]["annotations"]
        .get(PRESERVE_ZERO_ANNOTATION)
        .is_some();
    let mut limited = object["spec"]["limited"].clone();
    limited.as_object_mut().unwrap().remove("limitResponse");
    (limited, annotation)
}

type V1 = v1::PriorityLevelConfiguration;
type B3 = v1beta3::PriorityLevelConfiguration;
type B2 = v1beta2::PriorityLevelConfiguration;
type B1 = v1beta1::PriorityLevelConfiguration;

#[test]
fn shares_from_the_old_versions() {
    for (from, to) in [
        (json!({}), json!({})),
        (
            json!({"assuredConcurrencyShares": 0}),
            json!({"nominalConcurrencyShares": 30}),
        ),
        (
            json!({"assuredConcurrencyShares": 7, "x": 1}),
            json!({"nominalConcurrencyShares": 7, "x": 1}),
        ),
        (
            json!({"assuredConcurrencyShares": -1}),
            json!({"nominalConcurrencyShares": -1}),
        ),
    ] {
        for annotated in [false, true] {
            assert_eq!(
                converted::<B2, V1>(from.clone(), annotated),
                (to.clone(), false)
            );
            assert_eq!(
                converted::<B1, V1>(from.clone(), annotated),
                (to.clone(), false)
            );
        }
        assert_eq!(
            converted::<B2, B3>(from.clone(), false),
            (to.clone(), false)
        );
        assert_eq!(
            converted::<B1, B3>(from.clone(), false),
            (to.clone(), false)
        );
        // The annotation means nothing there: it stays, and the value does not change its meaning.
        let mut spelled = to;
        if spelled.get("nominalConcurrencyShares").is_none() {
            spelled["nominalConcurrencyShares"] = 30.into();
        }
        assert_eq!(
            converted::<B2, B3>(from.clone(), true),
            (spelled.clone(), true)
        );
        assert_eq!(converted::<B1, B3>(from, true), (spelled, true));
    }
    assert_eq!(
        converted::<B1, B2>(json!({"assuredConcurrencyShares": 0}), false),
        (json!({"assuredConcurrencyShares": 0}), false)
    );
}

#[test]
fn shares_between_v1_and_v1beta3() {
    let shares = |shares: i32| json!({"nominalConcurrencyShares": shares});
    for (v1beta3, annotated, v1) in [
        (json!({}), false, json!({})),
        (json!({}), true, shares(0)),
        (shares(0), false, shares(30)),
        (shares(0), true, shares(0)),
        (shares(20), false, shares(20)),
        (shares(20), true, shares(20)),
    ] {
        assert_eq!(converted::<B3, V1>(v1beta3, annotated), (v1, false));
    }
    for annotated in [false, true] {
        assert_eq!(
            converted::<V1, B3>(json!({}), annotated),
            (json!({}), false)
        );
        assert_eq!(converted::<V1, B3>(shares(0), annotated), (shares(0), true));
        assert_eq!(
            converted::<V1, B3>(shares(20), annotated),
            (shares(20), false)
        );
    }
}

#[test]
fn zero_has_no_form_in_the_old_versions() {
    let v1: V1 = read(level(json!({"nominalConcurrencyShares": 0}), false));
    let v1beta3 = B3::from(v1.clone());
    for losses in [
        B2::try_from(v1.clone()).unwrap_err().losses,
        B1::try_from(v1).unwrap_err().losses,
        B2::try_from(v1beta3.clone()).unwrap_err().losses,
        B1::try_from(v1beta3).unwrap_err().losses,
    ] {
        assert_eq!(losses.len(), 1);
        assert_eq!(losses[0].path, "spec.limited.nominalConcurrencyShares");
    }
    // What only looks like a zero is none.
    let thirty: B3 = read(level(json!({"nominalConcurrencyShares": 0}), false));
    let old = B2::try_from(thirty).unwrap();
    assert_eq!(
        old.spec.limited.unwrap().assured_concurrency_shares,
        Some(30)
    );
}

#[test]
fn what_v1beta1_does_not_have() {
    let lossy = |limited: Value| match B1::try_from(read::<V1>(level(limited, false))) {
        Ok(_) => Vec::new(),
        Err(lossy) => lossy
            .losses
            .into_iter()
            .map(|loss| loss.path)
            .collect::<Vec<_>>(),
    };
    assert!(lossy(json!({"lendablePercent": 0})).is_empty());
    assert_eq!(
        lossy(json!({"lendablePercent": 1})),
        ["spec.limited.lendablePercent"]
    );
    assert_eq!(
        lossy(json!({"borrowingLimitPercent": 0})),
        ["spec.limited.borrowingLimitPercent"]
    );

    let exempt: V1 =
        read(json!({"spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 5}}}));
    assert_eq!(
        B1::try_from(exempt).unwrap_err().losses[0].path,
        "spec.exempt"
    );
    let exempt: V1 =
        read(json!({"spec": {"type": "Exempt", "exempt": {"nominalConcurrencyShares": 0}}}));
    assert!(B1::try_from(exempt).is_ok());

    let old: B1 = read(level(
        json!({"lendablePercent": 40, "borrowingLimitPercent": null}),
        false,
    ));
    let new = V1::try_from(old).unwrap();
    assert_eq!(new.spec.limited.unwrap().lendable_percent, Some(40));
    let odd: B1 = read(level(json!({"lendablePercent": "much"}), false));
    assert_eq!(
        V1::try_from(odd).unwrap_err().losses[0].path,
        "spec.limited.lendablePercent"
    );
}

#[test]
fn a_member_of_the_other_name_is_no_second_one() {
    let limited = json!({"assuredConcurrencyShares": 5, "nominalConcurrencyShares": 9});
    let lossy = V1::try_from(read::<B2>(level(limited.clone(), false))).unwrap_err();
    assert_eq!(
        lossy.losses[0].path,
        "spec.limited.nominalConcurrencyShares"
    );
    assert_eq!(
        lossy
            .object
            .spec
            .limited
            .unwrap()
            .nominal_concurrency_shares,
        Some(5)
    );
    let lossy = B2::try_from(read::<V1>(level(limited, false))).unwrap_err();
    assert_eq!(
        lossy.losses[0].path,
        "spec.limited.assuredConcurrencyShares"
    );
    assert_eq!(
        lossy
            .into_object()
            .spec
            .limited
            .unwrap()
            .assured_concurrency_shares,
        Some(9)
    );
}

#[test]
fn flow_schemas_only_change_their_version() {
    let value = json!({
        "metadata": {"name": "x", "annotations": {PRESERVE_ZERO_ANNOTATION: ""}},
        "spec": {"priorityLevelConfiguration": {"name": "y"}, "future": [1.0]},
        "future": 1,
    });
    let old: v1beta1::FlowSchema = read(value.clone());
    let new = v1::FlowSchema::from(v1beta3::FlowSchema::from(v1beta2::FlowSchema::from(old)));
    assert_eq!(new, read(value));
}
