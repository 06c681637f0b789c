//! Paths outside of the API group.

use crate::e2e::support::release;
use k8s_flowcontrol::GROUP;

#[tokio::test]
async fn a_path_is_asked_for_as_it_is() {
    let (server, client) = release("1.31").await;
    let health = client.get_raw("/livez?verbose").await.unwrap();
    assert!(String::from_utf8(health).unwrap().contains("[+]ping ok"));

    let answer = client.get_raw("/healthz").send().await.unwrap();
    assert_eq!(
        (answer.code(), answer.value().as_slice()),
        (200, &b"ok"[..])
    );
    assert!(answer.flow_schema_uid().is_some());

    let path = format!("/apis/{GROUP}/v1/flowschemas/probes");
    let yaml = client.get_raw(&path).accept("application/yaml");
    let yaml = String::from_utf8(yaml.await.unwrap()).unwrap();
    assert!(yaml.starts_with("apiVersion: "), "{yaml}");
    drop(server);
}

#[tokio::test]
async fn a_refusal_is_an_error() {
    let (_server, client) = release("1.31").await;
    let error = client.get_raw("/nothing/here").await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
    let error = client.get_raw("nothing").await.unwrap_err();
    assert!(error.to_string().contains("begins with `/`"), "{error}");
    let error = client.get_raw("/livez").accept("a\nb").await.unwrap_err();
    assert!(error.to_string().contains("Accept"), "{error}");
}
