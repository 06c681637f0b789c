//! The diagnosis of a recorded server under load.

use super::support::{lines, objects, of};
use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Scope, ServerEvidence, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_queues, parse_requests};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, Quantity};
use k8s_flowcontrol_rules::matching::User;
use k8s_flowcontrol_types::Release;

const METRICS: &str = include_str!("../fixtures/diagnosis/metrics.txt");
const LEVELS: &str = include_str!("../fixtures/dumps/priority-levels.txt");
const QUEUES: &str = include_str!("../fixtures/dumps/queues.txt");
const REQUESTS: &str = include_str!("../fixtures/dumps/requests-with-details.txt");

pub(super) fn evidence() -> Evidence {
    let (schemas, levels) = objects(include_str!("../fixtures/diagnosis/objects.json"));
    let mut server = ServerEvidence::new("127.0.0.1:6443");
    server.metrics = Some(FlowMetrics::parse(METRICS));
    server.priority_levels = Some(parse_priority_levels(LEVELS).unwrap().rows);
    server.queues = Some(parse_queues(QUEUES).unwrap().rows);
    server.requests = Some(parse_requests(REQUESTS).unwrap().rows);
    let mut evidence = Evidence::new(Release::NEWEST, schemas, levels);
    evidence.servers.push(server);
    evidence
}

#[test]
fn the_metrics_of_both_names_are_read() {
    let metrics = FlowMetrics::parse(METRICS);
    assert_eq!(
        metrics.total(Quantity::WaitingRequests, "load-queue"),
        Some(9)
    );
    assert_eq!(metrics.total(Quantity::SeatsInUse, "load-queue"), Some(2));
    assert_eq!(metrics.priority_levels().len(), 12);
    // The same server with the names before 1.26.
    let older = METRICS
        .lines()
        .filter(|line| !line.contains("_limit_seats") || line.contains("nominal_limit_seats"))
        .map(|line| {
            line.replace("nominal_limit_seats", "request_concurrency_limit")
                .replace("current_executing_seats", "request_concurrency_in_use")
        })
        .collect::<Vec<_>>()
        .join("\n");
    let older = FlowMetrics::parse(&older);
    for quantity in [
        Quantity::NominalSeats,
        Quantity::SeatsInUse,
        Quantity::RejectedRequests,
    ] {
        let totals = |metrics: &FlowMetrics| {
            let levels = metrics.priority_levels().into_iter();
            levels
                .map(|level| metrics.total(quantity, level))
                .collect::<Vec<_>>()
        };
        assert_eq!(totals(&metrics), totals(&older), "{quantity:?}");
    }
    assert_eq!(older.total(Quantity::CurrentSeats, "load-queue"), Some(2));
    assert_eq!(
        older.metric(Quantity::CurrentSeats),
        Some("apiserver_flowcontrol_request_concurrency_limit")
    );
}

pub(super) fn show(diagnosis: &Diagnosis) -> String {
    let findings = diagnosis.findings.iter().map(|finding| {
        let level = finding.priority_level.as_deref().unwrap_or("-");
        format!(
            "{} {} {level}: {}",
            finding.severity, finding.check, finding.message
        )
    });
    findings.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_server_with_full_queues_and_idle_seats() {
    let evidence = evidence();
    let diagnosis = diagnose(&evidence, &Scope::default());
    let text = show(&diagnosis);
    assert_eq!(diagnosis.verdict, Verdict::Misconfigured, "{text}");

    let idle = of(&diagnosis, "idle-seats");
    assert_eq!(idle.len(), 1, "{text}");
    assert_eq!(
        (idle[0].priority_level.as_deref(), idle[0].severity),
        (Some("load-queue"), Severity::Problem)
    );
    assert!(
        idle[0]
            .message
            .starts_with("9 requests of priority level load-queue wait for its 2 seats"),
        "{text}"
    );
    assert_eq!(
        lines(idle[0])[0],
        "127.0.0.1:6443: apiserver_flowcontrol_current_inqueue_requests{flow_schema=\"load-queue\",\
         priority_level=\"load-queue\"} is 9"
    );

    let closed = of(&diagnosis, "closed-level");
    assert_eq!(closed[0].priority_level.as_deref(), Some("load-zero-queue"));
    assert_eq!(closed.len(), 1, "{text}");

    let reasons: Vec<_> = of(&diagnosis, "rejections")
        .into_iter()
        .map(|finding| {
            (
                finding.priority_level.clone().unwrap(),
                finding.message.clone(),
            )
        })
        .collect();
    assert_eq!(reasons.len(), 3, "{text}");
    assert!(
        reasons[0].1.contains(
            "5 requests of priority level load-queue were rejected because of full queues"
        ),
        "{text}"
    );
    assert!(reasons[1].1.contains("concurrency-limit"), "{text}");

    let borrowing = of(&diagnosis, "borrowing");
    assert!(
        borrowing
            .iter()
            .any(|finding| finding.priority_level.as_deref() == Some("load-queue")),
        "{text}"
    );
    assert!(of(&diagnosis, "system-traffic").is_empty(), "{text}");
}

#[test]
fn the_flows_of_the_dump_are_named_by_their_distinguisher() {
    let evidence = evidence();
    let diagnosis = diagnose(
        &evidence,
        &Scope {
            level: Some("load-queue"),
            ..Scope::default()
        },
    );
    let flows = of(&diagnosis, "busiest-flow");
    assert_eq!(flows.len(), 1, "{}", show(&diagnosis));
    assert!(
        lines(flows[0])[0].contains("dump_requests: waiting requests of namespace"),
        "{:?}",
        lines(flows[0])
    );
    assert!(diagnosis.findings.iter().all(|finding| {
        finding
            .priority_level
            .as_deref()
            .is_none_or(|level| level == "load-queue")
    }));
}

#[test]
fn the_requests_of_a_user() {
    let evidence = evidence();
    let user = User::named("zack");
    let rename = |_: k8s_flowcontrol_analysis::diagnosis::PrivateName<'_>| "somebody".to_owned();
    let scope = Scope {
        user: Some(&user),
        rename: Some(&rename),
        ..Scope::default()
    };
    let diagnosis = diagnose(&evidence, &scope);
    let own = of(&diagnosis, "user-requests");
    let text = show(&diagnosis);
    assert!(
        own[0]
            .message
            .starts_with("2 requests of user somebody wait in priority level load-zero-queue"),
        "{text}"
    );
    assert!(
        own[1]
            .message
            .contains("load-zero-queue (priority level load-zero-queue)"),
        "{text}"
    );
    assert!(!format!("{diagnosis:?}").contains("zack"));
    // Other levels are not in the scope.
    assert!(of(&diagnosis, "idle-seats").is_empty(), "{text}");
}
