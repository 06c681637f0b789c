//! Paths and bodies of requests, and names and paths that are not sent.

use crate::requests::script::{Script, answer};
use k8s_flowcontrol::api::{v1, v1beta2};
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::{Client, Error};
use serde_json::json;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

/// The request that a client sends, in lower case.
async fn sent<T>(send: impl AsyncFnOnce(Client) -> Result<T, Error>) -> String {
    let script = Script::start(vec![answer(404, "", "{}")]).await;
    assert!(send(script.client.clone()).await.is_err());
    script.requests().remove(0)
}

/// The first line of a request.
fn line(method: &str, path: &str) -> String {
    format!("{method} {path} http/1.1\r\n").to_ascii_lowercase()
}

macro_rules! sends {
    ($client:ident, $($request:expr => $path:expr,)*) => {$(
        let request = sent(async |$client: Client| $request.await).await;
        let expected = line("GET", $path);
        assert!(request.starts_with(&expected), "{expected} {request}");
    )*};
}

#[tokio::test]
async fn paths_are_encoded_once() {
    let status = format!("{SCHEMAS}/a/status");
    let encoded = format!("{SCHEMAS}/a%20b%3Fc%23d:%C3%A9");
    let proxy = format!("{SCHEMAS}/a%20b/proxy/x/y%20z?q=1");
    sends! { client,
        client.api::<v1::FlowSchema>().list() => SCHEMAS,
        client.api::<v1::FlowSchema>().get_subresource("a", "status") => &status,
        client.api::<v1::FlowSchema>().get("a b?c#d:é") => &encoded,
        client.api::<v1::FlowSchema>().get_subresource("a b", "proxy/x/y z").query("q", "1") => &proxy,
        client.api_groups() => "/apis",
        client.api_group("a.b") => "/apis/a.b/",
        client.api_resources("a.b", "v1") => "/apis/a.b/v1/",
        client.api_resources("", "v1") => "/api/v1/",
        client.get_raw("/livez/a%20b?verbose&exclude=etcd") => "/livez/a%20b?verbose&exclude=etcd",
    }
}

#[tokio::test]
async fn subresources_have_bodies() {
    let body = json!({"a": 1});
    let create = sent(async |client: Client| {
        let schemas = client.api::<v1::FlowSchema>();
        schemas.create_subresource("a", "token", &body).await
    });
    let create = create.await;
    assert!(
        create.starts_with(&line("POST", &format!("{SCHEMAS}/a/token"))),
        "{create}"
    );
    assert!(
        create.contains("content-type: application/json\r\n"),
        "{create}"
    );
    assert!(create.contains("content-length: 7\r\n"), "{create}");
    let replace = sent(async |client: Client| {
        let schemas = client.api::<v1::FlowSchema>();
        schemas.replace_subresource("a", "scale", &body).await
    });
    let replace = replace.await;
    let expected = line("PUT", &format!("{SCHEMAS}/a/scale"));
    assert!(replace.starts_with(&expected), "{replace}");
    assert!(replace.contains("content-length: 7\r\n"), "{replace}");
    for media_type in [
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
        "application/apply-patch+yaml",
    ] {
        let patch = sent(async |client: Client| {
            let schemas = client.api::<v1::FlowSchema>();
            let patch = schemas.patch_subresource("a", "scale");
            match media_type {
                "application/json-patch+json" => patch.json(&body).await,
                "application/merge-patch+json" => patch.merge(&body).await,
                "application/apply-patch+yaml" => patch.apply("me", &body).await,
                _ => patch.strategic(&body).await,
            }
        });
        let patch = patch.await;
        assert!(
            patch.starts_with(&format!("patch {SCHEMAS}/a/scale")),
            "{patch}"
        );
        assert!(
            patch.contains(&format!("content-type: {media_type}\r\n")),
            "{patch}"
        );
    }
}

#[tokio::test]
async fn names_and_paths_that_change_the_path_are_not_sent() {
    let script = Script::start(Vec::new()).await;
    let client = &script.client;
    let schemas = client.api::<v1beta2::FlowSchema>();
    for name in ["", ".", "..", "a/b", "/", "a%2Fb", "%"] {
        let error = schemas.get(name).await.unwrap_err();
        assert!(
            error.to_string().contains("the object's name"),
            "{name}: {error}"
        );
    }
    for subresource in ["", "a//b", "..", "scale/../x"] {
        let error = schemas.get_subresource("a", subresource).await.unwrap_err();
        assert!(error.is_argument(), "{subresource}: {error}");
    }
    for path in ["", "livez", "/a b", "/a#b", "/é", "/a\nb", "http://other/"] {
        let error = client.raw(Method::GET, path).await.unwrap_err();
        assert!(error.is_argument(), "{path}: {error}");
    }
    assert!(client.api_group("").await.unwrap_err().is_argument());
    assert!(
        client
            .api_resources("a", "../x")
            .await
            .unwrap_err()
            .is_argument()
    );
}
