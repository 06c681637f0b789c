//! The requests of logs, and their predictions.

use super::compare::{LevelVerification, Predicted, Quantity, Verification, compare};
use crate::audit::Event;
use crate::metrics::catalog::{
    REQUEST_EXECUTION_SECONDS, REQUEST_WAIT_DURATION_SECONDS, WORK_ESTIMATED_SEATS,
};
use crate::metrics::{Histograms, StoredObjects};
use crate::simulation::{MOVED_US, Recorded, Recording, Waits, moved_us};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::BTreeMap;
use std::time::Duration;

/// The simulations of the waits. In all but the first one, each client comes somewhat later.
const SIMULATIONS: u64 = 8;

/// The histograms of a server over the time of logs, and its stored objects before and after it.
#[derive(Clone, Debug, Default)]
pub struct ServerMetrics {
    seats: Histograms,
    waits: Histograms,
    executions: Histograms,
    before: StoredObjects,
    after: StoredObjects,
}

impl ServerMetrics {
    /// Reads the text of `/metrics` before and after the time of the logs. Without `before`, the logs begin with the start of the server.
    pub fn parse(before: Option<&str>, after: &str) -> Self {
        let of = |metric| {
            let histograms = Histograms::parse(after, metric);
            match before {
                Some(before) => histograms.since(&Histograms::parse(before, metric)),
                None => histograms,
            }
        };
        let stored = StoredObjects::parse(after);
        Self {
            seats: of(&WORK_ESTIMATED_SEATS),
            waits: of(&REQUEST_WAIT_DURATION_SECONDS),
            executions: of(&REQUEST_EXECUTION_SECONDS),
            before: before.map_or_else(|| stored.clone(), StoredObjects::parse),
            after: stored,
        }
    }
}

/// Takes the requests of audit logs of one server, and predicts its histograms. It keeps every request.
#[derive(Clone, Debug)]
pub struct Verifier {
    metrics: ServerMetrics,
    release: Release,
    seats: u32,
    /// For the stored objects before, and after.
    recordings: [Recording; 2],
    /// A request, and its class in the second recording.
    requests: Vec<(Recorded, u32)>,
}

impl Verifier {
    /// For logs of a server with these objects, seats and metrics.
    ///
    /// # Errors
    /// If the queues of a level cannot be dealt.
    pub fn new(
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        seats: u32,
        release: Release,
        metrics: ServerMetrics,
    ) -> Result<Self, String> {
        let recording = Recording::of_objects(flow_schemas, priority_levels, seats, release)
            .map_err(|error| error.to_string())?;
        Ok(Self {
            metrics,
            release,
            seats,
            recordings: [recording.clone(), recording],
            requests: Vec::new(),
        })
    }

    /// Adds a request, given by its last event.
    pub fn add(&mut self, event: &Event<'_>) {
        let attributes = event.attributes();
        let (group, resource) = (&attributes.api_group, &attributes.resource);
        let stored = [&self.metrics.before, &self.metrics.after];
        let stored = stored.map(|stored| stored.of(group, resource));
        let [first, second] = &mut self.recordings;
        let first = first.add(event, &attributes, stored[0]);
        let second = second.add(event, &attributes, stored[1]);
        if let (Some(first), Some(second)) = (first, second) {
            self.requests.push((first, second.class));
        }
    }

    /// Compares the histograms of the server with the predictions. Levels without requests are left out.
    pub fn compare(mut self) -> Verification {
        self.requests
            .sort_by_key(|(request, _)| request.received_us);
        let mut alternatives = vec![self.predict(0)];
        if !self.has_one_prediction() {
            alternatives.push(self.predict(1));
            // The seats of the server show which numbers of objects it had.
            let fitting = alternatives
                .iter()
                .map(|alternative| self.levels(&[alternative], &[Quantity::Seats]))
                .map(|levels| {
                    levels
                        .iter()
                        .all(|level| level.unexplained().next().is_none())
                });
            let fitting: Vec<_> = fitting.collect();
            if fitting.contains(&true) {
                let mut fitting = fitting.into_iter();
                alternatives.retain(|_| fitting.next().unwrap_or(true));
            }
        }
        let alternatives: Vec<_> = alternatives.iter().collect();
        let all = [Quantity::Seats, Quantity::Wait, Quantity::Execution];
        Verification {
            release: self.release,
            seats: self.seats,
            period_us: self.recordings[0].period_us().unwrap_or_default(),
            levels: self.levels(&alternatives, &all),
        }
    }

    /// Compares some quantities of each level with alternative predictions.
    fn levels(&self, alternatives: &[&Prediction], of: &[Quantity]) -> Vec<LevelVerification> {
        let metrics = &self.metrics;
        let mut levels = Vec::new();
        for name in metrics.waits.priority_levels() {
            let (Some(waits), Some(logged)) = (
                metrics.waits.of(name),
                alternatives[0].levels.get(name).map(|level| level.logged),
            ) else {
                continue;
            };
            let counted = waits.count();
            if counted == 0 {
                continue;
            }
            let missing = counted.abs_diff(logged) as f64 / counted.max(logged) as f64;
            let mut quantities = Vec::new();
            for quantity in of.iter().copied() {
                let predicted: Vec<&dyn Predicted> = alternatives
                    .iter()
                    .filter_map(|alternative| alternative.of(name, quantity))
                    .collect();
                let histograms = match quantity {
                    Quantity::Seats => &metrics.seats,
                    Quantity::Wait => &metrics.waits,
                    Quantity::Execution => &metrics.executions,
                };
                let observed = histograms.of(name);
                if let Some(observed) = observed.filter(|observed| observed.count() > 0) {
                    quantities.push(compare(quantity, observed, &predicted, missing));
                }
            }
            levels.push(LevelVerification {
                priority_level: name.to_owned(),
                counted,
                logged,
                quantities,
            });
        }
        levels
    }

    /// Whether the stored objects of both times give the same seats.
    fn has_one_prediction(&self) -> bool {
        let [first, second] = &self.recordings;
        self.requests.iter().all(|(request, class)| {
            first.level_and_seats(request.class) == second.level_and_seats(*class)
        })
    }

    fn predict(&self, alternative: usize) -> Prediction {
        let mut recording = self.recordings[alternative].clone();
        let requests = || {
            self.requests.iter().map(move |(request, class)| Recorded {
                class: if alternative == 0 {
                    request.class
                } else {
                    *class
                },
                ..*request
            })
        };
        recording.find_loops(requests());
        let separated: Vec<_> = recording.separate_waits(requests()).collect();
        recording.find_slowdown(separated.iter().copied());
        let mut levels = BTreeMap::<String, Level>::new();
        for request in &separated {
            let Some((name, seats)) = recording.level_and_seats(request.class) else {
                continue;
            };
            if !request.rejected {
                let level = levels.entry(name.to_owned()).or_default();
                level.logged += 1;
                *level.seats.0.entry(seats).or_default() += 1;
                level.executions.0[0].add(request.execution.unwrap_or_default());
            }
        }
        for simulation in 0..SIMULATIONS {
            let mut moved: Vec<_> = separated
                .iter()
                .map(|request| Recorded {
                    received_us: request
                        .received_us
                        .saturating_add_unsigned(delay(request.client, simulation)),
                    ..*request
                })
                .collect();
            moved.sort_by_key(|request| request.received_us);
            let report = recording
                .clone()
                .replay_once(&mut moved.into_iter(), &mut |_| ());
            for level in report.levels {
                if let Some(found) = levels.get_mut(&level.name) {
                    found.waits.0.push(level.waits);
                }
            }
        }
        Prediction { levels }
    }
}

/// How much later a client comes in a simulation.
fn delay(client: u32, simulation: u64) -> u64 {
    match simulation {
        0 => 0,
        _ => moved_us(simulation, (client, 0), MOVED_US),
    }
}

/// The predicted distributions of each level.
struct Prediction {
    levels: BTreeMap<String, Level>,
}

struct Level {
    logged: u64,
    seats: Seats,
    waits: Times,
    executions: Times,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            logged: 0,
            seats: Seats::default(),
            waits: Times(Vec::new()),
            executions: Times(vec![Waits::default()]),
        }
    }
}

impl Prediction {
    fn of(&self, level: &str, quantity: Quantity) -> Option<&dyn Predicted> {
        let level = self.levels.get(level)?;
        Some(match quantity {
            Quantity::Seats => &level.seats,
            Quantity::Wait => &level.waits,
            Quantity::Execution => &level.executions,
        })
    }
}

/// The number of requests by their seats.
#[derive(Default)]
struct Seats(BTreeMap<u32, u64>);

impl Predicted for Seats {
    fn parts(&self, at_most: f64) -> Vec<f64> {
        let all: u64 = self.0.values().sum();
        let within = self
            .0
            .iter()
            .filter(|(seats, _)| f64::from(**seats) <= at_most);
        let within: u64 = within.map(|(_, count)| count).sum();
        vec![within as f64 / all.max(1) as f64]
    }

    fn mean(&self) -> f64 {
        let all: u64 = self.0.values().sum();
        let seats = self
            .0
            .iter()
            .map(|(seats, count)| f64::from(*seats) * *count as f64);
        seats.sum::<f64>() / all.max(1) as f64
    }
}

/// The times of requests in each simulation.
struct Times(Vec<Waits>);

impl Predicted for Times {
    fn parts(&self, at_most: f64) -> Vec<f64> {
        let bound = Duration::try_from_secs_f64(at_most).unwrap_or(Duration::MAX);
        let part = |times: &Waits| times.within(bound) as f64 / times.count().max(1) as f64;
        self.0.iter().map(part).collect()
    }

    fn mean(&self) -> f64 {
        let sum: f64 = self
            .0
            .iter()
            .map(|times| times.average().as_secs_f64())
            .sum();
        sum / self.0.len().max(1) as f64
    }
}
