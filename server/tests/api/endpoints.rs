//! The EndpointSlices in which a control plane lists its API servers.

use crate::api::support::{Answer, Api, answer};
use serde_json::json;

const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

async fn get(api: &Api, path: &str) -> Answer {
    answer(api.request("GET", path)).await
}

#[tokio::test]
async fn a_server_lists_itself_and_its_peers() {
    let one = Api::with(|builder| builder).await;
    let peer = ([127, 0, 0, 1], one.server.port()).into();
    let two = Api::with(|builder| builder.peers([peer])).await;
    let path = format!("{SLICES}?labelSelector=kubernetes.io/service-name%3Dkubernetes");
    let list = get(&two, &path).await.body;
    let mut ports: Vec<_> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|slice| {
            (
                slice["ports"][0]["port"].as_u64().unwrap(),
                slice["endpoints"][0]["addresses"].clone(),
            )
        })
        .collect();
    ports.sort_by_key(|(port, _)| *port);
    let mut expected =
        [one.server.port(), two.server.port()].map(|port| (u64::from(port), json!(["127.0.0.1"])));
    expected.sort_by_key(|(port, _)| *port);
    assert_eq!(ports, expected);

    let own = get(&two, &format!("{SLICES}/kubernetes")).await.body;
    assert_eq!(
        own["ports"],
        json!([{"name": "http", "port": two.server.port(), "protocol": "TCP"}])
    );
    let none = get(&two, &format!("{SLICES}?labelSelector=a%3Db"))
        .await
        .body;
    assert_eq!(none["items"], json!([]));
    for (method, path, code) in [
        ("GET", format!("{SLICES}/other"), 404),
        ("DELETE", format!("{SLICES}/kubernetes"), 405),
        ("GET", SLICES.replace("default", "kube-system"), 404),
        ("GET", format!("{SLICES}?fieldSelector=x%3Dy"), 400),
        ("GET", format!("{SLICES}?fieldSelector=x"), 400),
    ] {
        assert_eq!(
            answer(two.request(method, &path)).await.code,
            code,
            "{method} {path}"
        );
    }
}
