//! A successful response whose body is the `Status` of a failure, as some proxies and extension API servers send it.

use crate::requests::script::{Act, Script, answer};
use crate::requests::support::schema;
use k8s_flowcontrol::client::{Deleted, ResourceKind, RetryPolicy};
use k8s_flowcontrol::controller::lease::Lease;
use k8s_flowcontrol::{ApiVersion, Client, Error, Kind, Resource};

fn failure(code: u16) -> String {
    format!(
        r#"{{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"no way","reason":"Odd","details":{{"name":"a"}},"code":{code}}}"#
    )
}

async fn of(code: u16) -> (Script, Client) {
    let script = Script::start(vec![answer(200, "", failure(code))]).await;
    let client = script.client.clone();
    (script, client)
}

#[tokio::test]
async fn it_is_the_error_of_every_request() {
    type Made = Result<(), Error>;
    async fn check(name: &str, request: impl AsyncFnOnce(Client) -> Made) {
        let (_script, client) = of(403).await;
        let error = request(client).await.expect_err(name);
        assert!(
            error.is_forbidden() && !error.is_decode(),
            "{name}: {error}"
        );
        let status = error.status().unwrap();
        assert_eq!(status.message.as_deref(), Some("no way"), "{name}");
        assert!(!error.may_have_taken_effect(), "{name}: {error}");
    }
    check("get", async |client| {
        client.flow_schemas().get("a").await.map(drop)
    })
    .await;
    check("list", async |client| {
        client.flow_schemas().list().await.map(drop)
    })
    .await;
    check("create", async |client| {
        let schemas = client.flow_schemas();
        schemas.create(&schema("mine")).await.map(drop)
    })
    .await;
    check("delete", async |client| {
        client.flow_schemas().delete("a").await.map(drop)
    })
    .await;
    check("delete_if_exists", async |client| {
        client.flow_schemas().delete_if_exists("a").await.map(drop)
    })
    .await;
    check("delete_collection", async |client| {
        client.flow_schemas().delete_collection().await.map(drop)
    })
    .await;
    let dynamic = |client: &Client| client.objects(Kind::FlowSchema, ApiVersion::V1);
    check("dynamic get", async |client| {
        dynamic(&client).get("a").await.map(drop)
    })
    .await;
    check("dynamic list", async |client| {
        dynamic(&client).list().await.map(drop)
    })
    .await;
    check("dynamic metadata", async |client| {
        dynamic(&client).metadata().get("a").await.map(drop)
    })
    .await;
    check("a subresource", async |client| {
        let scale = dynamic(&client).get_subresource("a", "scale");
        scale.read_as::<serde_json::Value>().await.map(drop)
    })
    .await;
    check("a kind of another group", async |client| {
        let leases = client.dynamic(ResourceKind::of::<Lease>(), Some("n"));
        leases.get("a").await.map(drop)
    })
    .await;
    check("version", async |client| client.version().await.map(drop)).await;
    check("watch", async |client| {
        let mut events = client.flow_schemas().watch().await?;
        events.next().await.unwrap().map(drop)
    })
    .await;
}

/// Custom resources may have the kind `Status`, and any field `status`.
#[tokio::test]
async fn an_object_whose_kind_has_the_same_name_is_no_failure() {
    let body = r#"{"kind":"Status","apiVersion":"example.com/v1","metadata":{"name":"a"},"status":"Broken"}"#;
    let kind = ResourceKind::new("example.com", "v1", "Status", "statuses", false);
    let script = Script::start(vec![answer(200, "", body), answer(200, "", body)]).await;
    let objects = script.client.dynamic(kind, None);
    assert_eq!(objects.get("a").await.unwrap().name(), "a");
    let deleted = objects.delete("a").await.unwrap();
    assert!(matches!(deleted, Deleted::Object(_)), "{deleted:?}");
}

/// Such as an invalid object with many causes.
#[tokio::test]
async fn its_length_does_not_matter() {
    let long = "x".repeat(100_000);
    let body = failure(403).replace("no way", &long);
    let script = Script::start(vec![answer(200, "", &body), answer(200, "", &body)]).await;
    let objects = script.client.objects(Kind::FlowSchema, ApiVersion::V1);
    assert!(objects.get("a").await.unwrap_err().is_forbidden());
    assert!(objects.list().await.unwrap_err().is_forbidden());
}

#[tokio::test]
async fn it_does_not_hide_the_effect_of_an_earlier_attempt() {
    let busy = || answer(429, "Retry-After: 0\r\n", "");
    for (first, has_effect) in [(Act::Close, true), (busy(), false)] {
        let script = Script::start(vec![first, busy(), answer(200, "", failure(422))]).await;
        let mut schema = schema("mine");
        schema.metadata.resource_version = Some("5".to_owned());
        let schemas = script.client.flow_schemas();
        let error = schemas.replace(&schema).await.unwrap_err();
        assert!(error.is_invalid() && error.attempts() == 3, "{error}");
        assert_eq!(error.may_have_taken_effect(), has_effect, "{error}");
        let blamed = "; an earlier attempt may have taken effect";
        assert_eq!(error.to_string().contains(blamed), has_effect, "{error}");
    }
}

#[tokio::test]
async fn an_update_does_not_repeat_what_an_earlier_attempt_may_have_done() {
    let mut schema = schema("mine");
    schema.metadata.resource_version = Some("5".to_owned());
    let read = || answer(200, "", serde_json::to_vec(&schema).unwrap());
    let conflict = answer(200, "", failure(409));
    let script = Script::start(vec![read(), Act::Close, conflict, read()]).await;
    let schemas = script.client.flow_schemas();
    let mut count = 0;
    let update = schemas.update_with("mine", |schema| {
        count += 1;
        schema.spec.matching_precedence = Some(9);
    });
    let error = update.await.unwrap_err();
    assert!(
        error.is_conflict() && error.may_have_taken_effect(),
        "{error}"
    );
    assert_eq!(count, 1);
}

#[tokio::test]
async fn its_text_has_both_codes() {
    let (_script, client) = of(403).await;
    let text = client.version().await.unwrap_err().to_string();
    assert_eq!(
        text,
        "GET /version: 403 Odd: no way (in a response with the code 200)"
    );
}

#[tokio::test]
async fn a_missing_object_and_an_unknown_outcome_keep_their_meaning() {
    let (_script, client) = of(404).await;
    assert!(client.flow_schemas().get_opt("a").await.unwrap().is_none());
    let (_script, client) = of(500).await;
    let create = client.flow_schemas();
    let error = create.create(&schema("mine")).await.unwrap_err();
    assert!(error.may_have_taken_effect(), "{error}");
}

#[tokio::test]
async fn a_code_that_is_none_of_http_does_not_count() {
    for (code, body, expected, is_rejected) in [
        (
            429,
            r#"{"kind":"Status","code":99999}"#,
            ": 429; try again",
            true,
        ),
        (
            200,
            r#"{"kind":"Status","status":"Failure"}"#,
            ": failure (in a",
            false,
        ),
    ] {
        let script = Script::start(vec![answer(code, "Retry-After: 0\r\n", body)]).await;
        let client = script.client.clone().with_retry_policy(RetryPolicy::none());
        let error = client.version().await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(expected), "{text}");
        assert_eq!(error.is_too_many_requests(), is_rejected, "{text}");
    }
}
