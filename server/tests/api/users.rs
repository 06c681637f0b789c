//! Authentication and authorization.

mod impersonation;

use crate::api::http::Request;
use crate::api::support::{
    Answer, Api, GROUP, SCHEMAS, answer, current_token, level, read_kubeconfig, schema,
};
use k8s_flowcontrol_server::ApiServer;
use serde_json::{Value, json};

pub(crate) const TOKENS: &str = "bob-token,bob,bob-uid\n\
                                 admin-token,admin,admin-uid,\"system:masters\"\n\
                                 kcm-token,system:kube-controller-manager,kcm-uid\n\
                                 monitor-token,prometheus,monitor-uid,\"system:monitoring\"\n";

const USER_REVIEWS: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

async fn guarded() -> Api {
    Api::with(|builder| builder.tokens(TOKENS)).await
}

async fn guarded_of(release: &str) -> Api {
    Api::with(|builder| builder.tokens(TOKENS).kubernetes(release)).await
}

fn path(rest: &str) -> String {
    format!("/apis/{GROUP}/{rest}")
}

fn with_token(api: &Api, token: &str, method: &str, path: &str) -> Request {
    api.request(method, path)
        .header("authorization", &format!("Bearer {token}"))
}

async fn as_user(api: &Api, token: &str, method: &str, path: &str) -> Answer {
    answer(with_token(api, token, method, path)).await
}

#[tokio::test]
async fn tokens_can_be_replaced_while_the_server_runs() {
    let api = guarded().await;
    let code = async |token: &str| as_user(&api, token, "GET", &path(SCHEMAS)).await.code;
    assert_eq!((code("admin-token").await, code("new").await), (200, 401));
    let invalid = api.server.replace_tokens("secret").unwrap_err().to_string();
    assert!(!invalid.contains("secret"), "{invalid}");
    assert_eq!((code("admin-token").await, code("new").await), (200, 401));
    api.server
        .replace_tokens("new,admin,admin-uid,\"system:masters\"")
        .unwrap();
    assert_eq!((code("admin-token").await, code("new").await), (401, 200));
    api.server.upgrade("1.30").await.unwrap();
    assert_eq!((code("admin-token").await, code("new").await), (401, 200));
    assert_eq!(current_token(&api.server.kubeconfig()), "new");
}

fn forbidden(message: &str, details: Value) -> Value {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": "Forbidden",
        "details": details,
        "code": 403,
    })
}

#[tokio::test]
async fn an_unknown_token_is_a_401_before_anything_else() {
    let api = guarded().await;
    for path in ["/version", "/nope", &path(SCHEMAS)] {
        let response = with_token(&api, "nobody", "GET", path).send().await;
        assert_eq!(response.code(), 401);
        assert!(
            !response
                .headers()
                .contains_key("x-kubernetes-pf-flowschema-uid")
        );
        assert_eq!(
            response.text().await,
            "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\",\
             \"message\":\"Unauthorized\",\"reason\":\"Unauthorized\",\"code\":401}\n"
        );
    }
}

#[tokio::test]
async fn without_a_token_a_request_is_anonymous() {
    let api = guarded().await;
    let seen = answer(api.request("GET", &path(SCHEMAS))).await;
    assert_eq!(
        seen.body,
        forbidden(
            "flowschemas.flowcontrol.apiserver.k8s.io is forbidden: User \"system:anonymous\" cannot \
             list resource \"flowschemas\" in API group \"flowcontrol.apiserver.k8s.io\" at the \
             cluster scope",
            json!({"group": GROUP, "kind": "flowschemas"})
        )
    );
    for (path, code) in [("/version", 200), ("/readyz", 200), ("/apis", 403)] {
        assert_eq!(answer(api.request("GET", path)).await.code, code, "{path}");
    }
    // A message does not look like HTML.
    let seen = answer(api.request("GET", "/%3Cb%3E&")).await;
    let message = "forbidden: User \"system:anonymous\" cannot get path \"/&lt;b&gt;&amp;\"";
    assert_eq!(seen.body["message"], message);
}

#[tokio::test]
async fn a_token_follows_the_scheme() {
    let api = guarded().await;
    for (header, code) in [
        ("Bearer admin-token", 200),
        ("bEARER admin-token y", 200),
        ("Bearer nobody", 401),
        // Anonymous.
        ("Bearer ", 403),
        ("Bearer  admin-token", 403),
        ("Basic admin-token", 403),
    ] {
        let request = api.request("GET", &path(SCHEMAS));
        let seen = answer(request.header("authorization", header)).await;
        assert_eq!(seen.code, code, "{header}");
        // A second space hides the token.
        assert_eq!(
            seen.warnings.len(),
            usize::from(header.contains("  ")),
            "{header}"
        );
    }
}

/// The user that a request acts as.
async fn acts_as(api: &Api, token: &str, headers: &[(&str, &str)]) -> Value {
    let mut request = with_token(api, token, "POST", USER_REVIEWS);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let mut seen = answer(request.json(&json!({}))).await;
    assert_eq!(seen.code, 201, "{}", seen.body);
    seen.body["status"]["userInfo"].take()
}

#[tokio::test]
async fn a_token_file_names_users_and_groups() {
    let text = "b-token,bob,b-uid\n\n,nobody,x\r\na-token,\"a \"\"x\"\"\",a-uid,\"system:masters,dev\"\nc-token,\"two\r\nlines\", u,";
    let api = Api::with(|builder| builder.tokens(text)).await;
    assert_eq!(
        acts_as(&api, "a-token", &[]).await,
        json!({"username": "a \"x\"", "uid": "a-uid", "groups": ["system:masters", "dev", "system:authenticated"]})
    );
    assert_eq!(
        acts_as(&api, "b-token", &[]).await,
        json!({"username": "bob", "uid": "b-uid", "groups": ["system:authenticated"]})
    );
    assert_eq!(
        acts_as(&api, "c-token", &[]).await,
        json!({"username": "two\nlines", "uid": " u", "groups": ["", "system:authenticated"]})
    );
    // A line without a token is for nobody, and a master is the user of the kubeconfig.
    let nobody = as_user(&api, "", "GET", &path(SCHEMAS)).await;
    let message = nobody.body["message"].as_str().unwrap();
    assert!(message.contains("\"system:anonymous\""), "{message}");
    assert_eq!(current_token(&api.server.kubeconfig()), "a-token");
}

#[tokio::test]
async fn users_see_discovery_and_health() {
    let api = guarded().await;
    for (token, path, may_read) in [
        ("bob-token", "/version", true),
        ("bob-token", "/healthz", true),
        ("bob-token", "/apis", true),
        ("bob-token", "/apis/x/v1", true),
        ("bob-token", path("v1").as_str(), true),
        ("bob-token", "/openapi/v3", true),
        ("bob-token", "/", false),
        ("bob-token", "/nope", false),
        ("bob-token", "/apisx", false),
        ("bob-token", "/healthz/ping", false),
        ("bob-token", "/metrics", false),
        ("monitor-token", "/readyz/ping", true),
        ("monitor-token", "/metrics", true),
    ] {
        let code = as_user(&api, token, "GET", path).await.code;
        assert_eq!(code != 403, may_read, "{token} {path}: {code}");
    }
    let forbidden_path = as_user(&api, "bob-token", "GET", "/nope").await;
    assert_eq!(
        forbidden_path.body,
        forbidden(
            "forbidden: User \"bob\" cannot get path \"/nope\"",
            json!({})
        )
    );
}

#[tokio::test]
async fn users_may_not_access_objects() {
    let api = guarded().await;
    let cases = [
        ("GET", "v1/flowschemas?watch=true", "watch", ""),
        ("GET", "v1/watch/flowschemas/a", "watch", "a"),
        (
            "GET",
            "v1/flowschemas?fieldSelector=metadata.name%3Da",
            "list",
            "a",
        ),
        ("POST", "v1/flowschemas", "create", ""),
        ("PUT", "v1/flowschemas/a", "update", "a"),
        ("PATCH", "v1/flowschemas/a", "patch", "a"),
        ("DELETE", "v1/flowschemas/a", "delete", "a"),
        ("DELETE", "v1/flowschemas", "deletecollection", ""),
        ("GET", "v9/flowschemas", "list", ""),
    ];
    for (method, rest, verb, name) in cases {
        let seen = as_user(&api, "bob-token", method, &path(rest)).await;
        let (quoted, mut details) = (format!(" {name:?}"), json!({}));
        if !name.is_empty() {
            details["name"] = name.into();
        }
        details["group"] = GROUP.into();
        details["kind"] = "flowschemas".into();
        let message = format!(
            "flowschemas.{GROUP}{} is forbidden: User \"bob\" cannot {verb} resource \"flowschemas\" \
             in API group {GROUP:?} at the cluster scope",
            if name.is_empty() { "" } else { &quoted }
        );
        assert_eq!(seen.body, forbidden(&message, details), "{method} {rest}");
    }
    let status = as_user(&api, "bob-token", "GET", &path("v1/flowschemas/a/status")).await;
    let message = status.body["message"].as_str().unwrap();
    assert!(message.contains("cannot get resource \"flowschemas/status\""));
}

#[tokio::test]
async fn masters_may_do_anything_and_the_controller_manager_may_list() {
    let api = guarded().await;
    let create = with_token(&api, "admin-token", "POST", &path(SCHEMAS)).json(&schema("a"));
    assert_eq!(answer(create).await.code, 201);
    let list = as_user(&api, "kcm-token", "GET", &path(SCHEMAS)).await;
    assert_eq!(list.code, 200);
    let get = as_user(&api, "kcm-token", "GET", &path("v1/flowschemas/a")).await;
    assert_eq!(get.code, 403);
}

#[tokio::test]
async fn without_tokens_every_user_is_a_master() {
    let api = Api::start().await;
    let create = with_token(
        &api,
        "anything",
        "POST",
        &path("v1/prioritylevelconfigurations"),
    )
    .json(&level("a", 5));
    assert_eq!(answer(create).await.code, 201);
    let as_bob = api
        .request("GET", &path(SCHEMAS))
        .header("impersonate-user", "bob");
    assert_eq!(answer(as_bob).await.code, 403);
}

#[tokio::test]
async fn errors_of_token_files_show_no_secrets() {
    let columns = "expected at least 3 columns (token, user name, user uid), found 2";
    let bare = "a column contains a quote, but does not start with one";
    for (text, line, reason) in [
        ("\nhunter2,bob", 2, columns),
        ("a,b,c,\"d\ne\"\nhunter2,bob\n", 3, columns),
        ("hunter2,bob\na\"b", 1, columns),
        // Go's reader guesses at no quote either: the groups of the first two would not be those that were meant.
        ("a,b,c\nhunter2,bob,uid, \"dev,system:masters\"", 2, bare),
        ("hunter2,bob,uid,dev\"", 1, bare),
        ("hunter2,bob,uid,\"dev\" ,x", 1, "after the closing quote"),
        (
            "a,b,c\r\n\r\nhunter2,\"bob,uid\n",
            3,
            "the closing quote of a column is missing",
        ),
        ("", 1, "no token is usable"),
        ("\n,hunter2,1\n\"\",bob,2", 1, "no token is usable"),
    ] {
        let builder = ApiServer::builder().tokens(text);
        assert!(!format!("{builder:?}").contains("hunter2"));
        let error = builder.start().await.unwrap_err();
        let start = format!("the API server cannot use the tokens: line {line}: {reason}");
        assert!(error.to_string().starts_with(&start), "{error}");
        assert!(!error.to_string().contains("hunter2"), "{error}");
        assert_eq!(error.tokens_line(), Some(line));
        assert!(!format!("{error:?}").contains("hunter2"));
    }
}

#[tokio::test]
async fn the_kubeconfig_has_the_token_of_a_master() {
    let api = guarded().await;
    assert_eq!(current_token(&api.server.kubeconfig()), "admin-token");
    // Of equal tokens the last one counts.
    let text = "old,root,1,system:masters\nnew,admin,2,system:masters\nold,bob,3,dev\n";
    let twice = Api::with(|builder| builder.tokens(text)).await;
    assert_eq!(current_token(&twice.server.kubeconfig()), "new");
    // A user with the name of the current context does not replace it, and any name is valid YAML.
    let text = "one,root,1,system:masters\ntwo,embedded,2\nthree,\u{7f}\u{85}: #,3\n";
    let odd = Api::with(|builder| builder.tokens(text)).await;
    let kubeconfig = odd.server.kubeconfig();
    assert_eq!(current_token(&kubeconfig), "one");
    let users = &read_kubeconfig(&kubeconfig)["users"];
    assert_eq!(users[2]["name"], "\u{7f}\u{85}: #");
    assert_eq!(users.as_array().unwrap().len(), 3);
    assert!(!format!("{:?}", api.server).contains("admin-token"));
    assert!(!Api::start().await.server.kubeconfig().contains("token"));
}
