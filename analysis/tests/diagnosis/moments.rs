//! The recorded busy server at each of 20 moments of its load. Metrics and dumps are from different instants.

#![allow(clippy::panic, reason = "a test fails by panicking")]

use super::cases::{AFTER, BEFORE};
use super::recorded::show;
use super::support::{lines, objects, of, unquoted};
use flate2::read::GzDecoder;
use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Finding, Observation, Scope, ServerEvidence, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_analysis::dumps::{parse_priority_levels, parse_queues, parse_requests};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, MachineMetrics, Quantity};
use k8s_flowcontrol_rules::matching::User;
use k8s_flowcontrol_types::Release;
use std::io::Read;
use std::sync::LazyLock;
use std::time::Duration;

const MOMENTS: &[u8] = include_bytes!("../fixtures/busy/moments.jsonl.gz");
const GAUGES: &str = include_str!("../fixtures/busy/gauges.txt");

/// The evidence of each moment; the processor's counters cover the 60 s.
pub(super) fn moments() -> Vec<Evidence> {
    moments_with(str::to_owned)
}

/// The same with other gauges.
pub(super) fn moments_with(change: impl Fn(&str) -> String) -> Vec<Evidence> {
    let mut text = String::new();
    GzDecoder::new(MOMENTS).read_to_string(&mut text).unwrap();
    let (schemas, levels) = objects(include_str!("../fixtures/loaded/objects.json"));
    // The limits that do not change.
    let is_fixed = |line: &&str| {
        let mut names = ["lower", "upper", "nominal"].iter();
        names.any(|name| line.starts_with(&format!("apiserver_flowcontrol_{name}_limit_seats")))
    };
    let fixed: Vec<_> = GAUGES.lines().filter(is_fixed).collect();
    let evidence = |line: &str| {
        let moment: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| moment[name].as_str().unwrap();
        let gauges = format!("{}{}\n", change(text("gauges")), fixed.join("\n"));
        let metrics = FlowMetrics::parse(&gauges);
        let mut server = ServerEvidence::new("a");
        server.earlier = Some((metrics.clone(), Duration::from_secs(60)));
        server.metrics = Some(metrics);
        server.machine = Some(MachineMetrics::parse(AFTER));
        server.earlier_machine = Some(MachineMetrics::parse(BEFORE));
        let levels_now = parse_priority_levels(text("priorityLevels")).unwrap();
        server.priority_levels = Some(levels_now.rows);
        server.queues = Some(parse_queues(text("queues")).unwrap().rows);
        server.requests = Some(parse_requests(text("requests")).unwrap().rows);
        let mut evidence = Evidence::new(Release::nearest(36), schemas.clone(), levels.clone());
        evidence.servers.push(server);
        evidence
    };
    text.lines().map(evidence).collect()
}

/// The waiting requests of a level: of the metrics, the dump of levels and the dump of requests.
pub(super) fn waiting(evidence: &Evidence, level: &str) -> [i64; 3] {
    let server = &evidence.servers[0];
    let metrics = server.metrics.as_ref().unwrap();
    let rows = server.priority_levels.as_ref().unwrap();
    let row = rows.iter().find(|row| row.name == level).unwrap();
    let requests = server.requests.iter().flatten();
    let queued = requests.filter(|row| {
        let request = row.request.as_ref();
        row.priority_level == level
            && request.is_some_and(|request| request.index_in_queue.is_some())
    });
    [
        metrics
            .total(Quantity::WaitingRequests, level)
            .unwrap_or_default(),
        row.state.as_ref().unwrap().waiting_requests,
        i64::try_from(queued.count()).unwrap(),
    ]
}

/// Diagnosed once for all tests.
static DIAGNOSED: LazyLock<Vec<(Evidence, Diagnosis)>> = LazyLock::new(|| {
    let all = moments().into_iter();
    all.map(|evidence| {
        let diagnosis = diagnose(&evidence, &Scope::default());
        (evidence, diagnosis)
    })
    .collect()
});

#[test]
fn a_level_whose_requests_wait_is_never_called_healthy() {
    let mut only_in_dumps = 0;
    for (evidence, diagnosis) in &*DIAGNOSED {
        let text = show(diagnosis);
        for level in ["batch", "global-default", "system", "workload-high"] {
            let waits = waiting(evidence, level);
            only_in_dumps += u32::from(waits[0] == 0 && waits != [0; 3]);
            let says =
                diagnosis.summary.contains("requests wait in") && diagnosis.summary.contains(level);
            assert_eq!(
                says,
                waits != [0; 3],
                "{level} {waits:?}: {}",
                diagnosis.summary
            );
        }
        assert_eq!(diagnosis.verdict, Verdict::Overloaded, "{text}");
        assert!(!diagnosis.summary.contains("rejected"), "none was rejected");
    }
    assert!(only_in_dumps >= 2, "{only_in_dumps}");
}

/// Metrics that were read when no request waited or executed.
pub(super) fn idle(gauges: &str) -> String {
    let idle = |line: &str| {
        let is_of_requests = line.contains("inqueue_requests{") || line.contains("_executing_");
        match line.rsplit_once(' ') {
            Some((series, _)) if is_of_requests => format!("{series} 0\n"),
            _ => format!("{line}\n"),
        }
    };
    gauges.lines().map(idle).collect()
}

#[test]
fn seats_of_metrics_and_of_dumps_are_not_added_up() {
    let mut checked = 0;
    for evidence in moments_with(idle) {
        let diagnosis = diagnose(&evidence, &Scope::default());
        for check in ["overload", "idle-seats"] {
            for finding in of(&diagnosis, check) {
                let lines = lines(finding);
                assert!(lines[0].contains("dump_requests"), "{lines:#?}");
                let is_of_metrics = |line: &String| line.contains("current_executing_seats");
                assert!(!lines.iter().any(is_of_metrics), "{lines:#?}");
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked}");
}

/// Alice and carol have ten connections each, and bob has global-default alone.
#[test]
fn no_flow_is_blamed_that_sends_as_much_as_another() {
    let mut other_moments = 0;
    for (evidence, diagnosis) in &*DIAGNOSED {
        for flow in of(diagnosis, "busiest-flow") {
            let fills = flow.message.starts_with("one flow fills priority level");
            let level = flow.priority_level.as_deref().unwrap();
            // A flow does not fill a level at a moment at which none of its requests waits.
            let waits = waiting(evidence, level)[2] > 0;
            let is_of_bob = level == "global-default";
            assert_eq!(fills, is_of_bob && waits, "{}", show(diagnosis));
            assert_eq!(flow.severity == Severity::Problem, fills);
            let names = "no request of priority level global-default waits";
            assert_eq!(flow.message.contains(names), is_of_bob && !waits);
            other_moments += u32::from(!waits);
        }
    }
    assert!(other_moments > 0);
}

#[test]
fn nobody_is_advised_to_change_seats_that_are_not_the_limit() {
    for (_, diagnosis) in &*DIAGNOSED {
        for finding in &diagnosis.findings {
            let text = format!("{finding:?}");
            assert!(!finding.action.contains("simulate more seats"), "{text}");
            assert!(!finding.action.contains("borrowingLimitPercent"), "{text}");
            let about_seats = ["idle-seats", "borrowing"].contains(&finding.check);
            assert!(!about_seats || finding.severity == Severity::Note, "{text}");
        }
    }
}

fn value(observation: &Observation) -> i64 {
    match observation {
        Observation::Metric { value, .. } | Observation::Dump { value, .. } => *value,
        other => panic!("{other:?}"),
    }
}

/// The numbers of a sentence.
fn numbers(text: &str) -> Vec<i64> {
    let words = text.split([' ', ',', ';', ':']);
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn numbers_of_sentences_are_those_of_their_evidence() {
    let requests = |finding: &Finding, name: &str| -> i64 {
        let rows = finding.evidence.iter();
        rows.filter(|row| row.to_string().contains(name))
            .map(value)
            .sum()
    };
    let mut checked = 0;
    for (_, diagnosis) in &*DIAGNOSED {
        for finding in of(diagnosis, "overload") {
            let [waiting, in_use, current] = [0, 1, 2].map(|index| value(&finding.evidence[index]));
            assert_eq!(in_use, current, "all of its seats");
            assert_eq!(numbers(&finding.message)[..2], [waiting, current]);
            checked += 1;
        }
        for finding in of(diagnosis, "idle-seats") {
            let [waiting, current] = [0, 2].map(|index| value(&finding.evidence[index]));
            assert_eq!(numbers(&finding.message)[..2], [waiting, current]);
            checked += 1;
        }
        for finding in of(diagnosis, "busiest-flow") {
            let of_numbers = numbers(&finding.message);
            let [.., part, whole] = of_numbers[..] else {
                panic!("{}", finding.message)
            };
            let named = ["alice", "bob", "carol"].map(|name| requests(finding, name));
            assert_eq!(named.iter().max(), Some(&part), "{:?}", lines(finding));
            assert_eq!(named.iter().sum::<i64>(), whole, "{:?}", lines(finding));
            checked += 1;
        }
    }
    assert!(checked > 40, "{checked}");
}

#[test]
fn every_number_of_a_message_is_in_its_evidence() {
    let cases = super::cases::cases();
    let cases = cases.iter().map(|(_, diagnosis)| diagnosis);
    for diagnosis in cases.chain(DIAGNOSED.iter().map(|(_, diagnosis)| diagnosis)) {
        for finding in &diagnosis.findings {
            let missing = unquoted(finding);
            let (message, lines) = (&finding.message, lines(finding));
            assert!(missing.is_empty(), "{missing:?} of {message}: {lines:#?}");
        }
    }
}

/// Without `--verbose`.
#[test]
fn a_finding_has_at_most_ten_lines() {
    let cases = super::cases::cases();
    let cases = cases.iter().map(|(_, diagnosis)| diagnosis);
    let cases = cases.chain(DIAGNOSED.iter().map(|(_, diagnosis)| diagnosis));
    let mut is_cut = false;
    for diagnosis in cases {
        for finding in &diagnosis.findings {
            let shown = finding.first_evidence(10);
            let rest = finding.evidence.len() - shown.len();
            is_cut |= rest > 0;
            assert!(!shown.is_empty() && rest != 1, "{finding:?}");
            let lines = 2 + shown.len() + usize::from(rest > 0);
            assert!(lines <= 10, "{finding:?}");
            assert!(
                !finding.message.contains('\n') && !finding.action.contains('\n'),
                "{finding:?}"
            );
        }
    }
    assert!(is_cut);
}

#[test]
fn a_user_of_unknown_groups_is_not_healthy_while_requests_wait() {
    for evidence in moments() {
        for name in ["alice", "bob", "carol"] {
            let user = User::authenticated::<String>(name, []);
            let scope = Scope {
                user: Some(&user),
                any_groups: true,
                ..Scope::default()
            };
            let diagnosis = diagnose(&evidence, &scope);
            assert_ne!(diagnosis.verdict, Verdict::Healthy, "{name}");
            assert!(diagnosis.gaps.iter().any(|gap| gap.what.contains(name)));
        }
    }
}

/// A risk names the levels that were looked at.
#[test]
fn another_level_is_not_said_to_be_free_of_waits() {
    let scope = Scope {
        level: Some("system"),
        ..Scope::default()
    };
    for evidence in moments() {
        let summary = diagnose(&evidence, &scope).summary;
        assert!(
            summary
                .starts_with("No request waits or is rejected now in system, but there is a risk"),
            "{summary}"
        );
    }
}

/// Without the processor's counters nothing is concluded about the server.
#[test]
fn the_configuration_alone_is_blamed_only_if_the_processor_is_known() {
    let mut blamed = 0;
    for mut evidence in moments() {
        evidence.servers[0].machine = None;
        let diagnosis = diagnose(&evidence, &Scope::default());
        assert!(!diagnosis.summary.contains("and not the server"));
        blamed += u32::from(diagnosis.summary.contains(
            "Whether the processor, etcd or the memory limits the server too is unknown.",
        ));
        let mut gaps = diagnosis.gaps.iter();
        assert!(gaps.any(|gap| gap.what == "the processor of a"));
    }
    assert!(blamed > 0);
}
