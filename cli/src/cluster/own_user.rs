//! The user of the requests.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol::rules::matching::User;
use serde_json::Value;

/// The user of the connection, with the groups, if the cluster tells.
pub(crate) async fn own_user(client: &Client) -> Option<User> {
    let review = r#"{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"}"#;
    let path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let request = client
        .raw(Method::POST, path)
        .body("application/json", review);
    let answer: Value = serde_json::from_slice(&request.await.ok()?).ok()?;
    let info = &answer["status"]["userInfo"];
    let groups = info["groups"].as_array()?.iter();
    let groups: Vec<&str> = groups.filter_map(Value::as_str).collect();
    Some(User::new(info["username"].as_str()?, groups))
}
