//! Impersonation.

use super::{acts_as, forbidden, guarded, guarded_of, path, with_token};
use crate::api::support::{Api, GROUP, SCHEMAS, answer};
use serde_json::{Value, json};

#[tokio::test]
async fn masters_may_impersonate() {
    let api = guarded().await;
    let list = |token| with_token(&api, token, "GET", &path(SCHEMAS));
    let as_bob = answer(list("admin-token").header("impersonate-user", "bob")).await;
    assert_eq!(as_bob.code, 403);
    assert!(
        as_bob.body["message"]
            .as_str()
            .unwrap()
            .contains("User \"bob\" cannot list")
    );
    let as_master = list("admin-token")
        .header("impersonate-user", "x")
        .header("impersonate-group", "system:masters");
    assert_eq!(answer(as_master).await.code, 200);
}

#[tokio::test]
async fn others_may_not_impersonate() {
    let legacy = |kind: &str, name: &str, scope: &str| {
        let message = format!(
            "{kind} {name:?} is forbidden: User \"bob\" cannot impersonate resource {kind:?} in API \
             group \"\" {scope}"
        );
        forbidden(&message, json!({"name": name, "kind": kind}))
    };
    let constrained = |mode: &str| {
        let message = format!(
            "flowschemas.{GROUP} is forbidden: User \"bob\" cannot impersonate-on:{mode}:list resource \
             \"flowschemas\" in API group {GROUP:?} at the cluster scope"
        );
        forbidden(&message, json!({"group": GROUP, "kind": "flowschemas"}))
    };
    let as_user = |name| vec![("impersonate-user", name)];
    let [node, account] = ["system:node:a", "system:serviceaccount:ns:sa"].map(as_user);
    let mut account_in_group = account.clone();
    account_in_group.push(("impersonate-group", "a"));
    let of_account = legacy("serviceaccounts", "sa", "in the namespace \"ns\"");
    for (release, headers, expected) in [
        (
            "1.35",
            as_user("alice"),
            legacy("users", "alice", "at the cluster scope"),
        ),
        ("1.36", as_user("alice"), constrained("user-info")),
        ("1.36", node, constrained("arbitrary-node")),
        ("1.36", account, constrained("serviceaccount")),
        ("1.36", account_in_group, of_account),
    ] {
        let api = guarded_of(release).await;
        let mut request = with_token(&api, "bob-token", "GET", &path(SCHEMAS));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let response = request.send().await;
        let headers = response.headers();
        assert!(!headers.contains_key("x-kubernetes-pf-flowschema-uid"));
        assert_eq!(headers["x-content-type-options"], "nosniff");
        let body: Value = serde_json::from_str(&response.text().await).unwrap();
        assert_eq!(body, expected, "{release}");
    }
}

#[tokio::test]
async fn a_master_becomes_anybody() {
    let api = guarded().await;
    for (headers, user) in [
        (
            &[
                ("impersonate-user", "x"),
                ("impersonate-group", "a"),
                ("impersonate-group", "b"),
                ("impersonate-uid", "7"),
                ("impersonate-extra-acme.com%2fproject", "p"),
            ][..],
            json!({
                "username": "x",
                "uid": "7",
                "groups": ["a", "b", "system:authenticated"],
                "extra": {"acme.com/project": ["p"]},
            }),
        ),
        (
            &[("impersonate-user", "system:serviceaccount:ns:sa")],
            json!({
                "username": "system:serviceaccount:ns:sa",
                "groups": ["system:serviceaccounts", "system:serviceaccounts:ns", "system:authenticated"],
            }),
        ),
        (
            &[
                ("impersonate-user", "system:anonymous"),
                ("impersonate-group", "system:authenticated"),
            ],
            json!({
                "username": "system:anonymous",
                "groups": ["system:authenticated", "system:unauthenticated"],
            }),
        ),
        // With a group it is not a constrained impersonation.
        (
            &[
                ("impersonate-user", "system:node:a"),
                ("impersonate-group", "b"),
            ],
            json!({"username": "system:node:a", "groups": ["b", "system:authenticated"]}),
        ),
    ] {
        assert_eq!(acts_as(&api, "admin-token", headers).await, user);
    }
    for (release, groups) in [
        ("1.35", json!(["system:authenticated"])),
        ("1.36", json!(["system:nodes", "system:authenticated"])),
    ] {
        let api = guarded_of(release).await;
        let node = acts_as(
            &api,
            "admin-token",
            &[("impersonate-user", "system:node:a")],
        )
        .await;
        assert_eq!(node["groups"], groups, "{release}");
    }
    // A user without rights is rejected, with the name in the message.
    let list = with_token(&api, "admin-token", "GET", "/readyz");
    let anonymous = list.header("impersonate-user", "system:anonymous");
    assert_eq!(answer(anonymous).await.code, 200);
    let list = with_token(&api, "admin-token", "GET", "/apis");
    let anonymous = list.header("impersonate-user", "system:anonymous");
    assert_eq!(answer(anonymous).await.code, 403);
}

#[tokio::test]
async fn impersonation_without_a_user_is_a_bad_request() {
    let api = guarded_of("1.36").await;
    for (headers, user) in [
        (
            &[("impersonate-group", "a"), ("impersonate-group", "b")][..],
            r#"UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)"#,
        ),
        (
            &[
                ("impersonate-uid", "7"),
                ("impersonate-extra-b", "1"),
                ("impersonate-extra-a", "2"),
            ],
            r#"UID:"7", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"2"}, "b":[]string{"1"}}"#,
        ),
    ] {
        let mut request = with_token(&api, "admin-token", "GET", &path(SCHEMAS));
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let seen = answer(request).await;
        assert_eq!(
            (seen.code, &seen.body["reason"]),
            (400, &json!("BadRequest"))
        );
        let message = format!(
            "requested &user.DefaultInfo{{Name:\"\", {user}}} without impersonating a user name"
        );
        assert_eq!(seen.body["message"], message);
    }
}

#[tokio::test]
async fn impersonation_without_a_user_was_an_internal_error() {
    // Also without tokens, where every user is of `system:masters`.
    let open = Api::with(|builder| builder.kubernetes("1.35")).await;
    for api in [guarded_of("1.35").await, open] {
        let path = format!("/apis/{GROUP}/{SCHEMAS}?limit=1&x=y");
        let request = with_token(&api, "admin-token", "GET", &path)
            .header("impersonate-group", "system:masters");
        let response = request.send().await;
        assert_eq!(response.code(), 500);
        assert_eq!(
            response.headers()["content-type"],
            "text/plain; charset=utf-8"
        );
        assert_eq!(
            response.text().await,
            format!(
                "Internal Server Error: \"/apis/{GROUP}/{SCHEMAS}?limit=1&amp;x=y\": requested [{{Group  \
                 system:masters    }}] without impersonating a user\n"
            )
        );
    }
}
