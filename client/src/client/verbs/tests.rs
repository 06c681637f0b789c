//! What the builders can send, compared with what the documents offer.

// Making a client needs a TLS provider.
#![cfg(feature = "ring")]

use super::*;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::client::call::Call;
use crate::client::request::HttpRequest;
use crate::client::{Api, Client, FieldValidation, PropagationPolicy, ResourceVersionMatch};
use crate::schema::Operation;
use crate::{Error, Resource};
use serde_json::json;
use std::collections::BTreeSet;

fn client() -> Client {
    Client::from_url("http://127.0.0.1:1").unwrap()
}

fn object<K: Resource>() -> K {
    let mut object = K::default();
    object.metadata_mut().name = Some("x".into());
    object
}

fn request(call: Call) -> HttpRequest {
    call.checked().unwrap().1
}

macro_rules! selection {
    ($builder:expr) => {
        $builder
            .label_selector("a=b")
            .field_selector("metadata.name=x")
            .limit(1)
            .continue_token("t")
            .resource_version("1")
            .resource_version_match(ResourceVersionMatch::Exact)
            .timeout_seconds(1)
            .shard_selector("s")
            .pretty(true)
    };
}

macro_rules! write {
    ($builder:expr) => {
        $builder
            .dry_run()
            .field_validation(FieldValidation::Strict)
            .field_manager("m")
            .pretty(true)
    };
}

macro_rules! delete {
    ($builder:expr) => {
        $builder
            .dry_run()
            .grace_period_seconds(0)
            .propagation_policy(PropagationPolicy::Orphan)
            .orphan_dependents(true)
            .ignore_store_read_error_with_cluster_breaking_potential(true)
            .pretty(true)
    };
}

/// Every request of a kind that builders make, with every setter called; and the operation's action.
fn everything<K: Resource>(api: &Api<K>) -> Vec<(&'static str, HttpRequest)> {
    let x = object::<K>();
    let watch = |watch: WatchRequest<K>| request(selection!(watch.send_initial_events()).call);
    #[allow(deprecated)]
    let old = (
        api.watch_list_deprecated(),
        api.watch_object_deprecated("x"),
    );
    vec![
        (
            "list",
            request(
                selection!(api.list())
                    .allow_watch_bookmarks(true)
                    .send_initial_events(true)
                    .call,
            ),
        ),
        ("list", watch(api.watch())),
        ("watchlist", watch(old.0)),
        ("watch", watch(old.1)),
        ("get", request(api.get("x").pretty(true).call)),
        ("get", request(api.get_status("x").pretty(true).call)),
        ("post", request(write!(api.create(&x)).call)),
        ("put", request(write!(api.replace(&x)).call)),
        ("put", request(write!(api.replace_status(&x)).call)),
        (
            "patch",
            request(write!(api.patch("x").json(&json!([]))).call),
        ),
        (
            "patch",
            request(write!(api.patch("x").merge(&json!({}))).call),
        ),
        (
            "patch",
            request(write!(api.patch("x").strategic(&json!({}))).call),
        ),
        ("patch", request(write!(api.apply(&x)).force().call)),
        (
            "patch",
            request(write!(api.patch_status("x").json(&json!([]))).call),
        ),
        (
            "patch",
            request(write!(api.patch_status("x").merge(&json!({}))).call),
        ),
        (
            "patch",
            request(write!(api.patch_status("x").strategic(&json!({}))).call),
        ),
        ("patch", request(write!(api.apply_status(&x)).force().call)),
        (
            "delete",
            request(delete!(api.delete("x")).precondition_uid("u").call),
        ),
        (
            "deletecollection",
            request(
                selection!(delete!(api.delete_collection()).precondition_uid("u"))
                    .send_initial_events(false)
                    .call,
            ),
        ),
    ]
}

fn compare<K: Resource>(operations: &'static [Operation]) {
    let requests = everything::<K>(&client().api());
    for operation in operations
        .iter()
        .filter(|operation| operation.kind == K::KIND)
    {
        let path = operation.path.replace("{name}", "x");
        let sent: Vec<_> = requests
            .iter()
            .filter(|(action, request)| {
                *action == operation.action
                    && request.path == path
                    && request.method == operation.method
            })
            .map(|(_, request)| request)
            .collect();
        let names = |location| {
            let all = operation
                .parameters
                .iter()
                .filter(move |parameter| parameter.location == location);
            all.map(|parameter| parameter.name).collect::<BTreeSet<_>>()
        };
        let queries: BTreeSet<_> = sent
            .iter()
            .flat_map(|request| &request.query)
            .map(|pair| pair.0)
            .collect();
        // The documents of older versions are those of older releases, with fewer parameters.
        assert!(names("query").is_subset(&queries), "{}", operation.id);
        assert!(
            K::VERSION != "v1" || names("query") == queries,
            "{}",
            operation.id
        );

        let documented = operation
            .body
            .as_ref()
            .map_or(&[][..], |body| body.media_types);
        let types: BTreeSet<_> = sent
            .iter()
            .filter_map(|request| request.content_type)
            .collect();
        assert_eq!(types.is_empty(), documented.is_empty(), "{}", operation.id);
        if operation.action == "patch" {
            assert_eq!(
                types,
                documented.iter().copied().collect(),
                "{}",
                operation.id
            );
        }
    }
    for (action, request) in &requests {
        let known = operations.iter().any(|operation| {
            operation.action == *action
                && operation.method == request.method
                && operation.path.replace("{name}", "x") == request.path
        });
        assert!(known, "{request:?} is not documented");
    }
}

#[test]
fn every_documented_parameter_has_a_setter() {
    compare::<v1::FlowSchema>(v1::OPERATIONS);
    compare::<v1::PriorityLevelConfiguration>(v1::OPERATIONS);
    compare::<v1beta3::FlowSchema>(v1beta3::OPERATIONS);
    compare::<v1beta3::PriorityLevelConfiguration>(v1beta3::OPERATIONS);
    compare::<v1beta2::FlowSchema>(v1beta2::OPERATIONS);
    compare::<v1beta2::PriorityLevelConfiguration>(v1beta2::OPERATIONS);
    compare::<v1beta1::FlowSchema>(v1beta1::OPERATIONS);
    compare::<v1beta1::PriorityLevelConfiguration>(v1beta1::OPERATIONS);
}

#[test]
fn delete_options_in_query_and_body() {
    let schemas = client().flow_schemas();
    let plain = request(schemas.delete("x").grace_period_seconds(5).call);
    assert_eq!(plain.query, [("gracePeriodSeconds", "5".to_owned())]);
    assert!(plain.content_type.is_none() && plain.body.is_empty());

    let call = schemas
        .delete("x")
        .dry_run()
        .propagation_policy(PropagationPolicy::Foreground);
    let checked = request(
        call.precondition_uid("u")
            .precondition_resource_version("7")
            .call,
    );
    assert_eq!(checked.query.len(), 2);
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
    let misplaced = client().namespaced_api::<v1::FlowSchema>("team");
    assert!(
        ready(misplaced.list().into_future())
            .unwrap_err()
            .is_argument()
    );
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
