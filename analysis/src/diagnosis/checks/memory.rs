//! Lists and watches whose memory no seats limit.

use super::{Check, Context, Observation, Report, Severity};
use crate::memory::{ASSUMPTION, WATCH_BYTES};

pub(super) const CHECK: Check = Check {
    id: "memory",
    summary: "Lists in flight or live watches need much memory, which seats do not limit.",
    run,
};

/// The part of the resident memory from which watches matter.
const PART: f64 = 0.25;
const ACTION: &str = "let the clients list with `limit` or from the watch cache (resourceVersion=0) and share their watches, and give lists of many objects a \
                      level with few seats: more seats would hold more lists in memory";

fn run(context: &Context<'_>, report: &mut Report) {
    let memory = context.evidence.memory.iter();
    for level in memory.flat_map(|memory| memory.large()) {
        if !context.includes(&level.priority_level) {
            continue;
        }
        let evidence = vec![
            Observation::computed(level.to_string()),
            Observation::computed(ASSUMPTION),
        ];
        let message = format!(
            "lists and watches of priority level {} need much memory, which seats do not limit",
            level.priority_level
        );
        let name = Some(level.priority_level.as_str());
        report.cluster(Severity::Risk, name, message, evidence, ACTION);
    }
    for server in &context.evidence.servers {
        let machine = server.machine.unwrap_or_default();
        let (Some(watches), Some(resident)) = (machine.live_watches, machine.resident_bytes) else {
            continue;
        };
        let (least, most) = WATCH_BYTES;
        let (least, most) = (watches * least as f64, watches * most as f64);
        if most < resident * PART {
            continue;
        }
        let mib = |bytes: f64| bytes / f64::from(1_u32 << 20);
        let evidence = format!(
            "{}: apiserver_longrunning_requests: {watches:.0} watches need {:.0} to {:.0} MiB of {:.0} MiB (process_resident_memory_bytes)",
            server.name,
            mib(least),
            mib(most),
            mib(resident)
        );
        report.server(
            Severity::Risk,
            &server.name,
            format!("{watches:.0} live watches need much of the server's memory, which seats do not limit"),
            vec![Observation::computed(evidence), Observation::computed(ASSUMPTION)],
            ACTION,
        );
    }
}
