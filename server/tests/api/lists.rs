//! Lists: pages, expiry, selectors, resource versions.

use crate::api::support::{Answer, Api, GROUP, LEVELS, SCHEMAS, level, names, schema};
use base64::Engine as _;
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
    // The form of a real server's tokens.
    let version = first["metadata"]["resourceVersion"].as_str().unwrap();
    let content = format!(r#"{{"v":"meta.k8s.io/v1","rv":{version},"start":"b\u0000"}}"#);
    let base64 = base64::engine::general_purpose::URL_SAFE_NO_PAD;
    assert_eq!(token, base64.encode(content));
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
}

/// The response to a list with a parameter, whose value is encoded here.
async fn list_with(api: &Api, parameter: &str, value: &str) -> Answer {
    let value: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    api.get(&format!("{SCHEMAS}?{parameter}={value}")).await
}

#[tokio::test]
async fn requirements_hold_or_not() {
    let api = Api::with(|builder| builder.bootstrap(false)).await;
    let mut object = schema("a");
    object["metadata"]["labels"]["idx"] = "3".into();
    api.send("POST", SCHEMAS, Some(object)).await;
    for (parameter, selected, others) in [
        (
            "labelSelector",
            &[
                "",
                "lab=yes",
                "lab==yes",
                " lab = yes ",
                "lab",
                "!half",
                "lab in (no,yes)",
                "half notin (a)",
                "half!=a",
                "idx>2",
                "idx<4",
                "lab=yes,idx",
                "lab in (yes, )",
            ][..],
            &[
                "lab!=yes",
                "lab=",
                "!lab",
                "half",
                "lab in ()",
                "lab notin (yes)",
                "idx>3",
                "in",
                "notin=a,lab",
                "lab,in",
            ][..],
        ),
        (
            "fieldSelector",
            &[
                "",
                ",",
                "=",
                "metadata.name=a",
                "metadata.name==a",
                "metadata.namespace=",
            ],
            &[
                "metadata.name!=a",
                "metadata.name=",
                "metadata.name=a,metadata.name=b",
            ],
        ),
    ] {
        for (selectors, count) in [(selected, 1), (others, 0)] {
            for selector in selectors {
                let list = list_with(&api, parameter, selector).await;
                assert_eq!(list.code, 200, "{selector}: {}", list.body);
                assert_eq!(names(&list.body).len(), count, "{selector}");
            }
        }
    }
}

#[tokio::test]
async fn mistakes_are_told_in_the_servers_words() {
    let api = Api::start().await;
    let token = "invalid continue token: continue key is not valid: ";
    for (parameter, value, message) in [
        (
            "labelSelector",
            "=x",
            "found '=', expected: !, identifier, or 'end of string'",
        ),
        (
            "labelSelector",
            "==x",
            "found '==', expected: !, identifier, or 'end of string'",
        ),
        (
            "labelSelector",
            "lab in (a,=",
            "unable to parse requirement: found '=', expected: ',', or identifier",
        ),
        (
            "labelSelector",
            "lab=a b",
            "found 'b', expected: ',' or 'end of string'",
        ),
        (
            "labelSelector",
            "lab in (a",
            "unable to parse requirement: found '', expected: ',' or ')'",
        ),
        (
            "labelSelector",
            "!!x",
            "unable to parse requirement: found '!', expected: identifier",
        ),
        (
            "labelSelector",
            "lab=yes,,half",
            "found ',', expected: identifier after ','",
        ),
        (
            "labelSelector",
            "a b",
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
        ),
        (
            "fieldSelector",
            "spec.x=1",
            "\"spec.x\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        ),
        (
            "fieldSelector",
            "metadata.name in (a)",
            "invalid selector: 'metadata.name in (a)'; can't understand 'metadata.name in (a)'",
        ),
        (
            "fieldSelector",
            "spec.x=1,metadata.name,a",
            "invalid selector: 'spec.x=1,metadata.name,a'; can't understand 'a'",
        ),
        (
            "fieldSelector",
            "metadata.name=a=b",
            "invalid field selector: unescaped character in value: 61",
        ),
        (
            "limit",
            "abc",
            "strconv.ParseInt: parsing \"abc\": invalid syntax",
        ),
        (
            "continue",
            "garbage",
            &format!("{token}invalid character '\\u0081' looking for beginning of value"),
        ),
        (
            "continue",
            "%%%",
            &format!("{token}illegal base64 data at input byte 0"),
        ),
        (
            "continue",
            "e30=",
            &format!("{token}illegal base64 data at input byte 3"),
        ),
        (
            "continue",
            "e30ab",
            &format!("{token}illegal base64 data at input byte 4"),
        ),
    ] {
        let answer = list_with(&api, parameter, value).await;
        assert_eq!(answer.code, 400, "{value}");
        assert_eq!(answer.body["message"], message, "{value}");
    }
}

#[tokio::test]
async fn every_value_of_a_requirement_is_checked_in_order() {
    let api = Api::start().await;
    for (selector, starts) in [
        (
            "lab in (_b,_a)",
            &[
                "values[0][lab]: Invalid value: \"_a\": a valid label",
                ", values[1][lab]: Invalid value: \"_b\": a valid label",
            ][..],
        ),
        (
            "lab>_a",
            &[
                "values[0]: Invalid value: \"_a\": for 'Gt', 'Lt' operators",
                ", values[0][lab]: Invalid value: \"_a\": a valid label",
            ],
        ),
    ] {
        let answer = list_with(&api, "labelSelector", selector).await;
        let message = answer.body["message"].as_str().unwrap();
        let rest = message
            .strip_prefix("unable to parse requirement: [")
            .unwrap();
        assert!(
            rest.starts_with(starts[0]) && rest.contains(starts[1]) && rest.ends_with(']'),
            "{message}"
        );
    }
}

#[tokio::test]
async fn parameters_are_decoded() {
    let api = api().await;
    for (query, expected) in [
        ("labelSelector=name+in%20(a,b)", &["a", "b"][..]),
        ("limit=2&limit=3", &["a", "b"]),
        ("labelSelector&limit=1", &["a"]),
        // Not an escape: it stays as it was sent.
        ("fieldSelector=metadata.name!=%zz&limit=1", &["a"]),
    ] {
        let path = format!("{SCHEMAS}?{query}");
        assert_eq!(api.names(&path).await, expected, "{query}");
    }
    for (query, watches) in [
        ("watch", true),
        ("watch=garbage", true),
        ("watch=false", false),
        ("watch=0", false),
        ("other", false),
    ] {
        let path = format!("/apis/{GROUP}/{SCHEMAS}?{query}");
        let first = api
            .request("GET", &path)
            .send()
            .await
            .chunk()
            .await
            .unwrap();
        assert_eq!(first.starts_with(b"{\"type\":"), watches, "{query}");
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
async fn the_history_is_bounded_by_changes_of_all_kinds() {
    let api = Api::with(|builder| builder.bootstrap(false).history(4)).await;
    let created = api.send("POST", LEVELS, Some(level("a", 1))).await.body;
    let then = created["metadata"]["resourceVersion"].as_str().unwrap();
    let exact = format!("{LEVELS}?resourceVersion={then}&resourceVersionMatch=Exact");
    api.send("POST", LEVELS, Some(level("b", 1))).await;
    // Two changes: the server sets the status.
    api.send("POST", SCHEMAS, Some(schema("other"))).await;
    api.send("DELETE", &format!("{LEVELS}/a"), None).await;
    assert_eq!(api.names(&exact).await, ["a"]);
    assert_eq!(api.names(LEVELS).await, ["b"]);
    api.send("POST", LEVELS, Some(level("c", 1))).await;
    assert_eq!(api.get(&exact).await.code, 410);
    assert_eq!(api.names(LEVELS).await, ["b", "c"]);
}

#[tokio::test]
async fn a_list_waits_for_a_future_revision() {
    let api = api().await;
    let now = api.get(SCHEMAS).await.body["metadata"]["resourceVersion"].clone();
    let now: u64 = now.as_str().unwrap().parse().unwrap();
    let path = format!("{SCHEMAS}/a?resourceVersion={}", now + 1);
    let (found, _) = tokio::join!(
        api.get(&path),
        api.send("POST", LEVELS, Some(level("x", 1)))
    );
    assert_eq!(found.code, 200);
}

/// A token is read before it is compared with other parameters, and parameters before the names of fields.
#[tokio::test]
async fn the_first_error_of_a_list_is_that_of_the_server() {
    let api = Api::start().await;
    for (query, code, part) in [
        (
            "continue=x&resourceVersion=1",
            400,
            "invalid continue token",
        ),
        (
            "fieldSelector=x=y&resourceVersionMatch=Exact",
            422,
            "resourceVersionMatch is forbidden",
        ),
        (
            "fieldSelector=x&resourceVersionMatch=Exact",
            400,
            "can't understand 'x'",
        ),
        (
            "fieldSelector=x=y",
            400,
            "\"x\" is not a known field selector",
        ),
    ] {
        let failed = api.get(&format!("{SCHEMAS}?{query}")).await;
        assert_eq!(failed.code, code, "{query}");
        let message = failed.body["message"].as_str().unwrap();
        assert!(message.contains(part), "{query}: {message}");
    }
}
