//! The dumps of a recorded busy server beside metrics of another moment.

use super::moments::{idle, moments, moments_with, waiting};
use super::recorded::show;
use super::support::{FULL, Metrics, lines, metrics, of};
use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Finding, Observation, Scope, ServerEvidence, Severity, Verdict, diagnose,
};
use k8s_flowcontrol_types::Resource;

const LEVELS: [&str; 2] = ["batch", "global-default"];

/// Diagnoses metrics without requests beside dumps that are left by `keep`.
fn beside_idle_metrics(keep: impl Fn(&mut ServerEvidence)) -> Vec<(Evidence, Diagnosis)> {
    let all = moments_with(idle).into_iter();
    all.map(|mut evidence| {
        let whole = evidence.clone();
        let server = &mut evidence.servers[0];
        server.dumps_are_apart = true;
        keep(server);
        (whole, diagnose(&evidence, &Scope::default()))
    })
    .collect()
}

/// No finding claims to know the seats at the moment at which requests wait.
fn assert_seats_are_unknown(diagnosis: &Diagnosis) {
    for check in ["overload", "idle-seats", "wide-requests"] {
        assert!(of(diagnosis, check).is_empty(), "{}", show(diagnosis));
    }
    for finding in of(diagnosis, "borrowing") {
        assert_eq!(finding.severity, Severity::Note, "{}", show(diagnosis));
    }
}

#[test]
fn the_dump_of_levels_does_not_have_the_seats_in_use() {
    let mut checked = 0;
    for (evidence, diagnosis) in beside_idle_metrics(|server| {
        server.machine = None;
        (server.requests, server.queues) = (None, None);
    }) {
        assert_seats_are_unknown(&diagnosis);
        let waits = LEVELS.iter().any(|level| waiting(&evidence, level)[1] > 0);
        let is_waiting = diagnosis.verdict == Verdict::Waiting;
        assert_eq!(is_waiting, waits, "{}", show(&diagnosis));
        for level in LEVELS {
            let [_, waits, _] = waiting(&evidence, level);
            let found = of(&diagnosis, "waiting").into_iter();
            let found: Vec<_> = found
                .filter(|finding| finding.priority_level.as_deref() == Some(level))
                .collect();
            assert_eq!(found.len(), usize::from(waits > 0), "{}", show(&diagnosis));
            let Some(found) = found.first() else { continue };
            let verb = if waits == 1 { "waits" } else { "wait" };
            assert!(
                found.message.ends_with(&format!(
                    "of priority level {level} {verb} (dump_priority_levels), and the evidence of that moment does not have the seats in use, so \
                     that the reason is unknown"
                )),
                "{}",
                found.message
            );
            let lines = lines(found);
            assert!(lines[1].contains("ExecutingRequests"), "{lines:#?}");
            let other = format!(
                "a: in the metrics, which are of another moment, 0 requests of {level} waited, and 0 seats were in use"
            );
            assert_eq!(lines.last(), Some(&other));
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

/// Before 1.28.
#[test]
fn a_dump_without_executing_requests_does_not_have_the_seats_in_use() {
    let mut waits = 0;
    for (evidence, diagnosis) in beside_idle_metrics(|server| {
        server.queues = None;
        let requests = server.requests.iter_mut();
        requests.for_each(|rows| {
            rows.retain(|row| {
                let request = row.request.as_ref();
                request.is_some_and(|request| request.index_in_queue.is_some())
            });
        });
    }) {
        assert_seats_are_unknown(&diagnosis);
        for level in LEVELS {
            if waiting(&evidence, level)[2] > 0 {
                let found = of(&diagnosis, "waiting").into_iter();
                let mut found = found.filter(|one| one.priority_level.as_deref() == Some(level));
                let message = &found.next().unwrap().message;
                assert!(
                    message.contains("does not have the seats in use"),
                    "{message}"
                );
                waits += 1;
            }
        }
    }
    assert!(waits > 20, "{waits}");
}

/// The limit of batch grew from 6 to 12 seats in the first seconds of the load.
#[test]
fn a_limit_is_not_that_of_another_moment() {
    let mut first = moments_with(idle).swap_remove(0);
    let mut last = moments_with(idle).pop().unwrap();
    let server = &mut first.servers[0];
    server.metrics = last.servers.remove(0).metrics;
    server.requests = None;
    let with = |dumps_are_apart| {
        let mut evidence = first.clone();
        evidence.servers[0].dumps_are_apart = dumps_are_apart;
        diagnose(&evidence, &Scope::default())
    };
    let of_batch = |diagnosis: &Diagnosis| {
        let found = of(diagnosis, "waiting").into_iter();
        let mut found = found.filter(|one| one.priority_level.as_deref() == Some("batch"));
        found.next().unwrap().message.clone()
    };
    assert_eq!(
        of_batch(&with(true)),
        "7 requests of priority level batch wait (dump_queues) beside 6 seats in use; its limit at that moment is unknown, and was 12 seats in the \
         metrics, of another moment"
    );
    assert!(of_batch(&with(false)).ends_with("wait, while 6 of its 12 seats are free"));
}

/// The limit in the metrics of another moment may be the seats in use by chance. The level may borrow more.
#[test]
fn seats_in_use_that_equal_a_limit_of_another_moment_are_not_all_seats() {
    let all = moments_with(idle).into_iter();
    let mut evidence = all
        .filter(|evidence| waiting(evidence, "batch")[2] > 0)
        .max_by_key(|evidence| waiting(evidence, "batch")[2])
        .unwrap();
    let in_use = |finding: &Finding| {
        let mut all = finding.evidence.iter();
        all.find_map(|one| match one {
            Observation::Dump { what, value, .. } if what.contains("seats") => Some(*value),
            _ => None,
        })
    };
    let server = &mut evidence.servers[0];
    (server.machine, server.queues, server.priority_levels) = (None, None, None);
    server.metrics = None;
    let seats = in_use(of(&diagnose(&evidence, &Scope::default()), "waiting")[0]).unwrap();
    let same = Metrics {
        current: seats,
        minimum: 1,
        maximum: seats * 3,
        ..Metrics::default()
    };
    evidence.servers[0].metrics = Some(metrics(&[("batch", same)]));
    let messages = [true, false].map(|dumps_are_apart| {
        evidence.servers[0].dumps_are_apart = dumps_are_apart;
        let diagnosis = diagnose(&evidence, &Scope::default());
        let found = of(&diagnosis, "waiting").into_iter();
        let mut found = found.filter(|one| one.priority_level.as_deref() == Some("batch"));
        found
            .next()
            .map(|one| one.message.clone())
            .unwrap_or_else(|| show(&diagnosis))
    });
    assert!(
        messages[0].contains("its limit at that moment is unknown"),
        "{messages:?}"
    );
    assert!(messages[1].contains("are in use"), "{messages:?}");
}

/// Saved dumps may be of another time than the interval in which the processor was the limit.
#[test]
fn waits_in_dumps_alone_are_named_beside_a_busy_processor() {
    let is_named = |diagnosis: &Diagnosis| {
        let machine = of(diagnosis, "machine")[0];
        assert_eq!(machine.severity, Severity::Problem, "{}", show(diagnosis));
        let lines = lines(machine);
        lines
            .iter()
            .any(|line| line.contains("if the dumps are of another time"))
    };
    let mut checked = 0;
    for (mut evidence, apart) in beside_idle_metrics(|_| ()) {
        assert!(is_named(&apart));
        assert!(!is_named(&diagnose(&evidence, &Scope::default())));
        // Waits in the metrics are of the interval's end.
        let levels = LEVELS.map(|level| (level, Metrics { waiting: 1, ..FULL }));
        evidence.servers[0].metrics = Some(metrics(&levels));
        evidence.servers[0].dumps_are_apart = true;
        assert!(!is_named(&diagnose(&evidence, &Scope::default())));
        checked += 1;
    }
    assert!(checked > 10, "{checked}");
}

/// The processor may be idle now, or only now be busy.
#[test]
fn a_single_sample_of_the_processor_is_an_average() {
    let mut checked = 0;
    for mut evidence in moments() {
        evidence.servers[0].earlier = None;
        let mut quiet = evidence.clone();
        quiet.servers[0].machine.as_mut().unwrap().scheduled_late = Some(0.0);
        for evidence in [evidence, quiet] {
            let diagnosis = diagnose(&evidence, &Scope::default());
            assert!(
                !diagnosis.summary.contains("and not"),
                "{}",
                diagnosis.summary
            );
            for machine in of(&diagnosis, "machine") {
                assert_eq!(machine.severity, Severity::Risk);
                assert!(machine.message.contains("on average since it started"));
            }
            // The average does not decide about the verdict, and no seats are advised before it is known what limits the server now.
            let mut unknown = evidence.clone();
            unknown.servers[0].machine = None;
            let unknown = diagnose(&unknown, &Scope::default());
            assert_eq!(diagnosis.verdict, unknown.verdict, "{}", show(&diagnosis));
            let is_busy = !of(&diagnosis, "machine").is_empty();
            for finding in of(&diagnosis, "idle-seats") {
                let waits = finding.action.starts_with(
                    "keep the configuration until a second sample, taken while requests wait, shows what limits the server: ",
                );
                assert_eq!(waits, is_busy, "{}", finding.action);
                checked += u32::from(is_busy && diagnosis.verdict == Verdict::Misconfigured);
            }
            let gap = (
                "the processor of a",
                "a single sample of its metrics tells the average since it started",
            );
            let mut gaps = diagnosis.gaps.iter();
            assert!(gaps.any(|found| (found.what.as_str(), found.why.as_str()) == gap));
        }
    }
    assert!(checked > 5, "{checked}");
}

/// The objects are of a time after the level was renamed.
#[test]
fn requests_of_a_level_without_an_object_are_not_overlooked() {
    let mut evidence = moments_with(idle).swap_remove(0);
    evidence
        .priority_levels
        .retain(|level| level.name() != "batch");
    let diagnosis = diagnose(&evidence, &Scope::default());
    let found = of(&diagnosis, "waiting");
    let found: Vec<_> = found
        .into_iter()
        .filter(|finding| finding.priority_level.as_deref() == Some("batch"))
        .collect();
    assert_eq!(found.len(), 1, "{}", show(&diagnosis));
    assert!(
        found[0].message.starts_with(
            "11 requests are waiting in priority level batch, which is not among the objects: they lack it, it was deleted, or they are of another time"
        ),
        "{}",
        found[0].message
    );
    assert!(
        diagnosis
            .summary
            .contains("requests wait in priority levels batch, global-default"),
        "{}",
        diagnosis.summary
    );
    let server = &mut evidence.servers[0];
    (server.requests, server.queues, server.priority_levels) = (None, None, None);
    server.metrics = moments_with(idle).swap_remove(0).servers.remove(0).metrics;
    let diagnosis = diagnose(&evidence, &Scope::default());
    assert!(of(&diagnosis, "waiting").is_empty(), "{}", show(&diagnosis));
}
