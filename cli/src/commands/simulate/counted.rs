//! The waits that a server counted over the time of audit logs.

use crate::failure::Failure;
use crate::output::{Streams, note};
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol_analysis::diagnosis::ServerEvidence;
use k8s_flowcontrol_analysis::metrics::{Histograms, samples};
use k8s_flowcontrol_analysis::simulation::Report;
use std::fmt::Display;
use std::path::Path;
use std::time::Duration;

/// The logs have other requests than the metrics if their numbers differ by a greater part.
const MOST_OTHERS_PART: f64 = 0.2;
/// A level with fewer requests hardly changes how late requests begin.
const MANY: u64 = 100;

/// The waits that a server counted until `after`, since `before` if that is given; none without metrics.
pub(super) fn counted_waits(
    before: Option<&Path>,
    after: Option<&MetricsFile>,
) -> Result<Option<Histograms>, Failure> {
    let Some(after) = after else {
        return Ok(None);
    };
    let mut server = ServerEvidence::new(&*after.name);
    server.set_metrics(&after.text);
    let Some(before) = MetricsFile::read(before)? else {
        return Ok(Some(server.counted_waits()));
    };
    let wrong = |problem: &dyn Display| {
        Failure::input(format!("{} and {}: {problem}", before.name, after.name))
            .hint("give the metrics of one API server (`kubectl get --raw /metrics`) from before and after the time of the audit logs")
    };
    // Without them, all waits since the start of the server would count.
    if samples(&before.text).next().is_none() {
        return Err(
            Failure::input(format!("{} does not have metrics", before.name))
                .hint("expected the output of `kubectl get --raw /metrics`"),
        );
    }
    server
        .set_earlier_metrics(&before.text, Duration::ZERO)
        .map_err(|error| wrong(&error))?;
    let waits = server.counted_waits();
    let is_counted = |level| waits.of(level).is_some_and(|waits| waits.count() > 0);
    if !waits.priority_levels().any(is_counted) {
        return Err(wrong(&"the server counted no waits between them"));
    }
    Ok(Some(waits))
}

/// Names the levels of whose requests the logs have others than the server counted.
pub(super) fn note_other_requests(
    counted: &Histograms,
    report: &Report,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let others = report.levels.iter().filter_map(|level| {
        let (counted, logged) = (
            counted.of(&level.name)?.count(),
            level.observed.waits.count(),
        );
        let most = counted.max(logged);
        let differs = counted.abs_diff(logged) as f64 > most as f64 * MOST_OTHERS_PART;
        (differs && most >= MANY).then(|| format!("{counted} and {logged} of {}", level.name))
    });
    let others: Vec<_> = others.collect();
    if others.is_empty() {
        return Ok(());
    }
    let text = format!(
        "the requests that the server counted between the metrics are not those of the logs ({}), so that its waits do not show how late requests begin",
        others.join(", ")
    );
    Ok(note(streams, &text)?)
}
