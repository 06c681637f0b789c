//! Metrics, dumps and objects that no server has.

use super::support::{level, queues, schema, user};
use k8s_flowcontrol_analysis::diagnosis::{Evidence, Scope, ServerEvidence, diagnose};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_requests};
use k8s_flowcontrol_analysis::metrics::FlowMetrics;
use k8s_flowcontrol_types::Release;
use proptest::prelude::*;
use serde_json::json;
use std::time::Duration;

fn number() -> impl Strategy<Value = String> {
    let odd = [
        "NaN",
        "+Inf",
        "-Inf",
        "1e300",
        "-1e300",
        "9223372036854775807",
        "-5",
        "0",
        "0.5",
    ];
    prop_oneof![
        (0..30_i64).prop_map(|number| number.to_string()),
        proptest::sample::select(odd.map(str::to_owned).to_vec()),
    ]
}

fn metrics() -> impl Strategy<Value = FlowMetrics> {
    let metric = proptest::sample::select(vec![
        "current_limit_seats",
        "nominal_limit_seats",
        "lower_limit_seats",
        "upper_limit_seats",
        "request_concurrency_limit",
        "current_executing_seats",
        "request_concurrency_in_use",
        "current_inqueue_requests",
        "rejected_requests_total",
        "dispatched_requests_total",
    ]);
    let level = proptest::sample::select(vec!["a", "b", "catch-all", "exempt"]);
    let line = (metric, level, "[a-c]", number()).prop_map(|(metric, level, schema, number)| {
        format!("apiserver_flowcontrol_{metric}{{flow_schema=\"{schema}\",priority_level=\"{level}\"}} {number}\n")
    });
    proptest::collection::vec(line, 0..40).prop_map(|lines| FlowMetrics::parse(&lines.concat()))
}

fn requests() -> impl Strategy<Value = String> {
    let index = prop_oneof![Just(-1_i64), 0..4_i64, Just(i64::MAX)];
    let seats = prop_oneof![Just(i64::MIN), Just(-1_i64), 0..20_i64, Just(i64::MAX)];
    let row = ("[ab]", "[ab]", index.clone(), index, "[a-d]?", seats).prop_map(
        |(level, schema, queue, index, flow, seats)| {
            format!("{level}, {schema}, {queue}, {index}, {flow}, 2026-11-20T15:57:05Z, {seats}\n")
        },
    );
    proptest::collection::vec(row, 0..30).prop_map(|rows| {
        "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats\n"
            .to_owned()
            + &rows.concat()
    })
}

fn levels() -> impl Strategy<Value = String> {
    let row = ("[ab]", number(), number()).prop_map(|(level, waiting, rejected)| {
        format!("{level}, 0, false, false, {waiting}, {rejected}, {rejected}, {rejected}, {rejected}, {rejected}\n")
    });
    proptest::collection::vec(row, 0..4).prop_map(|rows| {
        "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, \
         RejectedRequests, TimedoutRequests, CancelledRequests\n"
            .to_owned()
            + &rows.concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if crate::tries_all() { 64 } else { 16 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_evidence_has_a_diagnosis(
        metrics in proptest::option::of((metrics(), metrics(), 0..3_u64)),
        requests in proptest::option::of(requests()),
        dump in proptest::option::of(levels()),
        hands in (prop_oneof![any::<i32>(), 0..40], prop_oneof![any::<i32>(), 0..9]),
        percent in any::<i32>(),
        shares in any::<i32>(),
        minor in 20..40_u32,
    ) {
        let mut server = ServerEvidence::new("server");
        if let Some((earlier, later, seconds)) = metrics {
            server.metrics = Some(later);
            server.earlier = (seconds > 0).then(|| (earlier, Duration::from_secs(seconds)));
        }
        server.requests = requests.map(|text| parse_requests(&text).unwrap().rows);
        server.priority_levels = dump.map(|text| parse_priority_levels(&text).unwrap().rows);
        let mut odd = queues(1, 1);
        odd["limitResponse"]["queuing"] = json!({"queues": hands.0, "handSize": hands.1, "queueLengthLimit": 0});
        odd["borrowingLimitPercent"] = json!(percent);
        odd["lendablePercent"] = json!(percent);
        odd["nominalConcurrencyShares"] = json!(shares);
        let release = format!("1.{minor}").parse().unwrap_or(Release::NEWEST);
        let levels = vec![level("a", odd), level("b", queues(8, 2))];
        let schemas = vec![schema("a", "a", 1, user("a")), schema("b", "b", 2, user("*"))];
        let mut evidence = Evidence::new(release, schemas, levels);
        evidence.servers.push(server);
        let own = k8s_flowcontrol_rules::matching::User::named("a");
        for scope in [Scope::default(), Scope { user: Some(&own), level: Some("a"), ..Scope::default() }] {
            let diagnosis = diagnose(&evidence, &scope);
            prop_assert!(!diagnosis.summary.is_empty());
            for finding in &diagnosis.findings {
                prop_assert!(!finding.evidence.is_empty() || finding.check == "user-requests", "{finding:?}");
            }
        }
    }
}
