//! The processor, the store and the memory of a server, from its metrics.

use super::text::samples;

/// The counters of a server's processor, store and memory. Each is `None` if the server does not have the metric.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MachineMetrics {
    /// How often work was ready for the processor (`go_sched_latencies_seconds`).
    pub scheduled: Option<f64>,
    /// How often it waited for the processor for more than about 10 ms.
    pub scheduled_late: Option<f64>,
    /// The seconds for which requests executed (`apiserver_flowcontrol_request_execution_seconds`).
    pub execution_seconds: Option<f64>,
    /// The requests that were executed.
    pub executed: Option<f64>,
    /// The seconds that calls of etcd took (`etcd_request_duration_seconds`).
    pub store_seconds: Option<f64>,
    /// The calls of etcd.
    pub store_calls: Option<f64>,
    /// The processor seconds of the garbage collector (`go_cpu_classes_gc_total_cpu_seconds_total`).
    pub collector_seconds: Option<f64>,
    /// The processor seconds of all work of the server, the collector included.
    pub work_seconds: Option<f64>,
    /// The live watches (`apiserver_longrunning_requests`), at the time of the sample.
    pub live_watches: Option<f64>,
    /// The memory of the server (`process_resident_memory_bytes`), at the time of the sample.
    pub resident_bytes: Option<f64>,
}

/// A wait for the processor is late from the first bound of the histogram at or above this, in seconds.
const LATE: f64 = 0.01;

impl MachineMetrics {
    /// Reads the text of `/metrics`.
    pub fn parse(metrics: &str) -> Self {
        let mut found = Self::default();
        let (mut bound, mut idle, mut total) = ((f64::MAX, 0.0), None, None);
        let add = |sum: &mut Option<f64>, value: f64| *sum = Some(sum.unwrap_or(0.0) + value);
        for sample in samples(metrics) {
            let value = sample.value;
            // The metrics have other values only if they are broken.
            if !value.is_finite() {
                continue;
            }
            match sample.name {
                "go_sched_latencies_seconds_count" => add(&mut found.scheduled, value),
                "go_sched_latencies_seconds_bucket" => {
                    let le = sample.label("le").and_then(|le| le.parse::<f64>().ok());
                    if let Some(le) = le.filter(|le| (LATE..bound.0).contains(le)) {
                        bound = (le, value);
                    }
                }
                "apiserver_flowcontrol_request_execution_seconds_sum" => {
                    add(&mut found.execution_seconds, value);
                }
                "apiserver_flowcontrol_request_execution_seconds_count" => {
                    add(&mut found.executed, value);
                }
                "etcd_request_duration_seconds_sum" => add(&mut found.store_seconds, value),
                "etcd_request_duration_seconds_count" => add(&mut found.store_calls, value),
                "go_cpu_classes_gc_total_cpu_seconds_total" => {
                    add(&mut found.collector_seconds, value);
                }
                // The name before 1.24 is the second one.
                "apiserver_longrunning_requests" | "apiserver_longrunning_gauge"
                    if sample.label("verb") == Some("WATCH") =>
                {
                    add(&mut found.live_watches, value);
                }
                "process_resident_memory_bytes" => found.resident_bytes = Some(value),
                "go_cpu_classes_idle_cpu_seconds_total" => idle = Some(value),
                "go_cpu_classes_total_cpu_seconds_total" => total = Some(value),
                _ => {}
            }
        }
        let is_bound = bound.0 < f64::INFINITY && bound.0 != f64::MAX;
        found.scheduled_late = found
            .scheduled
            .filter(|_| is_bound)
            .map(|all| all - bound.1);
        found.work_seconds = total.zip(idle).map(|(total, idle)| total - idle);
        found
    }

    /// The increase since an earlier sample; all of it if the server started in between.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let has_restarted = self.scheduled < earlier.scheduled || self.executed < earlier.executed;
        if has_restarted {
            return *self;
        }
        let since = |now: Option<f64>, before: Option<f64>| {
            now.map(|now| (now - before.unwrap_or(0.0)).max(0.0))
        };
        Self {
            scheduled: since(self.scheduled, earlier.scheduled),
            scheduled_late: since(self.scheduled_late, earlier.scheduled_late),
            execution_seconds: since(self.execution_seconds, earlier.execution_seconds),
            executed: since(self.executed, earlier.executed),
            store_seconds: since(self.store_seconds, earlier.store_seconds),
            store_calls: since(self.store_calls, earlier.store_calls),
            collector_seconds: since(self.collector_seconds, earlier.collector_seconds),
            work_seconds: since(self.work_seconds, earlier.work_seconds),
            live_watches: self.live_watches,
            resident_bytes: self.resident_bytes,
        }
    }
}
