//! Wall time, processor time and memory of this process.

use cpu_time::ProcessTime;
use serde_json::{Map, Value};
use std::time::{Duration, Instant};

/// Measures from its creation.
pub struct Meter {
    wall: Instant,
    cpu: ProcessTime,
}

impl Meter {
    pub fn start() -> Self {
        Self {
            wall: Instant::now(),
            cpu: ProcessTime::now(),
        }
    }

    /// Wall time and processor time (all threads, user and system) since the start.
    pub fn stop(&self) -> (Duration, Duration) {
        (self.wall.elapsed(), self.cpu.elapsed())
    }
}

/// Prints the median of the times of starts, and the processor time of each.
pub fn report_starts(mut times: Vec<Duration>, meter: &Meter) {
    let (_, cpu) = meter.stop();
    times.sort();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    let each = cpu.as_secs_f64() / times.len().max(1) as f64;
    report(&[("ms", median.as_secs_f64() * 1e3), ("cpu ms", each * 1e3)]);
}

/// The resident memory of this process, in bytes; 0 where the system does not tell.
pub fn resident() -> u64 {
    memory("self", "VmRSS:")
}

/// The most bytes of memory that this process used so far.
pub fn peak_resident() -> u64 {
    memory("self", "VmHWM:")
}

/// The most memory that another process used so far, in MB; 0 if it has ended.
pub fn peak_memory(process: u32) -> f64 {
    memory(&process.to_string(), "VmHWM:") as f64 / 1e6
}

fn memory(process: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Prints the figures of a piece of work as one line of JSON.
pub fn report(figures: &[(&str, f64)]) {
    let figures = figures
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
    println!("{}", Value::Object(figures.collect::<Map<_, _>>()));
}
