//! Levels that are deleted, also while requests execute.

use super::{TOKENS, dump, metrics::value, occupy, queue, request, server, text, until};
use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, level, schema};
use k8s_flowcontrol_analysis::dumps::parse_priority_levels;
use serde_json::{Value, json};

/// The nominal seats of a level in the metrics.
async fn nominal(api: &Api, level: &str) -> f64 {
    let line = format!("apiserver_flowcontrol_nominal_limit_seats{{priority_level=\"{level}\"}} ");
    value(&text(api, "/metrics").await, &line)
}

/// Whether the debug dump has the level, and says that it is quiescing.
async fn is_quiescing(api: &Api) -> Option<bool> {
    let levels = parse_priority_levels(&dump(api, "dump_priority_levels").await).unwrap();
    let narrow = levels.rows.iter().find(|row| row.name == "narrow")?;
    narrow.state.as_ref().map(|state| state.is_quiescing)
}

#[tokio::test]
async fn a_deleted_level_has_its_seats_until_its_last_request_ends() {
    let api = server(queue()).await;
    let slow = occupy(&api).await;
    assert_eq!(is_quiescing(&api).await, Some(false));
    let before = nominal(&api, "catch-all").await;
    let path = format!("/apis/{GROUP}/{LEVELS}/narrow");
    let deleted = api
        .request("DELETE", &path)
        .header("authorization", "Bearer admin");
    assert_eq!(deleted.send().await.code(), 200);
    assert_eq!(is_quiescing(&api).await, Some(true));
    assert_eq!(nominal(&api, "narrow").await, 1.0);
    assert_eq!(nominal(&api, "catch-all").await, before);
    // New requests do not get into it.
    assert_eq!(
        request(&api, "bob", &format!("/apis/{GROUP}/{SCHEMAS}"))
            .send()
            .await
            .code(),
        200
    );
    slow.abort();
    while is_quiescing(&api).await.is_some() {}
    // Its series stay, as in a server, until a restart.
    assert_eq!(nominal(&api, "narrow").await, 1.0);
}

#[tokio::test]
async fn metrics_keep_the_last_values_of_a_deleted_level() {
    let api = Api::with(|builder| builder.flow_control(true).server_seats(20)).await;
    let created = api.send("POST", LEVELS, Some(level("wide", 1_000))).await;
    assert_eq!(created.code, 201);
    let path = format!("{LEVELS}/wide");
    // Flow control follows the objects when a request arrives, whether or not its metrics are read.
    assert_eq!(api.get(&path).await.code, 200);
    assert_eq!(api.send("DELETE", &path, None).await.code, 200);
    let metrics = api.request("GET", "/metrics").send().await.text().await;
    let of = |name: &str| {
        let line = format!("apiserver_flowcontrol_{name}{{priority_level=\"wide\"}} ");
        assert!(metrics.contains(&line), "{name}");
        value(&metrics, &line)
    };
    // 1,000 of 1,245 shares.
    assert_eq!(of("nominal_limit_seats"), 17.0);
    assert!(of("current_limit_seats") >= 17.0);
    assert_eq!(of("demand_seats_high_watermark"), 0.0);
    // The others have all seats again.
    let others = metrics.lines().filter_map(|line| {
        let line =
            line.strip_prefix("apiserver_flowcontrol_nominal_limit_seats{priority_level=\"")?;
        let (name, seats) = line.split_once("\"} ")?;
        (name != "wide").then(|| seats.parse::<f64>().unwrap())
    });
    assert!(others.sum::<f64>() >= 20.0);
}

/// Up to 1.28 clients that leave are a separate reason.
#[tokio::test]
async fn clients_that_leave_are_counted_by_release() {
    for (release, reason, counts) in [
        ("1.28", "cancelled", [1, 0, 1]),
        ("1.29", "time-out", [1, 0, 1]),
    ] {
        let mut narrow = level("narrow", 1);
        narrow["spec"]["limited"]["borrowingLimitPercent"] = 0.into();
        narrow["apiVersion"] = format!("{GROUP}/v1beta3").into();
        let mut bob = schema("bob");
        bob["apiVersion"] = format!("{GROUP}/v1beta3").into();
        bob["spec"]["matchingPrecedence"] = 100.into();
        bob["spec"]["priorityLevelConfiguration"]["name"] = "narrow".into();
        bob["spec"]["rules"][0]["subjects"][0]["user"]["name"] = "bob".into();
        bob["spec"]["rules"][0]["nonResourceRules"][0]["nonResourceURLs"] = ["*"].into();
        let api = Api::with(|builder| {
            let builder = builder.kubernetes(release).flow_control(true);
            builder
                .server_seats(20)
                .tokens(TOKENS)
                .objects([narrow, bob])
        })
        .await;
        let slow = occupy(&api).await;
        let waiting = request(&api, "bob", "/version");
        let waiting = crate::spawn(async move {
            waiting.send().await;
        });
        until(&api, 1, 1).await;
        waiting.abort();
        until(&api, 1, 0).await;
        let line = format!(
            "apiserver_flowcontrol_rejected_requests_total{{flow_schema=\"bob\",priority_level=\"narrow\",reason=\"{reason}\"}} "
        );
        assert_eq!(
            value(&text(&api, "/metrics").await, &line),
            1.0,
            "{release}"
        );
        let levels = parse_priority_levels(&dump(&api, "dump_priority_levels").await).unwrap();
        let narrow = levels.rows.iter().find(|row| row.name == "narrow").unwrap();
        let state = narrow.state.as_ref().unwrap();
        let found = [
            state.rejected_requests,
            state.timedout_requests,
            state.cancelled_requests,
        ];
        assert_eq!(found, counts.map(Some), "{release}");
        slow.abort();
    }
}

/// Until the server makes a missing mandatory level again, it uses none of the schemas that name it, and its own mandatory schema instead.
#[tokio::test]
async fn schemas_of_a_missing_mandatory_level_are_not_used() {
    let of_schema = async |api: &Api, user: &str| {
        let response = request(api, user, "/version").send().await;
        let uid = &response.headers()["x-kubernetes-pf-flowschema-uid"];
        uid.to_str().unwrap().to_owned()
    };
    let mut bob = schema("bob");
    bob["spec"]["priorityLevelConfiguration"]["name"] = "exempt".into();
    bob["spec"]["rules"] = json!([{
        "subjects": [{"kind": "User", "user": {"name": "bob"}}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    }]);
    let api = Api::with(|builder| {
        let builder = builder.flow_control(true).tokens(TOKENS);
        builder.objects([bob])
    })
    .await;
    let uid = async |name: &str| {
        let object = text(&api, &format!("/apis/{GROUP}/{SCHEMAS}/{name}")).await;
        let object: Value = serde_json::from_str(&object).unwrap();
        object["metadata"]["uid"].as_str().unwrap().to_owned()
    };
    assert_eq!(of_schema(&api, "bob").await, uid("bob").await);
    assert_eq!(of_schema(&api, "admin").await, uid("exempt").await);
    let path = format!("/apis/{GROUP}/{LEVELS}/exempt");
    let deleted = api.request("DELETE", &path);
    let deleted = deleted.header("authorization", "Bearer admin").send().await;
    assert_eq!(deleted.code(), 200);
    assert_eq!(of_schema(&api, "bob").await, uid("global-default").await);
    assert_eq!(of_schema(&api, "admin").await, "");
}
