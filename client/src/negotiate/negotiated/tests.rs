use crate::negotiate::negotiated::*;
use crate::negotiate::negotiation::choose;
use crate::negotiate::server_release::release_with;
use serde_json::json;

type V1 = v1::PriorityLevelConfiguration;

fn level<K: Resource>(spec: serde_json::Value) -> K {
    let object = json!({"metadata": {"name": "x"}, "spec": spec});
    serde_json::from_str(&object.to_string()).unwrap()
}

/// The losses of a write to a server with these versions and an unknown release.
fn losses<K: Negotiable>(served: &[&str], spec: serde_json::Value) -> Vec<String> {
    let served: Vec<String> = served.iter().map(|name| (*name).to_owned()).collect();
    let wire = K::wire(choose(K::VERSION, &served).unwrap());
    let encoded = (wire.encode)(&level::<K>(spec), release_with(&served)).unwrap();
    encoded.losses.into_iter().map(|loss| loss.path).collect()
}

#[test]
fn writes_that_would_lose() {
    let zero = || json!({"limited": {"nominalConcurrencyShares": 0}});
    let nominal = ["spec.limited.nominalConcurrencyShares"];
    assert!(losses::<V1>(&["v1", "v1beta3"], zero()).is_empty());
    // Servers before 1.29 do not know the annotation.
    assert_eq!(losses::<V1>(&["v1beta3", "v1beta2"], zero()), nominal);
    assert_eq!(losses::<V1>(&["v1beta2", "v1beta1"], zero()), nominal);

    let lending = || json!({"limited": {"lendablePercent": 5, "borrowingLimitPercent": 0}});
    assert!(losses::<V1>(&["v1beta3", "v1beta2"], lending()).is_empty());
    assert_eq!(
        losses::<V1>(&["v1beta2", "v1beta1"], lending()),
        [
            "spec.limited.lendablePercent",
            "spec.limited.borrowingLimitPercent"
        ]
    );
    assert_eq!(
        losses::<V1>(&["v1beta3"], json!({"exempt": {"lendablePercent": 5}})),
        ["spec.exempt"]
    );

    // A zero that was read from a newer server must not come back as 30.
    type V1Beta2 = v1beta2::PriorityLevelConfiguration;
    let assured = || json!({"limited": {"assuredConcurrencyShares": 0}});
    assert_eq!(
        losses::<V1Beta2>(&["v1"], assured()),
        ["spec.limited.assuredConcurrencyShares"]
    );
    assert!(losses::<V1Beta2>(&["v1beta3", "v1beta2"], assured()).is_empty());
}

#[test]
fn reading_reports_losses_with_their_place() {
    let wire = <v1beta2::PriorityLevelConfiguration as sealed::HasWires>::wire(ApiVersion::V1);
    let body = json!({"items": [
        {"spec": {"limited": {"nominalConcurrencyShares": 5}}},
        {"spec": {"limited": {"nominalConcurrencyShares": 0}}},
    ]});
    let decoded = wire.decode_list(body.to_string().as_bytes()).unwrap();
    assert_eq!(
        decoded.value.items[0]
            .spec
            .limited
            .as_ref()
            .unwrap()
            .assured_concurrency_shares,
        Some(5)
    );
    assert_eq!(
        decoded.losses[0].path,
        "items[1].spec.limited.nominalConcurrencyShares"
    );
}

#[test]
fn paths_of_causes_are_those_of_the_type() {
    let wire = <V1 as sealed::HasWires>::wire(ApiVersion::V1Beta2);
    let status = json!({"code": 422, "message": "x: spec.limited.assuredConcurrencyShares: Invalid value: -1", "details": {
        "causes": [{"field": "spec.limited.assuredConcurrencyShares", "message": "Invalid value: -1"}, {"field": "spec.type"}],
    }});
    let status = serde_json::from_str(&status.to_string()).unwrap();
    let error = wire.map_error(Error::new(ErrorKind::Status(Box::new(status))));
    let fields: Vec<_> = error
        .causes()
        .iter()
        .map(|cause| cause.field.as_deref().unwrap())
        .collect();
    assert_eq!(
        fields,
        ["spec.limited.nominalConcurrencyShares", "spec.type"]
    );
    assert!(
        error
            .to_string()
            .contains("spec.limited.nominalConcurrencyShares: Invalid value"),
        "{error}"
    );
}

#[test]
fn paths_of_conflicts_are_mapped_and_quoted_values_are_not() {
    let wire = <V1 as sealed::HasWires>::wire(ApiVersion::V1Beta2);
    let status = json!({"code": 409, "reason": "Conflict",
        "message": "conflict with \"spec.limited.assuredConcurrencyShares\": .spec.limited.assuredConcurrencyShares",
        "details": {"causes": [{"field": ".spec.limited.assuredConcurrencyShares"}]},
    });
    let status = serde_json::from_str(&status.to_string()).unwrap();
    let error = wire.map_error(Error::new(ErrorKind::Status(Box::new(status))));
    assert_eq!(
        error.causes()[0].field.as_deref(),
        Some(".spec.limited.nominalConcurrencyShares")
    );
    assert_eq!(
        error.status().unwrap().message.as_deref(),
        Some(
            "conflict with \"spec.limited.assuredConcurrencyShares\": .spec.limited.nominalConcurrencyShares"
        )
    );
}

#[cfg(feature = "ring")]
#[test]
fn a_lossy_write_is_refused_unless_allowed() {
    use crate::Release;
    use crate::negotiate::negotiation::Agreed;

    let client = Client::from_url("http://127.0.0.1:1").unwrap();
    let agreed = Agreed {
        version: ApiVersion::V1Beta2,
        release: Release::OLDEST,
    };
    let negotiation = Negotiation::new(V1::GROUP, V1::VERSION, agreed);
    let levels = Negotiated::<V1>::with(&client, negotiation);
    assert_eq!(levels.wire_version(), "v1beta2");
    let zero = level::<V1>(json!({"limited": {"nominalConcurrencyShares": 0}}));
    let error = levels.create(&zero).call.checked().err().unwrap();
    assert!(error.is_lossy() && !error.is_retryable());
    assert_eq!(
        error.losses()[0].path,
        "spec.limited.nominalConcurrencyShares"
    );
    assert!(
        error
            .to_string()
            .starts_with("POST /apis/flowcontrol.apiserver.k8s.io/v1beta2/"),
        "{error}"
    );

    let call = levels
        .create(&zero)
        .allow_loss()
        .call
        .checked()
        .ok()
        .unwrap();
    assert!(
        String::from_utf8_lossy(&call.request.body).contains(r#""assuredConcurrencyShares":0"#)
    );
    assert!(levels.replace(&level(json!({}))).call.checked().is_ok());
}
