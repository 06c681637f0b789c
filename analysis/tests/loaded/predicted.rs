//! The simulation of a log, and how near its rejections and waits are.

use super::truth::Counted;
use super::{SEATS, objects};
use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::metrics::Histograms;
use k8s_flowcontrol_analysis::simulation::{FlowReport, Recorded, Recording, Report};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Stored};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::Value;
use std::time::Duration;

pub(crate) type Objects = (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>);

/// The objects of the recorded run, with another level `batch`.
pub(crate) fn with_batch(change: impl Fn(&mut Value)) -> Objects {
    let (schemas, mut levels) = objects();
    for level in &mut levels {
        if level.metadata.name.as_deref() == Some("batch") {
            let mut json = serde_json::to_value(&*level).unwrap();
            change(&mut json["spec"]["limited"]);
            *level = serde_json::from_value(json).unwrap();
        }
    }
    (schemas, levels)
}

pub(crate) fn server(objects: &Objects, release: Release) -> FlowController {
    FlowController::new(&objects.0, &objects.1, SEATS, release, Duration::ZERO).unwrap()
}

/// Prepares the requests of a log of a server with the first objects, and simulates them with the second objects.
pub(crate) fn predict(
    read: impl FnOnce(&mut dyn FnMut(&Event<'_>)),
    [old, new]: [&Objects; 2],
    release: Release,
) -> Report {
    let (after, requests) = prepare(read, [old, new], release, None);
    after.replay(requests, |_| ())
}

/// A recording for the second objects, and its requests. The server may have counted their waits.
pub(crate) fn prepare(
    read: impl FnOnce(&mut dyn FnMut(&Event<'_>)),
    [old, new]: [&Objects; 2],
    release: Release,
    counted: Option<Histograms>,
) -> (Recording, Vec<Recorded>) {
    let recording = |objects: &Objects| {
        let bounds = LevelBounds::new(&objects.1, SEATS, release);
        Recording::new(server(objects, release), bounds, Estimator::new(release))
    };
    let (mut base, mut after) = (recording(old), recording(new));
    let mut requests: Vec<(Recorded, u32)> = Vec::new();
    read(&mut |event| {
        let attributes = event.attributes();
        let [first, second] =
            [&mut base, &mut after].map(|one| one.add(event, &attributes, Stored::NotFound));
        requests.extend(first.zip(second.map(|request| request.class)));
    });
    requests.sort_by_key(|(request, _)| request.received_us);
    if let Some(counted) = counted {
        base.set_counted_waits(counted);
    }
    let all = || requests.iter().map(|(request, _)| *request);
    base.find_loops(all());
    let mut separated: Vec<_> = base.separate_waits(all()).collect();
    base.find_slowdown(separated.iter().copied());
    after.learn_from(&base);
    for (request, (_, class)) in separated.iter_mut().zip(&requests) {
        request.class = *class;
    }
    (after, separated)
}

pub(crate) fn events(log: &str) -> impl FnOnce(&mut dyn FnMut(&Event<'_>)) + '_ {
    move |add| {
        let mut audit = AuditLog::new();
        let mut each = |event: &Event<'_>| {
            add(event);
            Ok::<(), std::io::Error>(())
        };
        audit.read(log.as_bytes(), &mut each).unwrap();
        audit.finish(&mut each).unwrap();
    }
}

/// A real and a predicted number.
pub(crate) type Pair = (u64, u64);

/// The rejections, and the median and the 99th percentile of the waits in milliseconds, of a busy flow.
pub(crate) fn compare(flow: &FlowReport, truth: &Counted) -> [Pair; 3] {
    let ms = |percent| {
        (
            (Counted::percentile(&truth.waits, percent) * 1000.0).round() as u64,
            flow.waits.percentile(percent).as_millis() as u64,
        )
    };
    let rejected = flow.counts.rejected + flow.counts.timed_out;
    [(truth.rejected, rejected), ms(50.0), ms(99.0)]
}

/// Whether rejections are within 15 % or 10 requests, and waits within 25 % or 10 ms.
pub(crate) fn is_within([rejected, median, p99]: [Pair; 3]) -> bool {
    let near = |(real, own): Pair, percent| {
        let error = real.abs_diff(own);
        error <= 10 || error * 100 <= real * percent
    };
    near(rejected, 15) && near(median, 25) && near(p99, 25)
}
