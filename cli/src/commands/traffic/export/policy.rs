//! The smallest audit policy that suffices.

use k8s_flowcontrol_analysis::audit::Event;

/// The bytes of an event of the level Metadata, as an estimate. A recorded log of a busy server has a mean of 682; long names and user agents,
/// as of clouds, make events longer.
const BYTES: f64 = 900.0;

/// The requests of a log, by which events are counted.
#[derive(Default)]
pub(super) struct Cost {
    requests: u64,
    watches: u64,
    period: Option<(i64, i64)>,
}

impl Cost {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        self.requests += 1;
        self.watches += u64::from(event.verb == "watch");
        if let Some(time) = event.received_us() {
            let (first, last) = self.period.unwrap_or((time, time));
            self.period = Some((first.min(time), last.max(time)));
        }
    }

    /// The events of the requests under the policy, and the time of the log.
    fn text(&self) -> Option<String> {
        let (first, last) = self.period?;
        let seconds = (last - first).max(1_000_000) as f64 / 1e6;
        let events = self.requests + self.watches;
        let per_second = events as f64 / seconds;
        let per_day = per_second * 86_400.0;
        Some(format!(
            "# The given log has {} requests, {} of them watches, in {seconds:.0} seconds: {events} events, {per_second:.1} a second, {per_day:.0} and {:.1} GB a day.\n",
            self.requests,
            self.watches,
            per_day * BYTES / 1e9
        ))
    }
}

pub(super) fn text(cost: &Cost) -> String {
    let measured = cost.text().unwrap_or_else(|| {
        "# At 1,000 requests a second that is 86 million events and 78 GB a day, about 4 GB with --audit-log-compress.\n".to_owned()
    });
    format!(
        "\
# The smallest audit policy with which every report is complete. It costs one event for each request, and two for a watch, of about 900
# bytes each. Bodies are not recorded.
{measured}# kube-apiserver --audit-policy-file=policy.yaml --audit-log-path=/var/log/kubernetes/audit.log --audit-log-compress
#   --audit-log-maxsize=1000 --audit-log-maxbackup=10
apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
# The time at which a watch begins is in the stage ResponseStarted.
- level: Metadata
  verbs: [watch]
  omitStages: [RequestReceived]
- level: Metadata
  omitStages: [RequestReceived, ResponseStarted]
"
    )
}
