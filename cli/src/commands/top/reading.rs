//! The state of the priority levels of an API server, and of all of them.

use super::flow::{self, Flow, flows};
use crate::cluster::{ApiServer, ControlPlane, at_once};
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol::{Client, Resource};
use k8s_flowcontrol_analysis::dumps::parse_priority_levels;
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, Quantity};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

pub(super) const DUMP: &str = "/debug/api_priority_and_fairness/dump_priority_levels";
pub(super) const REQUESTS: &str = "/debug/api_priority_and_fairness/dump_requests";

/// The state of an API server at one moment.
pub(crate) struct Reading {
    pub(crate) address: String,
    pub(crate) reached_by: &'static str,
    pub(crate) levels: Vec<Level>,
    /// The flows with requests, if they were read.
    pub(super) flows: Option<Vec<Flow>>,
    /// The parts that are missing, with errors.
    pub(crate) missing: Vec<String>,
    /// The parts that were read.
    sources: Sources,
}

/// The parts of a reading. The dump counts the rejected requests of a level since its creation, and the metrics since the start of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sources {
    has_dump: bool,
    has_metrics: bool,
}

/// A priority level in one server; none for values that the server does not report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    pub(crate) name: String,
    pub(crate) executing: Option<i64>,
    pub(crate) waiting: Option<i64>,
    /// The rejected requests since the server started, or in the dump since the level was created.
    pub(crate) rejected: Option<i64>,
    /// The rejected requests since the reading before, in a second.
    pub(crate) rejected_per_second: Option<f64>,
    pub(crate) seats_in_use: Option<i64>,
    /// The current limit, or the nominal limit where the server has no other.
    pub(crate) seats: Option<i64>,
    pub(crate) nominal_seats: Option<i64>,
    /// Whether the level is in the debug dump.
    pub(super) is_dumped: bool,
}

impl Reading {
    pub(crate) async fn take(server: &ApiServer) -> Result<Self, Failure> {
        let client = &server.client;
        let (dump, metrics) = (server.text(DUMP).await, server.text("/metrics").await);
        let mut reading = Self {
            address: server.address.clone(),
            reached_by: server.reached_by(),
            levels: Vec::new(),
            flows: None,
            missing: Vec::new(),
            sources: Sources {
                has_dump: dump.is_ok(),
                has_metrics: metrics.is_ok(),
            },
        };
        let mut levels = BTreeMap::new();
        match &dump {
            Ok(text) => read_dump(text, &mut levels)?,
            Err(error) => reading.missing.push(format!("no debug dump: {error}")),
        }
        match &metrics {
            Ok(text) => read_metrics(text, &mut levels),
            Err(error) => reading.missing.push(format!("no metrics: {error}")),
        }
        if let (Err(error), Err(other)) = (&dump, &metrics) {
            let is_forbidden = error.is_forbidden() || other.is_forbidden();
            return Err(Failure::from(error).forbidden(is_forbidden));
        }
        let existing = match dump {
            Ok(_) => None,
            Err(_) => names(client).await,
        };
        // The metrics of deleted levels stay until the server restarts.
        reading.levels = levels
            .into_values()
            .filter(|level| match &existing {
                Some(names) => names.contains(&level.name),
                None => dump.is_err() || level.is_dumped,
            })
            .collect();
        Ok(reading)
    }

    /// Reads the flows with requests, too.
    pub(super) async fn with_flows(mut self, server: &ApiServer) -> Self {
        let text = server.text(REQUESTS).await;
        let found = text.map_err(|error| error.to_string());
        match found.and_then(|text| flows(&text).map_err(|error| error.to_string())) {
            Ok(flows) => self.flows = Some(flows),
            Err(error) => self.missing.push(format!("no flows: {error}")),
        }
        self
    }

    /// Computes the rates since an earlier reading of the same server from the same sources: their counters differ. A counter that went back is that of
    /// a new process.
    pub(crate) fn rates_since(&mut self, earlier: &[Self], elapsed: Duration) {
        let mut earlier = earlier.iter();
        let earlier = match earlier.find(|earlier| earlier.address == self.address) {
            Some(earlier) if earlier.sources == self.sources => Ok(earlier),
            Some(_) => Err("only one of two readings has the debug dump or the metrics"),
            None => Err("it was not read before"),
        };
        let earlier = match earlier {
            Ok(earlier) => earlier,
            Err(why) => {
                let missing = format!("no rate of rejected requests: {why}");
                return self.missing.insert(0, missing);
            }
        };
        let has_metrics = self.sources.has_metrics;
        // Dumps up to 1.27 do not have the column.
        let counts = |level: &Level| level.rejected.is_some();
        if !has_metrics && !self.levels.is_empty() && !self.levels.iter().any(counts) {
            let missing =
                "no rate of rejected requests: the debug dump of this release does not count them";
            self.missing.insert(0, missing.to_owned());
        }
        let known = |level: &&mut Level| has_metrics || level.rejected.is_some();
        for level in self.levels.iter_mut().filter(known) {
            // A level without rejections does not have a counter yet.
            let before = earlier
                .levels
                .iter()
                .find(|before| before.name == level.name);
            let before = before
                .and_then(|before| before.rejected)
                .unwrap_or_default();
            let now = level.rejected.unwrap_or_default();
            let rejected = if now < before { now } else { now - before };
            level.rejected_per_second = Some(rejected as f64 / elapsed.as_secs_f64());
        }
    }

    /// The flows with requests of all servers that were read.
    pub(super) fn flows_of(readings: &[Self]) -> Vec<Flow> {
        let flows = readings.iter().filter_map(|reading| reading.flows.clone());
        flow::sum(flows.flatten())
    }

    /// The sums of each level over several servers.
    pub(crate) fn sum(readings: &[Self]) -> Vec<Level> {
        let mut sums = BTreeMap::<&str, Level>::new();
        for level in readings.iter().flat_map(|reading| &reading.levels) {
            match sums.get_mut(level.name.as_str()) {
                Some(sum) => sum.add(level),
                None => {
                    sums.insert(&level.name, level.clone());
                }
            }
        }
        sums.into_values().collect()
    }
}

impl Level {
    /// Whether the level has no limit.
    pub(super) fn is_exempt(&self) -> bool {
        // Servers have exactly this one.
        self.name == "exempt"
    }

    /// The seats that the level has borrowed; negative if it lends seats.
    pub(super) fn borrowed(&self) -> Option<i64> {
        let (current, nominal) = (self.seats?, self.nominal_seats?);
        (!self.is_exempt()).then(|| current.saturating_sub(nominal))
    }

    /// Adds the numbers of another server.
    fn add(&mut self, other: &Self) {
        let pairs = [
            (&mut self.executing, other.executing),
            (&mut self.waiting, other.waiting),
            (&mut self.rejected, other.rejected),
            (&mut self.seats_in_use, other.seats_in_use),
            (&mut self.seats, other.seats),
            (&mut self.nominal_seats, other.nominal_seats),
        ];
        for (sum, value) in pairs {
            *sum = match (*sum, value) {
                (Some(sum), Some(value)) => Some(sum.saturating_add(value)),
                (sum, value) => sum.or(value),
            };
        }
        self.rejected_per_second = match (self.rejected_per_second, other.rejected_per_second) {
            (Some(sum), Some(rate)) => Some(sum + rate),
            (sum, rate) => sum.or(rate),
        };
    }
}

/// The names of the existing levels; none if they cannot be listed.
async fn names(client: &Client) -> Option<BTreeSet<String>> {
    let levels = client.negotiated::<PriorityLevelConfiguration>().await;
    let levels = levels.ok()?.list().await.ok()?.items;
    Some(levels.iter().map(|level| level.name().to_owned()).collect())
}

fn read_dump(text: &str, levels: &mut BTreeMap<String, Level>) -> Result<(), Failure> {
    let dump = parse_priority_levels(text)
        .map_err(|error| Failure::new(Exit::Cluster, error.to_string()))?;
    for row in dump.rows {
        let level = named(levels, &row.name);
        level.is_dumped = true;
        if let Some(state) = row.state {
            level.executing = Some(state.executing_requests);
            level.waiting = Some(state.waiting_requests);
            level.rejected = state.rejected_requests;
        }
    }
    Ok(())
}

/// Adds the metrics. The dump has precedence for the numbers of requests.
fn read_metrics(text: &str, levels: &mut BTreeMap<String, Level>) {
    let metrics = FlowMetrics::parse(text);
    for name in metrics.priority_levels() {
        let total = |quantity| metrics.total(quantity, name);
        let level = named(levels, name);
        level.nominal_seats = total(Quantity::NominalSeats);
        level.seats = total(Quantity::CurrentSeats).or(level.nominal_seats);
        // A level without requests does not have series for them yet.
        level.seats_in_use = total(Quantity::SeatsInUse).or(level.seats.map(|_| 0));
        for (number, quantity) in [
            (&mut level.executing, Quantity::ExecutingRequests),
            (&mut level.waiting, Quantity::WaitingRequests),
            (&mut level.rejected, Quantity::RejectedRequests),
        ] {
            *number = number.or_else(|| total(quantity));
        }
    }
}

fn named<'a>(levels: &'a mut BTreeMap<String, Level>, name: &str) -> &'a mut Level {
    levels.entry(name.to_owned()).or_insert_with(|| Level {
        name: name.to_owned(),
        ..Level::default()
    })
}

/// The readings of all servers at one moment.
pub(super) struct Readings {
    pub(super) servers: Vec<Reading>,
    /// The problems of servers that were not read.
    pub(super) notes: Vec<String>,
    pub(super) at: Instant,
}

impl Readings {
    /// The missing parts of servers, with the address if there are several, and the servers that were not read.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        let has_one = self.servers.len() == 1;
        let parts = self.servers.iter().flat_map(move |reading| {
            let missing = reading.missing.iter();
            missing.map(move |text| match has_one {
                true => text.clone(),
                false => format!("{}: {text}", reading.address),
            })
        });
        parts.chain(self.notes.iter().cloned())
    }

    /// Computes the rates since earlier readings.
    pub(super) fn rates_since(&mut self, earlier: &Self) {
        let elapsed = self.at.duration_since(earlier.at);
        for reading in &mut self.servers {
            reading.rates_since(&earlier.servers, elapsed);
        }
    }
}

/// Reads all servers at the same time.
/// Errors: if none can be read. If only some can be read, the notes have the errors of the others.
pub(super) async fn read_all(control_plane: &ControlPlane) -> Result<Readings, Failure> {
    let reads = control_plane
        .servers
        .iter()
        .cloned()
        .map(|server| async move {
            let reading = match Reading::take(&server).await {
                Ok(reading) => Ok(reading.with_flows(&server).await),
                Err(failure) => Err(failure),
            };
            (reading, server.address)
        });
    let results = at_once(reads).await;
    let mut notes: Vec<_> = control_plane.notes().collect();
    let (mut servers, mut failed, mut is_forbidden) = (Vec::new(), None, false);
    for (result, address) in results {
        match result {
            Ok(reading) => servers.push(reading),
            Err(failure) => {
                notes.push(format!("{address}: {failure}"));
                is_forbidden |= failure.is_forbidden();
                failed = Some(failure);
            }
        }
    }
    match failed {
        Some(failure) if servers.is_empty() => Err(failure.forbidden(is_forbidden)),
        _ => Ok(Readings {
            servers,
            notes,
            at: Instant::now(),
        }),
    }
}
