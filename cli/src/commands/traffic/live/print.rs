//! The reports and alerts of `--follow` and `--listen`.

use crate::failure::Failure;
use crate::output::{Streams, Table, plural, write_line};
use jiff::Timestamp;
use k8s_flowcontrol_analysis::live::{Alert, NamedSums, Summary};
use serde::Serialize;
use std::io::Write;

/// The callers of a report.
const ROWS: usize = 10;

/// Prints for people, or one JSON object per line.
pub(super) struct Printer {
    pub(super) is_json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Line<'a> {
    Summary(&'a Summary),
    Alert {
        time: String,
        #[serde(flatten)]
        alert: &'a Alert,
    },
}

impl Printer {
    pub(super) fn alert(
        &self,
        alert: &Alert,
        now_us: i64,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let time = Timestamp::from_microsecond(now_us).unwrap_or_default();
        let time = time.to_string();
        if self.is_json {
            write_line(&mut streams.out, Line::Alert { time, alert })?;
        } else {
            let (name, verb) = match alert.name.as_str() {
                "" => ("all requests", "have"),
                name => (name, "has"),
            };
            let threshold = &alert.threshold;
            match alert.value {
                Some(value) => writeln!(
                    streams.out,
                    "{time} ALERT {threshold}: {name} {verb} {value}"
                )?,
                None => writeln!(streams.out, "{time} ended {threshold}: {name}")?,
            }
        }
        Ok(streams.out.flush()?)
    }

    pub(super) fn summary(&self, summary: &Summary, streams: &mut Streams) -> Result<(), Failure> {
        if self.is_json {
            write_line(&mut streams.out, Line::Summary(summary))?;
            return Ok(streams.out.flush()?);
        }
        let out = &mut streams.out;
        let seconds = summary.observed_seconds;
        write!(out, "{}: ", summary.time)?;
        if seconds > 0.0 {
            writeln!(
                out,
                "{} in {seconds:.0} s, {:.1} a second, {} rejected",
                plural(summary.sums.requests, "request"),
                summary.sums.requests as f64 / seconds,
                summary.sums.rejected
            )?;
        } else {
            writeln!(out, "no requests in the window so far")?;
        }
        for (count, what, text) in [
            (
                summary.late_requests,
                "request",
                "ended before the window when they were read",
            ),
            (summary.broken_lines, "line", "without an audit event"),
            (
                summary.lost_ends,
                "log file",
                "vanished before the end was read",
            ),
        ] {
            if count > 0 {
                writeln!(out, "note: {} {text}", plural(count, what))?;
            }
        }
        if summary.sums.requests > 0 {
            writeln!(out)?;
            let columns = [
                "PRIORITYLEVEL",
                "REQUESTS",
                "RATE",
                "SEATSECONDS",
                "REJECTED",
            ];
            let mut table = Table::new(columns);
            for level in &summary.priority_levels {
                let [requests, rate, rejected] = cells(level, seconds);
                let work = format!("{:.3}", level.sums.seat_seconds());
                table.row([level.name.clone(), requests, rate, work, rejected]);
            }
            table.write(out)?;
            writeln!(out)?;
            let mut table = Table::new([
                "BUSIEST",
                "REQUESTS",
                "RATE",
                "LISTS",
                "NEWEST",
                "UNLIMITED",
                "SHORT",
                "RETRIES",
                "REJECTED",
                "ERRORS",
            ]);
            for caller in summary.callers.iter().take(ROWS) {
                let [requests, rate, rejected] = cells(caller, seconds);
                let sums = &caller.sums;
                table.row([
                    caller.name.clone(),
                    requests,
                    rate,
                    sums.lists.to_string(),
                    sums.newest_lists.to_string(),
                    sums.unlimited_lists.to_string(),
                    sums.short_watches.to_string(),
                    sums.retries.to_string(),
                    rejected,
                    sums.errors.to_string(),
                ]);
            }
            table.write(out)?;
            if summary.caller_count > ROWS {
                writeln!(out, "and {} more", summary.caller_count - ROWS)?;
            }
        }
        writeln!(out)?;
        Ok(out.flush()?)
    }
}

fn cells(named: &NamedSums, seconds: f64) -> [String; 3] {
    let sums = &named.sums;
    [
        sums.requests.to_string(),
        format!("{:.1}/s", sums.requests as f64 / seconds),
        sums.rejected.to_string(),
    ]
}
