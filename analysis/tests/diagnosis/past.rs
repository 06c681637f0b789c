//! Rejections of the past, in metrics and dumps of different moments.

use super::support::{
    FULL, IDLE, Metrics, evidence, level, lines, metrics, objects, of, queues, server,
};
use crate::loaded::verified::{AFTER, BEFORE, unpacked};
use k8s_flowcontrol_analysis::diagnosis::{
    Evidence, Scope, ServerEvidence, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_analysis::dumps::AnyDump;
use std::time::Duration;

/// Metrics without a rejection, and a dump that has seven.
fn rejected_in_the_dump() -> Evidence {
    let mut server = server("a", &[("busy", IDLE)]);
    let dump = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, \
                TimedoutRequests, CancelledRequests\nbusy, 0, true, false, 0, 0, 9, 7, 0, 0\n";
    server.set_dump(AnyDump::parse(dump).unwrap());
    evidence(Vec::new(), vec![level("busy", queues(64, 8))], server)
}

#[test]
fn rejections_of_a_dump_that_is_later_than_the_metrics() {
    let mut evidence = rejected_in_the_dump();
    let diagnosis = diagnose(&evidence, &Scope::default());
    let found = of(&diagnosis, "rejections");
    assert_eq!(
        (found[0].severity, found[0].message.as_str()),
        (
            Severity::Risk,
            "7 requests of priority level busy were rejected since the server started"
        )
    );
    let of_dump = ["a: dump_priority_levels: RejectedRequests of busy: 7"];
    assert_eq!(lines(found[0]), of_dump);
    let server = &mut evidence.servers[0];
    server.earlier = Some((server.metrics.clone().unwrap(), Duration::from_secs(60)));
    let diagnosis = diagnose(&evidence, &Scope::default());
    let found = of(&diagnosis, "rejections");
    assert_eq!(found[0].severity, Severity::Note);
    assert!(found[0].message.ends_with("and none in the interval"));
    assert_eq!(lines(found[0]), of_dump);
}

#[test]
fn an_unknown_level_has_waits_and_rejections() {
    let mut server = server("a", &[("gone", FULL)]);
    let before = Metrics {
        rejected: 2,
        ..FULL
    };
    server.earlier = Some((metrics(&[("gone", before)]), Duration::from_secs(60)));
    let diagnosis = diagnose(&evidence(Vec::new(), Vec::new(), server), &Scope::default());
    let message = &of(&diagnosis, "waiting")[0].message;
    assert!(
        message.starts_with(
            "20 requests are waiting, and 1 request is rejected in priority level gone, which"
        ),
        "{message}"
    );
}

/// They do not show rejections.
#[test]
fn dumps_of_queues_and_requests_without_a_waiting_request_show_no_load() {
    for dump in [
        "PriorityLevelName, Index, PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR, InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n",
        "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats\n",
        "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, \
         TimedoutRequests, CancelledRequests\n",
    ] {
        let mut server = ServerEvidence::new("a");
        server.set_dump(AnyDump::parse(dump).unwrap());
        let diagnosis = diagnose(&evidence(Vec::new(), Vec::new(), server), &Scope::default());
        assert_eq!(diagnosis.verdict, Verdict::Unknown, "{dump}");
    }
}

/// The server of `fixtures/loaded` over its 60 s, and a moment later.
#[test]
fn waits_between_two_samples() {
    let (schemas, levels) = objects(include_str!("../fixtures/loaded/objects.json"));
    let [before, after] = [BEFORE, AFTER].map(unpacked);
    let diagnosed_at = |earlier: &str, later: &str| {
        let mut server = ServerEvidence::new("a");
        server.set_metrics(later);
        let interval = Duration::from_secs(60);
        server.set_earlier_metrics(earlier, interval).unwrap();
        let evidence = evidence(schemas.clone(), levels.clone(), server);
        diagnose(&evidence, &Scope::default())
    };
    let diagnosed = |earlier: &str| diagnosed_at(earlier, &after);
    let diagnosis = diagnosed(&before);
    let found = of(&diagnosis, "waiting");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert_eq!(
        (found[0].severity, found[0].message.as_str()),
        (
            Severity::Risk,
            "915 of 1509 requests of priority level batch waited in a queue for more than 0.1 s in 60.0 s"
        )
    );
    assert_eq!(
        lines(found[0]),
        ["a: apiserver_flowcontrol_request_wait_duration_seconds of batch: 0.28 s on average"]
    );
    assert!(found[1].message.contains("global-default"), "{found:#?}");
    assert!(of(&diagnosed(&after), "waiting").is_empty());
    for sum in ["1e308", "-5"] {
        let wrong = after.replace("421.1001739729997", sum);
        let diagnosis = diagnosed_at(&before, &wrong);
        assert_eq!(
            lines(of(&diagnosis, "waiting")[0]),
            ["a: apiserver_flowcontrol_request_wait_duration_seconds of batch: 915 above 0.1 s"]
        );
    }
}
