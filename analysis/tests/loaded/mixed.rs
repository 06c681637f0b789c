//! Logs that do not come from one server with one configuration: the comparison says that the simulation does not fit them.

use super::made_up::{IDLE, clients, queues, run, with_shares};
use super::predicted::{Objects, events, predict, server};
use super::truth::{self, Run};
use k8s_flowcontrol_analysis::simulation::Prediction;
use k8s_flowcontrol_types::Release;

const RELEASE: Release = Release::nearest(36);

/// The log of a made-up server, whose audit IDs begin with a name. In a quick run it is of a third of the time.
fn log(mut run: Run, objects: &Objects, name: &str) -> String {
    if !crate::tries_all() {
        run.seconds /= 3.0;
    }
    let ([log, _], _) = truth::run(&run, server(objects, RELEASE));
    log.replace("\"auditID\":\"", &format!("\"auditID\":\"{name}"))
}

fn predictions(log: &str, objects: &Objects) -> Vec<Prediction> {
    let report = predict(events(log), [objects, objects], RELEASE);
    report.predictions()
}

/// The level `batch`, and the flows of it.
fn batch(predictions: &[Prediction]) -> impl Iterator<Item = &Prediction> {
    let of_level = predictions.iter();
    of_level.filter(|found| found.priority_level == "batch")
}

#[test]
fn a_change_of_the_configuration_within_a_log_is_not_trusted() {
    let (few, many) = (with_shares(10), with_shares(200));
    let first = log(run(clients(1, 0.0), IDLE), &few, "a");
    let later = Run {
        quiet: 70.0,
        ..run(clients(1, 0.0), IDLE)
    };
    let both = format!("{first}{}", log(later, &many, "b"));
    assert!(batch(&predictions(&first, &few)).all(Prediction::is_within_limits));
    let mixed = predictions(&both, &few);
    let wrong: Vec<_> = batch(&mixed)
        .filter(|found| !found.is_within_limits())
        .collect();
    assert!(!wrong.is_empty(), "{mixed:#?}");
    // It is not chance.
    assert!(
        wrong.iter().any(|found| !found.is_within_spread()),
        "{mixed:#?}"
    );
}

#[test]
fn a_log_of_two_servers_with_rejections_is_not_trusted() {
    let objects = queues(4, 1, 3);
    let load = |seed| Run {
        waits_after_rejection: true,
        seed,
        ..run(clients(2, 0.05), IDLE)
    };
    let one = log(load(1), &objects, "a");
    let both = format!("{one}{}", log(load(2), &objects, "b"));
    let mixed = predictions(&both, &objects);
    let level = batch(&mixed).find(|found| found.flow.is_none()).unwrap();
    assert!(
        level.rejected.observed > 0 && !level.is_within_limits(),
        "{mixed:#?}"
    );
    assert!(
        level.rejected.predicted > level.rejected.observed,
        "{mixed:#?}"
    );
}
