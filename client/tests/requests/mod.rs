//! Requests as they are sent, and requests that are not sent.

mod deletes;
mod pages;
mod repeated;

use crate::script::{Reply, Script, Sent};
use k8s_flowcontrol::api::v1::{self, FlowSchema};
use k8s_flowcontrol::client::Api;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error, Resource};
use serde_json::json;

const OBJECT: &str = r#"{"metadata":{"name":"x"},"spec":{}}"#;

fn named(name: &str) -> FlowSchema {
    FlowSchema::partial(name)
}

/// The only request for flow schemas, to which the server responds with an object.
async fn sent<T>(send: impl AsyncFnOnce(Api<FlowSchema>) -> Result<T, Error>) -> Sent {
    let script = Script::of([Reply::ok(OBJECT)]);
    send(script.client().flow_schemas()).await.unwrap();
    script.only()
}

/// A client whose requests must not be sent.
fn silent() -> Client {
    Script::new(|request| panic!("{request:?} was sent")).client()
}

#[tokio::test]
async fn bodies_are_whole_objects_with_type_meta() {
    let body = sent(async |schemas| schemas.create(&named("x")).await)
        .await
        .json();
    assert_eq!(body["apiVersion"], "flowcontrol.apiserver.k8s.io/v1");
    assert_eq!(body["kind"], "FlowSchema");
    assert_eq!(body["metadata"]["name"], "x");
}

#[tokio::test]
async fn arguments_that_cannot_be_sent_are_errors() {
    let schemas = silent().flow_schemas();
    let results: [Result<(), Error>; 4] = [
        schemas.get("a/b").await.map(drop),
        schemas.replace(&FlowSchema::default()).await.map(drop),
        schemas.apply(&named("x")).await.map(drop),
        schemas.delete("..").await.map(drop),
    ];
    for error in results.map(Result::unwrap_err) {
        assert!(error.is_argument() && !error.is_retryable(), "{error}");
        assert_eq!(error.attempts(), 0, "{error}");
        assert!(error.to_string().ends_with("nothing was sent"), "{error}");
    }
}

#[test]
fn builders_and_streams_can_move_to_other_threads() {
    fn movable<T: Send + 'static>(_: T) {}
    let client = silent();
    let schemas = client.flow_schemas();
    movable(schemas.list());
    movable(schemas.list().into_future());
    movable(schemas.list().send());
    movable(schemas.list().pages());
    movable(schemas.list().items());
    movable(schemas.create(&named("x")).send());
    movable(schemas.patch("x").merge(&json!({})).into_future());
    movable(schemas.delete("x").send());
    movable(schemas.watch().send());
    movable(schemas.watch());
    movable(client.negotiated::<v1::FlowSchema>());
    movable(client.api_groups());
}

#[tokio::test]
async fn a_parameter_is_sent_once() {
    let twice = async |schemas: Api<FlowSchema>| {
        let list = schemas.list().limit(1).continue_token("x");
        list.limit(2).await
    };
    assert_eq!(sent(twice).await.query(), "limit=2&continue=x");
}

#[tokio::test]
async fn urls() {
    for (server, expected) in [
        ("http://127.0.0.1:1", "http://127.0.0.1:1/apis/a%3Fb"),
        (
            "http://127.0.0.1/k8s/cluster/",
            "http://127.0.0.1/k8s/cluster/apis/a%3Fb",
        ),
    ] {
        let script = Script::of([Reply::ok("{}")]);
        let client = script.client_of(Config::new(server).unwrap());
        client.get_raw("/apis/a%3Fb").await.unwrap();
        assert_eq!(script.only().url, expected);
    }
    let list =
        async |schemas: Api<FlowSchema>| schemas.list().label_selector("a=b,c in (d&e)").await;
    let query = "labelSelector=a%3Db%2Cc+in+%28d%26e%29";
    assert_eq!(sent(list).await.query(), query);
}

#[tokio::test]
async fn only_representations_have_a_media_type_of_their_own() {
    let accept = |request: &Sent| request.header("accept").unwrap().to_owned();
    let get = sent(async |schemas| schemas.get("x").await).await;
    assert_eq!(accept(&get), "application/json");

    let script = Script::new(|_| Reply::ok("{}"));
    let metadata = script.client().flow_schemas().metadata();
    metadata.get("x").await.unwrap();
    drop(metadata.watch().await.unwrap());
    metadata.list().await.unwrap();
    let partial = "PartialObjectMetadata";
    let kinds = [partial, partial, "PartialObjectMetadataList"];
    for (request, kind) in script.sent().iter().zip(kinds) {
        let expected = format!("application/json;as={kind};g=meta.k8s.io;v=v1");
        assert_eq!(accept(request), expected);
    }
}

#[tokio::test]
async fn managed_fields_are_dropped_once() {
    let twice = async |schemas: Api<FlowSchema>| {
        let list = schemas.list().drop_managed_fields();
        list.drop_managed_fields().await
    };
    assert_eq!(
        sent(twice).await.header("accept"),
        Some("application/json;drop=metadata.managedFields, application/json")
    );
}
