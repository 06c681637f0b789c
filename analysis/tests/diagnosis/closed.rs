//! Levels without a seat: levels that never have a seat, and levels that have lent or not yet borrowed any.

use super::support::{
    FULL, IDLE, Metrics, evidence, level, lines, of, queues, schema, server, user, wait,
};
use k8s_flowcontrol_analysis::diagnosis::{Diagnosis, Scope, Severity, Verdict, diagnose};
use serde_json::{Value, json};

/// The diagnosis of a server with the level `new` and an idle one.
fn diagnosis(fields: &[(&str, Value)], metrics: Metrics) -> Diagnosis {
    let mut limited = queues(8, 2);
    for (field, value) in fields {
        limited[*field] = value.clone();
    }
    let levels = vec![level("new", limited), level("other", queues(64, 8))];
    let mut server = server("a", &[("new", metrics), ("other", IDLE)]);
    if metrics.waiting > 0 {
        wait(&mut server, "new", "mine", &[("alice", 5)]);
    }
    let schemas = vec![schema("mine", "new", 500, user("alice"))];
    diagnose(&evidence(schemas, levels, server), &Scope::default())
}

const NONE: Metrics = Metrics {
    current: 0,
    minimum: 0,
    maximum: 0,
    in_use: 0,
    waiting: 5,
    rejected: 0,
};

#[test]
fn a_borrowing_limit_queues_or_fewer_requests_do_not_help_a_level_that_never_has_a_seat() {
    let closed = [
        ("nominalConcurrencyShares", json!(0)),
        ("borrowingLimitPercent", json!(0)),
    ];
    let waits = diagnosis(&closed, NONE);
    assert_eq!(waits.verdict, Verdict::Misconfigured);
    let found = of(&waits, "closed-level")[0];
    assert_eq!(found.severity, Severity::Problem);
    assert_eq!(
        found.message,
        "5 requests of priority level new wait, and the level does not have a seat"
    );
    for check in ["borrowing", "busiest-flow", "starvation"] {
        assert!(of(&waits, check).is_empty(), "{:?}", waits.findings);
    }

    // The requests are gone.
    let rejected = Metrics {
        waiting: 0,
        rejected: 5,
        ..NONE
    };
    let past = diagnosis(&closed, rejected);
    let found = of(&past, "closed-level")[0];
    assert_eq!(found.severity, Severity::Risk);
    assert_eq!(
        found.message,
        "5 requests of priority level new were rejected since the server started, and the level does not have a seat"
    );
    assert!(
        of(&past, "rejections")[0]
            .action
            .starts_with("give the level seats"),
        "{:?}",
        past.findings
    );
}

#[test]
fn a_level_that_borrows_or_gets_its_seats_back_is_not_closed() {
    let borrows = Metrics {
        maximum: 600,
        ..NONE
    };
    let found = diagnosis(&[("nominalConcurrencyShares", json!(0))], borrows);
    let finding = of(&found, "closed-level")[0];
    assert!(
        finding
            .message
            .ends_with("its nominal limit is 0, and it borrows seats that other levels leave"),
        "{}",
        finding.message
    );
    assert!(
        !finding.action.contains("authorization"),
        "{}",
        finding.action
    );
    for check in ["busiest-flow", "starvation", "waiting"] {
        assert!(of(&found, check).is_empty(), "{:?}", found.findings);
    }

    // The level has seats, and lends them.
    let mut limited = queues(64, 8);
    limited["lendablePercent"] = json!(100);
    let text = "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"new\"} 10\n\
        apiserver_flowcontrol_current_limit_seats{priority_level=\"new\"} 0\n\
        apiserver_flowcontrol_lower_limit_seats{priority_level=\"new\"} 0\n\
        apiserver_flowcontrol_upper_limit_seats{priority_level=\"new\"} 610\n\
        apiserver_flowcontrol_current_inqueue_requests{priority_level=\"new\"} 1\n\
        apiserver_flowcontrol_current_executing_seats{priority_level=\"new\"} 0\n";
    let mut server = server("a", &[]);
    server.set_metrics(text);
    let lent = diagnose(
        &evidence(Vec::new(), vec![level("new", limited)], server),
        &Scope::default(),
    );
    let finding = of(&lent, "closed-level")[0];
    assert!(
        finding
            .message
            .ends_with("it lends all of its seats while it is idle"),
        "{}",
        finding.message
    );
    assert!(
        lines(finding).contains(
            &"PriorityLevelConfiguration new: spec.limited.lendablePercent is 100".to_owned()
        ),
        "{finding:?}"
    );
}

#[test]
fn idle_seats_of_other_levels_are_not_few() {
    let levels = vec![level("busy", queues(64, 8)), level("other", queues(64, 8))];
    let server = server("a", &[("busy", FULL), ("other", IDLE)]);
    let found = diagnose(&evidence(Vec::new(), levels, server), &Scope::default());
    assert_eq!(
        found.summary,
        "Requests of priority level busy wait, and the other levels can lend few seats."
    );
    let overload = of(&found, "overload")[0];
    assert!(
        overload
            .action
            .starts_with("simulate more shares for the level, or a higher lendablePercent"),
        "{}",
        overload.action
    );
}

#[test]
fn flows_without_a_distinguisher_have_a_name() {
    let named = |method: Value| {
        let mut schema = serde_json::to_value(schema("mine", "busy", 500, user("alice"))).unwrap();
        schema["spec"]["distinguisherMethod"] = method;
        let mut server = server("a", &[("busy", FULL)]);
        wait(&mut server, "busy", "mine", &[("", 3)]);
        let schemas = vec![serde_json::from_value(schema).unwrap()];
        let levels = vec![level("busy", queues(64, 8))];
        let found = diagnose(&evidence(schemas, levels, server), &Scope::default());
        of(&found, "busiest-flow")[0].message.clone()
    };
    assert_eq!(
        named(json!({"type": "ByNamespace"})),
        "one flow fills priority level busy: the flow without a namespace of FlowSchema mine has 3 of the 3 requests that wait or execute"
    );
    assert_eq!(
        named(Value::Null),
        "one flow fills priority level busy: FlowSchema mine has 3 of the 3 requests that wait or execute"
    );
}
