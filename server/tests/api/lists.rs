//! Lists: pages, expiry, selectors, resource versions.

use crate::api::support::{Api, LEVELS, SCHEMAS, names, schema};
use serde_json::json;

async fn api() -> Api {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    for name in ["a", "b", "c", "d", "e"] {
        let mut schema = schema(name);
        schema["metadata"]["labels"]["name"] = name.into();
        api.send("POST", SCHEMAS, Some(schema)).await;
    }
    api
}

#[tokio::test]
async fn pages_show_one_revision() {
    let api = api().await;
    let first = api.get(&format!("{SCHEMAS}?limit=2")).await.body;
    assert_eq!(names(&first), ["a", "b"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    let token = first["metadata"]["continue"].as_str().unwrap();
    api.send("POST", SCHEMAS, Some(schema("bb"))).await;
    api.send("DELETE", &format!("{SCHEMAS}/c"), None).await;
    let next = format!("{SCHEMAS}?limit=10&continue={token}");
    let second = api.get(&next).await.body;
    assert_eq!(names(&second), ["c", "d", "e"]);
    assert_eq!(
        second["metadata"]["resourceVersion"],
        first["metadata"]["resourceVersion"]
    );
    assert_eq!(second["metadata"].get("continue"), None);
}

#[tokio::test]
async fn an_expired_token_comes_with_a_new_one() {
    let api = api().await;
    let first = api.get(&format!("{SCHEMAS}?limit=2")).await.body;
    let token = first["metadata"]["continue"].as_str().unwrap();
    api.send("DELETE", &format!("{SCHEMAS}/c"), None).await;
    api.server.expire_history();
    let expired = api
        .get(&format!("{SCHEMAS}?limit=2&continue={token}"))
        .await;
    assert_eq!(
        (expired.code, &expired.body["reason"]),
        (410, &json!("Expired"))
    );
    let fresh = expired.body["metadata"]["continue"].as_str().unwrap();
    let rest = api.names(&format!("{SCHEMAS}?continue={fresh}")).await;
    assert_eq!(rest, ["d", "e"]);
}

#[tokio::test]
async fn selectors_select() {
    let api = api().await;
    for (query, expected) in [
        ("labelSelector=name%20in%20(a,c)", vec!["a", "c"]),
        (
            "labelSelector=name!%3Da,lab%3Dyes",
            vec!["b", "c", "d", "e"],
        ),
        ("fieldSelector=metadata.name%3Db", vec!["b"]),
        ("fieldSelector=metadata.name%3Db&labelSelector=!lab", vec![]),
    ] {
        assert_eq!(
            api.names(&format!("{SCHEMAS}?{query}")).await,
            expected,
            "{query}"
        );
    }
    for query in [
        "labelSelector=%3Dx",
        "fieldSelector=spec.x%3D1",
        "limit=abc",
        "continue=%25",
    ] {
        assert_eq!(
            api.get(&format!("{SCHEMAS}?{query}")).await.code,
            400,
            "{query}"
        );
    }
}

#[tokio::test]
async fn lists_of_the_past_and_of_the_future() {
    let api = api().await;
    let then = api.get(SCHEMAS).await.body["metadata"]["resourceVersion"].clone();
    let then = then.as_str().unwrap();
    api.send("DELETE", &format!("{SCHEMAS}/a"), None).await;
    let exact = format!("{SCHEMAS}?resourceVersion={then}&resourceVersionMatch=Exact");
    assert_eq!(api.names(&exact).await.len(), 5);
    let newer = format!("{SCHEMAS}?resourceVersion={then}&resourceVersionMatch=NotOlderThan");
    assert_eq!(api.names(&newer).await.len(), 4);
    api.server.expire_history();
    assert_eq!(api.get(&exact).await.code, 410);
    for query in [
        "resourceVersionMatch=Exact",
        "resourceVersion=0&resourceVersionMatch=Exact",
    ] {
        assert_eq!(
            api.get(&format!("{SCHEMAS}?{query}")).await.code,
            422,
            "{query}"
        );
    }
}

#[tokio::test]
async fn a_list_waits_for_a_future_revision() {
    let api = api().await;
    let now = api.get(SCHEMAS).await.body["metadata"]["resourceVersion"].clone();
    let now: u64 = now.as_str().unwrap().parse().unwrap();
    let path = format!("{SCHEMAS}/a?resourceVersion={}", now + 1);
    let (found, _) = tokio::join!(
        api.get(&path),
        api.send("POST", LEVELS, Some(crate::api::support::level("x", 1)))
    );
    assert_eq!(found.code, 200);
}
