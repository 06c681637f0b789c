//! Two samples of a server's metrics, and dumps of any kind.

use k8s_flowcontrol_analysis::diagnosis::{NotEarlier, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::AnyDump;
use std::time::Duration;

const INTERVAL: Duration = Duration::from_secs(60);

fn sample(started: &str, dispatched: u32) -> String {
    format!(
        "{started}\napiserver_flowcontrol_dispatched_requests_total{{flow_schema=\"a\",priority_level=\"a\"}} {dispatched}\n"
    )
}

#[test]
fn samples_are_of_one_process_in_their_order() {
    let compare = |before: &str, after: &str| {
        let mut server = ServerEvidence::new("a");
        server.set_metrics(after);
        let result = server.set_earlier_metrics(before, INTERVAL);
        assert_eq!(server.earlier.is_some(), result.is_ok());
        assert_eq!(server.earlier_machine.is_some(), result.is_ok());
        result
    };
    let (old, new) = (
        "process_start_time_seconds 100.25",
        "process_start_time_seconds 100.5",
    );
    let of = sample;
    assert_eq!(compare(&of(old, 5), &of(old, 9)), Ok(()));
    assert_eq!(compare(&of(old, 9), &of(old, 5)), Err(NotEarlier::Later));
    assert_eq!(
        compare(&of(old, 5), &of(new, 9)),
        Err(NotEarlier::OtherProcess)
    );
    // Without the start, lower counters can be of a new process, of another server, or of an earlier time.
    assert_eq!(compare(&of("", 9), &of("", 5)), Err(NotEarlier::Decreased));
    assert_eq!(compare(&of(old, 9), &of("", 5)), Err(NotEarlier::Decreased));
    let two = |first: u32, second: u32| of(old, first) + &of("", second).replace("\"a\"", "\"b\"");
    assert_eq!(compare(&two(5, 9), &two(100, 8)), Err(NotEarlier::Later));
    assert_eq!(compare("", ""), Ok(()));
}

#[test]
fn waits_are_counted_between_two_samples() {
    let sample = |count: u32, sum: f64| {
        let metric = "apiserver_flowcontrol_request_wait_duration_seconds";
        let labels = r#"execute="true",flow_schema="a",priority_level="a""#;
        format!("{metric}_bucket{{{labels},le=\"+Inf\"}} {count}\n{metric}_sum{{{labels}}} {sum}\n")
    };
    let mut server = ServerEvidence::new("a");
    server.set_metrics(&sample(9, 2.5));
    let counted = |server: &ServerEvidence| {
        let waits = server.counted_waits();
        waits.of("a").map(|waits| (waits.count(), waits.sum()))
    };
    assert_eq!(counted(&server), Some((9, 2.5)));
    for _ in 0..2 {
        let earlier = sample(5, 1.0);
        assert_eq!(server.set_earlier_metrics(&earlier, INTERVAL), Ok(()));
        assert_eq!(counted(&server), Some((4, 1.5)));
    }
}

#[test]
fn a_dump_is_recognized_by_its_titles() {
    let mut server = ServerEvidence::new("a");
    for (name, text) in [
        (
            "dump_priority_levels",
            include_str!("../fixtures/dumps/priority-levels.txt"),
        ),
        ("dump_queues", include_str!("../fixtures/dumps/queues.txt")),
        (
            "dump_requests",
            include_str!("../fixtures/dumps/requests-with-details.txt"),
        ),
    ] {
        let dump = AnyDump::parse(text).unwrap();
        assert_eq!((dump.name(), dump.problems()), (name, &[][..]));
        server.set_dump(dump);
    }
    assert!(!server.priority_levels.unwrap().is_empty());
    assert!(!server.queues.unwrap().is_empty());
    assert!(!server.requests.unwrap().is_empty());
    for text in [
        "",
        "\n",
        "PriorityLevelName",
        "PriorityLevelName, Index\n",
        "<html>",
    ] {
        let error = AnyDump::parse(text).unwrap_err().to_string();
        assert!(
            error.starts_with("not a dump: expected the titles"),
            "{error}"
        );
    }
}
