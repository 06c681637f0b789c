//! Each check with a recorded case in which it finds something, and one in which it does not. The table stands in README.md.

use super::recorded::{evidence, show};
use super::several;
use super::support::{lines, objects, of};
use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Scope, ServerEvidence, Severity, Verdict, checks, diagnose,
};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_queues, parse_requests};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, MachineMetrics};
use k8s_flowcontrol_rules::matching::User;
use k8s_flowcontrol_types::Release;
use std::time::Duration;

const README: &str = include_str!("../../README.md");
pub(super) const BEFORE: &str = include_str!("../fixtures/busy/metrics-before.txt");
pub(super) const AFTER: &str = include_str!("../fixtures/busy/metrics-after.txt");

/// The server of `fixtures/busy`, in the middle of its load; its processor's counters cover the 60 s.
fn busy() -> Evidence {
    let (schemas, levels) = objects(include_str!("../fixtures/loaded/objects.json"));
    let metrics = FlowMetrics::parse(include_str!("../fixtures/busy/gauges.txt"));
    let mut server = ServerEvidence::new("127.0.0.1:6443");
    server.earlier = Some((metrics.clone(), Duration::from_secs(60)));
    server.metrics = Some(metrics);
    server.machine = Some(MachineMetrics::parse(AFTER));
    server.earlier_machine = Some(MachineMetrics::parse(BEFORE));
    server.priority_levels = Some(
        parse_priority_levels(include_str!("../fixtures/busy/priority-levels.txt"))
            .unwrap()
            .rows,
    );
    let queues = parse_queues(include_str!("../fixtures/busy/queues.txt"));
    server.queues = Some(queues.unwrap().rows);
    let requests = parse_requests(include_str!("../fixtures/busy/requests.txt"));
    server.requests = Some(requests.unwrap().rows);
    let mut evidence = Evidence::new(Release::nearest(36), schemas, levels);
    evidence.servers.push(server);
    evidence
}

/// The same server at the beginning of its load, before its limits were adjusted.
fn beginning() -> Evidence {
    super::moments::moments().swap_remove(0)
}

/// The same server before its load.
fn quiet() -> Evidence {
    let mut evidence = busy();
    let server = &mut evidence.servers[0];
    *server = ServerEvidence::new("127.0.0.1:6443");
    server.metrics = Some(FlowMetrics::parse(BEFORE));
    server.machine = Some(MachineMetrics::parse(BEFORE));
    evidence
}

#[test]
fn a_server_that_its_processor_limits_gets_no_advice_about_seats() {
    let diagnosis = diagnose(&busy(), &Scope::default());
    let text = show(&diagnosis);
    assert_eq!(diagnosis.verdict, Verdict::Overloaded, "{text}");
    assert!(
        diagnosis
            .summary
            .starts_with("The processor limits the API server, and not its seats"),
        "{}",
        diagnosis.summary
    );
    let machine = of(&diagnosis, "machine");
    assert_eq!(machine[0].severity, Severity::Problem);
    assert_eq!(
        lines(machine[0]),
        [
            "127.0.0.1:6443: go_sched_latencies_seconds: 4506 of 23136 times, work that was ready waited for the processor for more than 10 ms in 60.0 s",
            "127.0.0.1:6443: apiserver_flowcontrol_request_execution_seconds: 3394 requests executed for 0.36 s on average in 60.0 s",
        ]
    );
    for finding in &diagnosis.findings {
        let action = &finding.action;
        assert!(!action.contains("more shares"), "{action}");
        assert!(finding.check != "idle-seats" || finding.severity == Severity::Note);
    }
    // Without its load, nothing limits it.
    let quiet = diagnose(&quiet(), &Scope::default());
    assert!(of(&quiet, "machine").is_empty(), "{}", show(&quiet));
}

/// The busy server with made-up watches.
fn watching(watches: u32) -> Evidence {
    let mut evidence = busy();
    let machine = format!(
        "apiserver_longrunning_requests{{resource=\"pods\",verb=\"WATCH\"}} {watches}\nprocess_resident_memory_bytes 1073741824\n"
    );
    evidence.servers[0].machine = Some(MachineMetrics::parse(&machine));
    evidence
}

#[test]
fn watches_that_need_much_of_the_memory_are_named_with_the_assumption() {
    let diagnosis = diagnose(&watching(4000), &Scope::default());
    let found = of(&diagnosis, "memory");
    assert_eq!(found[0].severity, Severity::Risk, "{}", show(&diagnosis));
    assert_eq!(
        lines(found[0])[0],
        "127.0.0.1:6443: apiserver_longrunning_requests: 4000 watches need 195 to 391 MiB of 1024 MiB (process_resident_memory_bytes)"
    );
    assert!(lines(found[0])[1].starts_with("Assumed: "));
    let few = diagnose(&watching(2000), &Scope::default());
    assert!(of(&few, "memory").is_empty(), "{}", show(&few));
}

/// Every recorded case.
pub(super) fn cases() -> Vec<(&'static str, Diagnosis)> {
    let all = Scope::default();
    let zack = User::named("zack");
    let of_zack = Scope {
        user: Some(&zack),
        ..Scope::default()
    };
    let one = Scope {
        level: Some("load-queue"),
        ..Scope::default()
    };
    vec![
        ("full", diagnose(&evidence(), &all)),
        ("full, one level", diagnose(&evidence(), &one)),
        ("full, one user", diagnose(&evidence(), &of_zack)),
        ("busy", diagnose(&busy(), &all)),
        ("busy, beginning", diagnose(&beginning(), &all)),
        ("wide", diagnose(&several::first(), &all)),
        ("two servers", diagnose(&several::both(), &all)),
        ("watches, made up", diagnose(&watching(4000), &all)),
        ("quiet", diagnose(&quiet(), &all)),
    ]
}

#[test]
fn each_check_has_a_recorded_case_with_and_without_a_finding() {
    let cases = cases();
    let mut table = String::new();
    for check in checks() {
        let finds = |diagnosis: &Diagnosis| !of(diagnosis, check.id()).is_empty();
        let with = cases.iter().find(|(_, diagnosis)| finds(diagnosis));
        let mut latest = cases.iter().rev();
        let without = latest.find(|(_, diagnosis)| !finds(diagnosis));
        let [with, without] = [with, without].map(|case| case.map_or("none", |(name, _)| *name));
        table += &format!("| `{}` | {with} | {without} |\n", check.id());
    }
    assert!(README.contains(&table), "README.md lacks:\n{table}");
}

/// A claim quotes its evidence once.
#[test]
fn no_finding_has_the_same_evidence_twice() {
    for (name, diagnosis) in cases() {
        for finding in &diagnosis.findings {
            let all = lines(finding);
            let mut unique = all.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), all.len(), "{name}: {all:#?}");
            assert!(!all.is_empty(), "{name}: {finding:?}");
        }
    }
}
