//! The requests of the builders.

// Making a client needs a TLS provider.
#![cfg(feature = "ring")]

use super::DeleteRequest;
use super::call::Call;
use crate::api::v1;
use crate::meta::DeleteOptions;
use crate::meta::PropagationPolicy;
use crate::request::http_request::HttpRequest;
use crate::send::client::Client;
use crate::{Error, Resource};
use serde_json::json;

fn client() -> Client {
    Client::from_url("http://127.0.0.1:1").unwrap()
}

fn object<K: Resource>() -> K {
    let mut object = K::default();
    object.metadata_mut().name = Some("x".into());
    object
}

fn request(call: Call) -> HttpRequest {
    call.checked().unwrap().request
}

fn deletion(delete: DeleteRequest<v1::FlowSchema>) -> Result<HttpRequest, Error> {
    let call = delete.chosen.add_to(delete.call);
    call.checked().map(|call| call.request)
}

#[test]
fn delete_options_in_query_and_body() {
    let schemas = client().flow_schemas();
    let plain = deletion(schemas.delete("x").grace_period_seconds(5)).unwrap();
    assert_eq!(plain.query, [("gracePeriodSeconds", "5".to_owned())]);
    assert!(plain.content_type.is_none() && plain.body.is_empty());

    let delete = schemas
        .delete("x")
        .dry_run()
        .propagation_policy(PropagationPolicy::Foreground);
    let checked = deletion(
        delete
            .precondition_uid("u")
            .precondition_resource_version("7"),
    )
    .unwrap();
    assert_eq!(checked.query.len(), 2);
    assert!(checked.guarded);
    let body: serde_json::Value = serde_json::from_slice(&checked.body).unwrap();
    assert_eq!(
        body,
        json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {"uid": "u", "resourceVersion": "7"},
            "propagationPolicy": "Foreground",
            "dryRun": ["All"],
        })
    );
}

#[test]
fn passed_options_are_completed_in_any_order() {
    let schemas = client().flow_schemas();
    let passed: DeleteOptions = serde_json::from_value(json!({
        "preconditions": {"resourceVersion": "7", "later": 1},
        "dryRun": [],
        "orphanDependents": true,
        "later": {"a": 1},
    }))
    .unwrap();
    let complete = |delete: DeleteRequest<_>| {
        let delete = delete.dry_run().grace_period_seconds(5);
        delete.precondition_uid("u").orphan_dependents(true)
    };
    let first = deletion(complete(schemas.delete("x").options(passed.clone()))).unwrap();
    let last = deletion(complete(schemas.delete("x")).options(passed)).unwrap();
    assert_eq!(first, last);
    let body: serde_json::Value = serde_json::from_slice(&last.body).unwrap();
    assert_eq!(
        body,
        json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "gracePeriodSeconds": 5,
            "preconditions": {"uid": "u", "resourceVersion": "7", "later": 1},
            "orphanDependents": true,
            "dryRun": ["All"],
            "later": {"a": 1},
        })
    );
    assert_eq!(last.get("dryRun"), Some("All"));
}

#[test]
fn passed_options_do_not_contradict_the_methods() {
    let schemas = client().flow_schemas();
    let passed = |tree| serde_json::from_value::<DeleteOptions>(tree).unwrap();
    let delete = || schemas.delete("x");
    let uid = passed(json!({"preconditions": {"uid": "v"}}));
    let version = passed(json!({"preconditions": {"resourceVersion": "8"}}));
    let orphans = passed(json!({"propagationPolicy": "Orphan"}));
    for (field, request) in [
        (
            "dryRun",
            delete()
                .dry_run()
                .options(passed(json!({"dryRun": ["None"]}))),
        ),
        ("UID", delete().options(uid).precondition_uid("u")),
        (
            "resource version",
            delete().precondition_resource_version("7").options(version),
        ),
        (
            "propagationPolicy",
            delete()
                .options(orphans)
                .propagation_policy(PropagationPolicy::Background),
        ),
        (
            "gracePeriodSeconds",
            delete()
                .grace_period_seconds(0)
                .options(passed(json!({"gracePeriodSeconds": 1}))),
        ),
    ] {
        let error = deletion(request).unwrap_err();
        assert!(error.is_argument(), "{error}");
        assert!(error.to_string().contains(field), "{error}");
    }
}

#[test]
fn bodies_are_whole_objects_with_type_meta() {
    let created = request(client().flow_schemas().create(&object()).call);
    let body: serde_json::Value = serde_json::from_slice(&created.body).unwrap();
    assert_eq!(body["apiVersion"], "flowcontrol.apiserver.k8s.io/v1");
    assert_eq!(body["kind"], "FlowSchema");
    assert_eq!(body["metadata"]["name"], "x");
}

#[test]
fn arguments_that_cannot_be_sent_surface_when_sent() {
    let schemas = client().flow_schemas();
    let refused: [Result<_, Error>; 4] = [
        ready(schemas.get("a/b").into_future()).map(drop),
        ready(schemas.replace(&v1::FlowSchema::default()).into_future()).map(drop),
        ready(schemas.apply(&object()).into_future()).map(drop),
        ready(schemas.delete("..").into_future()).map(drop),
    ];
    for error in refused.map(Result::unwrap_err) {
        assert!(error.is_argument() && !error.is_retryable(), "{error}");
        assert!(error.to_string().ends_with("nothing was sent"), "{error}");
    }
}

/// Polls a future that must be ready at once.
fn ready<T>(future: impl Future<Output = T>) -> T {
    use std::task::{Context, Poll, Waker};
    match std::pin::pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("something was sent"),
    }
}

#[test]
fn builders_and_streams_can_move_to_other_threads() {
    fn movable<T: Send + 'static>(_: T) {}
    let schemas = client().flow_schemas();
    movable(schemas.list());
    movable(schemas.list().into_future());
    movable(schemas.list().send());
    movable(schemas.list().pages());
    movable(schemas.list().items());
    movable(schemas.create(&object()).send());
    movable(schemas.patch("x").merge(&json!({})).into_future());
    movable(schemas.delete("x").send());
    movable(schemas.watch().send());
    movable(schemas.watch());
    movable(client().negotiated::<v1::FlowSchema>());
    movable(client().api_groups());
}
