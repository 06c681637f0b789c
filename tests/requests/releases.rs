//! The release of servers that do not name it.

use crate::requests::script::{Script, answer};

const ODD: &str = r#"{"major": "", "minor": "", "gitVersion": "v5.6-custom", "gitCommit": "", "gitTreeState": "", "buildDate": "", "goVersion": "", "compiler": "", "platform": ""}"#;

#[tokio::test]
async fn the_served_versions_stand_for_a_release_without_a_name() {
    let group = r#"{"kind": "APIGroup", "apiVersion": "v1", "name": "flowcontrol.apiserver.k8s.io", "versions": [
        {"groupVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "version": "v1beta3"},
        {"groupVersion": "flowcontrol.apiserver.k8s.io/v1beta2", "version": "v1beta2"}]}"#;
    let server = Script::start(vec![answer(200, "", ODD), answer(200, "", group)]).await;
    let release = server.client.release().await.unwrap();
    assert_eq!(release.minor(), 26);
}

#[tokio::test]
async fn a_server_without_flow_control_has_no_release() {
    let missing = r#"{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404}"#;
    let server = Script::start(vec![answer(200, "", ODD), answer(404, "", missing)]).await;
    let error = server.client.release().await.unwrap_err();
    assert!(error.is_decode(), "{error}");
    let text = error.to_string();
    for part in ["GET /version", "v5.6-custom", "name the release"] {
        assert!(text.contains(part), "{text}");
    }
}
