//! `monitoring --live`: the rules beside the metrics of a cluster.

use crate::cluster::{ClusterArgs, ControlPlane, block_on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{ERROR, HINT, Streams, Table, WARNING, one_line, plural, warn, write_report};
use k8s_flowcontrol::{Error, Release, Resource};
use k8s_flowcontrol_analysis::monitoring::{
    AlertNow, AlertState, Holding, Monitoring, RuleCheck, ServerMetrics,
};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

const METRICS: &str = "/metrics";
/// The names of deleted levels that the text lists.
const NAMED: usize = 5;

/// The metrics of an API server at one or two moments.
struct Read {
    address: String,
    now: String,
    earlier: Option<(String, Duration)>,
}

/// The findings of the rules in a cluster.
pub(super) struct Live {
    servers: Vec<Read>,
    pub(super) release: Release,
    levels: Vec<String>,
}

impl Live {
    /// Reads the levels and the metrics of every API server, twice unless `interval` is zero.
    pub(super) fn read(
        cluster: &ClusterArgs,
        given: Option<Release>,
        interval: Duration,
    ) -> Result<Self, Failure> {
        let objects = Objects::live(cluster, given)?;
        let levels = objects.levels.iter().map(|level| level.name().to_owned());
        let levels = levels.collect();
        let servers = block_on(async {
            let control_plane = ControlPlane::connect(cluster).await?;
            for note in control_plane.notes() {
                warn(&note)?;
            }
            let (mut servers, mut is_forbidden) = (Vec::new(), false);
            let mut lacks = |address: &str, error: Error| {
                is_forbidden |= error.is_forbidden();
                warn(&format!("the metrics of {address}: {error}"))
            };
            for server in &control_plane.servers {
                match server.text(METRICS).await {
                    Ok(text) => servers.push((server, text, Instant::now())),
                    Err(error) => lacks(&server.address, error)?,
                }
            }
            if !interval.is_zero() && !servers.is_empty() {
                tokio::time::sleep(interval).await;
            }
            let mut read = Vec::new();
            for (server, first, at) in servers {
                let address = server.address.clone();
                if interval.is_zero() {
                    read.push(Read {
                        address,
                        now: first,
                        earlier: None,
                    });
                    continue;
                }
                match server.text(METRICS).await {
                    Ok(now) => read.push(Read {
                        address,
                        now,
                        earlier: Some((first, at.elapsed())),
                    }),
                    Err(error) => lacks(&address, error)?,
                }
            }
            if read.is_empty() {
                return Err(
                    Failure::new(Exit::Cluster, "no API server shows its metrics")
                        .forbidden(is_forbidden),
                );
            }
            Ok(read)
        })?;
        Ok(Self {
            servers,
            release: objects.live.unwrap_or_default(),
            levels,
        })
    }

    /// Checks the rules.
    pub(super) fn check(&self, monitoring: &Monitoring) -> RuleCheck {
        let servers: Vec<_> = self
            .servers
            .iter()
            .map(|read| {
                let mut server = ServerMetrics::new(&read.address, &read.now);
                let earlier = read.earlier.as_ref();
                server.earlier = earlier.map(|(text, interval)| (text.as_str(), *interval));
                server
            })
            .collect();
        let levels: Vec<_> = self.levels.iter().map(String::as_str).collect();
        monitoring.check(&servers, Some(&levels))
    }

    fn interval(&self) -> Option<f64> {
        let (_, interval) = self.servers.iter().find_map(|read| read.earlier.as_ref())?;
        Some(interval.as_secs_f64())
    }

    /// Prints the check for a person: problems, the alerts whose conditions hold, and a table of all.
    pub(super) fn text(&self, check: &RuleCheck, streams: &mut Streams) -> Result<(), Failure> {
        let out = &mut streams.out;
        for problem in &check.problems {
            out.label(ERROR, "problem:")?;
            writeln!(out, " {}", one_line(&problem.to_string()))?;
        }
        let metrics = plural(check.found.len(), "metric");
        let labels = match check.problems.is_empty() {
            true => ", with all labels",
            false => "",
        };
        out.paragraph(&format!("The servers have {metrics} of the rules{labels}."))?;
        if !check.not_yet.is_empty() {
            out.paragraph(&format!(
                "No server has series of {}: a server shows them from the first such request on.",
                check.not_yet.join(", ")
            ))?;
        }
        self.seats(check, streams)?;
        let out = &mut streams.out;
        writeln!(out)?;
        let mut table = Table::new(["ALERT", "SEVERITY", "FOR", "NOW"]);
        for alert in &check.alerts {
            let now = match &alert.state {
                AlertState::Quiet => "quiet".to_owned(),
                AlertState::Holds(_) => "HOLDS".to_owned(),
                AlertState::Unknown(why) => format!("unknown: {why}"),
            };
            let minutes = format!("{} min", alert.minutes);
            table.row([alert.name.clone(), alert.severity.to_owned(), minutes, now]);
        }
        table.write(out)?;
        for (alert, case) in check.alerts.iter().flat_map(cases) {
            writeln!(out)?;
            let style = match alert.severity {
                "critical" => ERROR,
                "warning" => WARNING,
                _ => HINT,
            };
            out.label(style, &format!("{}[{}]:", alert.severity, alert.name))?;
            writeln!(out, " {}", one_line(&case.summary))?;
            out.entry(&case.description)?;
        }
        let names: Vec<_> = self
            .servers
            .iter()
            .map(|read| read.address.as_str())
            .collect();
        let moments = match self.interval() {
            Some(seconds) => format!("rates of {seconds:.1} seconds"),
            None => "one sample without rates".to_owned(),
        };
        writeln!(out)?;
        out.paragraph(&format!(
            "{}: {}; {moments}; rules of Kubernetes {}",
            plural(names.len(), "API server"),
            names.join(", "),
            self.release
        ))?;
        Ok(())
    }

    /// The seats, and the deleted levels that are not counted.
    fn seats(&self, check: &RuleCheck, streams: &mut Streams) -> Result<(), Failure> {
        let out = &mut streams.out;
        let deleted = &check.deleted_levels;
        if !deleted.is_empty() {
            let more = deleted.len().saturating_sub(NAMED);
            let mut names = deleted[..deleted.len() - more].join(", ");
            if more > 0 {
                names += &format!(" and {more} more");
            }
            out.paragraph(&format!(
                "{} in the metrics and not in the cluster: {names}. A server keeps the metrics of a deleted level until it restarts.",
                plural(deleted.len(), "priority level"),
            ))?;
        }
        for seats in &check.seats {
            let (instance, sum) = (&seats.instance, seats.sum);
            let Some(all) = seats.seats else {
                continue;
            };
            let rest = match deleted.is_empty() {
                true => String::new(),
                false => format!(", where the limits of all levels in the metrics add up to {sum}"),
            };
            out.paragraph(&format!("The rules count {all} seats of {instance}{rest}."))?;
        }
        Ok(())
    }

    /// Prints the check for a program.
    pub(super) fn json(&self, check: &RuleCheck, streams: &mut Streams) -> Result<(), Failure> {
        let servers = check.seats.iter().map(|seats| {
            json!({"address": seats.instance, "seats": seats.seats, "sumOfLimits": seats.sum})
        });
        let alerts = check.alerts.iter().map(|alert| {
            let (state, why) = match &alert.state {
                AlertState::Quiet => ("quiet", None),
                AlertState::Holds(_) => ("holds", None),
                AlertState::Unknown(why) => ("unknown", Some(why)),
            };
            let cases = cases(alert).map(|(_, case)| {
                json!({"labels": case.labels, "value": case.value, "summary": case.summary, "description": case.description})
            });
            json!({
                "name": alert.name,
                "severity": alert.severity,
                "minutes": alert.minutes,
                "state": state,
                "why": why,
                "cases": cases.collect::<Vec<Value>>(),
            })
        });
        let problems = check.problems.iter().map(ToString::to_string);
        let report = json!({
            "release": self.release.to_string(),
            "intervalSeconds": self.interval(),
            "servers": servers.collect::<Vec<_>>(),
            "problems": problems.collect::<Vec<_>>(),
            "metrics": check.found,
            "metricsWithoutSeries": check.not_yet,
            "deletedLevels": check.deleted_levels,
            "alerts": alerts.collect::<Vec<_>>(),
        });
        write_report(&mut streams.out, report)?;
        Ok(())
    }
}

/// The cases in which the condition of an alert holds.
fn cases(alert: &AlertNow) -> impl Iterator<Item = (&AlertNow, &Holding)> {
    let cases = match &alert.state {
        AlertState::Holds(cases) => cases.as_slice(),
        _ => &[],
    };
    cases.iter().map(move |case| (alert, case))
}
