//! Reviews: `kubectl auth can-i` and `kubectl auth whoami`.

use crate::api::support::{Answer, Api, GROUP, answer};
use crate::api::users::TOKENS;
use serde_json::{Value, json};

const ACCESS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const RULES: &str = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const USER: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

async fn guarded() -> Api {
    Api::with(|builder| builder.tokens(TOKENS).kubernetes("1.36")).await
}

async fn ask(api: &Api, token: &str, path: &str, review: &Value) -> Answer {
    let request = api.request("POST", path);
    let request = request.header("authorization", &format!("Bearer {token}"));
    answer(request.json(review)).await
}

fn about_resource(verb: &str) -> Value {
    let attributes = json!({"verb": verb, "group": GROUP, "resource": "flowschemas"});
    json!({"spec": {"resourceAttributes": attributes}})
}

#[tokio::test]
async fn an_access_review_says_whether_a_request_would_pass() {
    let api = guarded().await;
    let path =
        |path: &str| json!({"spec": {"nonResourceAttributes": {"verb": "get", "path": path}}});
    for (token, review, allowed) in [
        ("admin-token", about_resource("delete"), true),
        ("bob-token", about_resource("list"), false),
        ("kcm-token", about_resource("list"), true),
        ("kcm-token", about_resource("delete"), false),
        ("bob-token", path("/openapi/v2"), true),
        ("bob-token", path("/metrics"), false),
        ("admin-token", path("/metrics"), true),
    ] {
        let answer = ask(&api, token, ACCESS, &review).await;
        assert_eq!(answer.code, 201);
        assert_eq!(answer.body["kind"], "SelfSubjectAccessReview");
        assert_eq!(answer.body["spec"], review["spec"]);
        assert_eq!(
            answer.body["status"],
            json!({"allowed": allowed}),
            "{token} {review}"
        );
    }
}

#[tokio::test]
async fn a_review_is_read_from_protocol_buffers_too() {
    fn message(number: u8, content: &[u8]) -> Vec<u8> {
        let mut message = vec![number << 3 | 2];
        match content.len() {
            length @ ..128 => message.push(length as u8),
            length => message.extend([length as u8 | 0x80, (length >> 7) as u8]),
        }
        message.extend(content);
        message
    }
    let api = guarded().await;
    let name = "n".repeat(300);
    let attributes = [
        // Fields of other types, and a field that comes twice, of which the last counts.
        vec![8 << 3, 0xac, 0x02],
        vec![9 << 3 | 1, 0, 0, 0, 0, 0, 0, 0, 0],
        vec![10 << 3 | 5, 0, 0, 0, 0],
        message(2, b"get"),
        message(2, b"delete"),
        message(3, GROUP.as_bytes()),
        message(5, b"flowschemas"),
        message(7, name.as_bytes()),
    ];
    let review = [
        message(1, b""),
        message(2, &message(1, &attributes.concat())),
    ];
    let mut body = b"k8s\0".to_vec();
    body.extend(message(2, &review.concat()));
    let json = "application/json";
    let both = "application/vnd.kubernetes.protobuf,application/json";
    for (body, accept, code) in [
        (body[..body.len() - 1].to_vec(), json, 400),
        (body[4..].to_vec(), json, 400),
        (b"k8s\0\x12\xff".to_vec(), json, 400),
        (body, both, 201),
    ] {
        let request = api
            .request("POST", ACCESS)
            .header("authorization", "Bearer admin-token")
            .header("content-type", "application/vnd.kubernetes.protobuf")
            .header("accept", accept);
        let answer = answer(request.body(body)).await;
        assert_eq!(answer.code, code);
        if code == 201 {
            let mut review = about_resource("delete");
            review["spec"]["resourceAttributes"]["name"] = name.as_str().into();
            assert_eq!(answer.body["spec"], review["spec"]);
            assert_eq!(answer.body["status"], json!({"allowed": true}));
        }
    }
}

#[tokio::test]
async fn an_access_review_has_one_question() {
    let api = guarded().await;
    let mut both = about_resource("get");
    both["spec"]["nonResourceAttributes"] = json!({"path": "/", "verb": "get"});
    for (review, field) in [
        (json!({}), "spec.resourceAttributes"),
        (both, "spec.nonResourceAttributes"),
    ] {
        let answer = ask(&api, "bob-token", ACCESS, &review).await;
        assert_eq!(answer.code, 422);
        assert_eq!(answer.body["details"]["causes"][0]["field"], field);
    }
}

#[tokio::test]
async fn a_rules_review_lists_all_permissions() {
    let api = guarded().await;
    let review = json!({"spec": {"namespace": "default"}});
    let admin = ask(&api, "admin-token", RULES, &review).await.body;
    assert_eq!(
        admin["status"]["resourceRules"][0],
        json!({"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]})
    );
    let bob = ask(&api, "bob-token", RULES, &review).await.body;
    let rules = bob["status"]["resourceRules"].as_array().unwrap();
    assert!(rules.iter().all(|rule| rule["verbs"] == json!(["create"])));
    let paths = &bob["status"]["nonResourceRules"][0]["nonResourceURLs"];
    assert!(paths.as_array().unwrap().contains(&"/openapi/*".into()));
    let without = ask(&api, "bob-token", RULES, &json!({})).await;
    assert_eq!(
        (without.code, &without.body["message"]),
        (400, &"no namespace on request".into())
    );
}

#[tokio::test]
async fn a_user_review_names_the_user() {
    let api = guarded().await;
    let user = ask(&api, "bob-token", USER, &json!({})).await;
    let info = &user.body["status"]["userInfo"];
    assert_eq!((user.code, &info["username"]), (201, &"bob".into()));
    assert_eq!(info["groups"], json!(["system:authenticated"]));
    // Releases before 1.28 do not have it.
    api.server.upgrade("1.27").await.unwrap();
    let missing = api
        .request("POST", USER)
        .header("authorization", "Bearer admin-token");
    assert_eq!(missing.json(&json!({})).send().await.code(), 404);
}

#[tokio::test]
async fn reviews_can_only_be_created() {
    let api = guarded().await;
    let request = |token: &str| {
        let request = api.request("GET", ACCESS);
        request.header("authorization", &format!("Bearer {token}"))
    };
    assert_eq!(request("admin-token").send().await.code(), 405);
    let anonymous = api.request("POST", ACCESS).json(&about_resource("get"));
    assert_eq!(anonymous.send().await.code(), 403);
}
