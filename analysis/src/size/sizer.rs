//! Intents with a configuration and a load: whether they hold.

use super::check::{self, Check, Measured};
use super::error::SizeError;
use super::intents::{AtLoad, Intent, Intents, Target};
use super::quiet::Demands;
use super::requests::Requests;
use super::setting::Objects;
use super::variation::{Recurring, Variation, load};
use crate::simulation::{self, Measure, Recording, Trial};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{RequestAttributes, Subject, User};
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Intents with the present configuration of a server, its release and a load.
///
/// [`size`](Self::size) finds the configuration that satisfies the intents, and [`check`](Self::check) says whether a given one does.
#[derive(Debug)]
pub struct Sizer<'a> {
    pub(super) intents: &'a Intents,
    pub(super) present: Objects,
    pub(super) release: Release,
    pub(super) requests: Option<&'a Requests>,
    /// How many times the load the intents must hold under.
    pub(super) times: f64,
    /// The set of intents of each shape of the logs.
    of_shapes: Vec<usize>,
    /// How often each shape is there.
    pub(super) factors: Vec<f64>,
    /// Sets of intents; the first one is empty.
    sets: Vec<Vec<usize>>,
    /// None if every request is simulated event by event.
    pub(super) demands: Option<Demands>,
}

/// A run of the simulator.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) checks: Vec<Check>,
    pub(super) measured: simulation::Measured,
    /// The levels that take the requests of each intent.
    pub(super) levels: Vec<BTreeSet<String>>,
}

impl<'a> Sizer<'a> {
    /// Prepares a load.
    ///
    /// # Errors
    /// [`SizeError::NoLog`] and [`SizeError::NoMatch`] for intents without requests.
    pub fn new(
        intents: &'a Intents,
        flow_schemas: &[FlowSchema],
        priority_levels: &[PriorityLevelConfiguration],
        release: Release,
        requests: Option<&'a Requests>,
    ) -> Result<Self, SizeError> {
        let mut new = Self {
            intents,
            present: Objects {
                flow_schemas: flow_schemas.to_vec(),
                levels: priority_levels.to_vec(),
            },
            release,
            requests,
            times: 1.0,
            of_shapes: Vec::new(),
            factors: Vec::new(),
            sets: vec![Vec::new()],
            demands: Some(Demands::default()),
        };
        let mut known = HashMap::from([(Vec::new(), 0)]);
        for shape in requests.iter().flat_map(|requests| &requests.shapes) {
            let set = new.set_of(&shape.attributes.user);
            let times = set
                .iter()
                .filter_map(|index| match intents.intents[*index].at_load {
                    AtLoad::FromLog { times } => Some(times),
                    AtLoad::Generated(_) => None,
                });
            new.factors.push(times.reduce(f64::max).unwrap_or(1.0));
            let sets = &mut new.sets;
            let number = *known.entry(set.clone()).or_insert_with(|| {
                sets.push(set);
                sets.len() - 1
            });
            new.of_shapes.push(number);
        }
        new.check_loads()?;
        Ok(new)
    }

    /// The same load with other intents.
    pub(super) fn with_intents<'b>(&'b self, intents: &'b Intents) -> Result<Sizer<'b>, SizeError> {
        let (schemas, levels) = (&self.present.flow_schemas, &self.present.levels);
        let mut new = Sizer::new(intents, schemas, levels, self.release, self.requests)?;
        new.times = self.times;
        Ok(match self.demands {
            Some(_) => new,
            None => new.without_leaps(),
        })
    }

    /// Whether a simulation takes long, beside the start of a thread.
    pub(super) fn is_large(&self) -> bool {
        const LARGE: usize = 100_000;
        self.requests
            .is_some_and(|requests| requests.count() > LARGE)
    }

    /// Simulates every request event by event, also while nothing can wait. The figures are the same, after a longer time.
    #[must_use]
    pub fn without_leaps(mut self) -> Self {
        self.demands = None;
        self
    }

    /// The intents of the clients that include a user.
    fn set_of(&self, user: &User) -> Vec<usize> {
        let intents = self.intents.intents.iter().enumerate();
        let of_user = intents.filter(|(_, intent)| match &intent.target {
            Target::Client(client) => Subject::new(&client.subject()).matches(user),
            Target::Level(_) => false,
        });
        of_user.map(|(index, _)| index).collect()
    }

    fn check_loads(&self) -> Result<(), SizeError> {
        let seen: BTreeSet<_> = self
            .of_shapes
            .iter()
            .flat_map(|set| &self.sets[*set])
            .collect();
        for (index, intent) in self.intents.intents.iter().enumerate() {
            let (name, line) = (intent.name.clone(), intent.line);
            let is_from_log = matches!(intent.at_load, AtLoad::FromLog { .. });
            if is_from_log && self.requests.is_none() {
                return Err(SizeError::NoLog { intent: name, line });
            }
            match &intent.target {
                Target::Client(_) if is_from_log && !seen.contains(&index) => {
                    let target = intent.target.to_string();
                    return Err(SizeError::NoMatch {
                        intent: name,
                        line,
                        target,
                    });
                }
                Target::Level(level) => {
                    let limits = ServerLimits::new(&self.present.levels, 600, self.release);
                    if limits.level(level).is_none_or(|level| level.exempt) {
                        return Err(SizeError::UnknownLevel {
                            intent: name,
                            line,
                            level: level.clone(),
                        });
                    }
                }
                Target::Client(_) => {}
            }
        }
        Ok(())
    }

    /// Simulates a variation of the load. Only the answer needs samples over time.
    pub(super) fn run(
        &self,
        objects: &Objects,
        seats: u32,
        variation: Variation,
        has_samples: bool,
    ) -> Result<Outcome, SizeError> {
        let server = FlowController::new(
            &objects.flow_schemas,
            &objects.levels,
            seats,
            self.release,
            Duration::ZERO,
        )
        .map_err(|error| SizeError::InvalidLevel(error.to_string()))?;
        let limits = server.limits().clone();
        let bounds = LevelBounds::new(&objects.levels, seats, self.release);
        let estimator = Estimator::new(self.release);
        let load = load(self.intents, variation);
        let mut sets = self.sets.clone();
        let mut levels = vec![BTreeSet::new(); self.intents.intents.len()];
        let mut of_clients = Vec::new();
        for client in &load.clients {
            let set = self.set_of(&client.request.user);
            self.note_level(&server, &client.request, &set, &mut levels);
            of_clients.push(match sets.iter().position(|known| *known == set) {
                Some(known) => known,
                None => {
                    sets.push(set);
                    sets.len() - 1
                }
            });
        }
        let none = Requests {
            shapes: Vec::new(),
            packed: Vec::new(),
            habits: Vec::new(),
            period: (0, 0),
        };
        let requests = self.requests.unwrap_or(&none);
        let instances = Recurring::most_instances(&self.factors, variation);
        let recording = Recording::of_shapes(
            server,
            bounds,
            estimator,
            requests.shapes.iter(),
            requests.period,
            Recurring::habits(requests, instances),
        );
        for (class, set) in self.of_shapes.iter().enumerate() {
            if let Some((level, _)) = recording.level_and_seats(class as u32) {
                for intent in &self.sets[*set] {
                    levels[*intent].insert(level.to_owned());
                }
            }
        }
        let quiet = match (&self.requests, &self.demands, has_samples) {
            (Some(requests), Some(demands), false) => {
                self.quiet(demands, requests, &recording, variation)
            }
            _ => None,
        };
        let trial = Trial {
            load: &load,
            seed: variation.seed,
            recording,
            requests: Recurring::new(requests, &self.factors, variation),
            of_clients: &of_clients,
            of_classes: &self.of_shapes,
            groups: sets.len(),
            has_samples,
            quiet: quiet.map(Arc::new),
        };
        let measured = trial.run(|_| ());
        let mut checks = Vec::new();
        for (index, intent) in self.intents.intents.iter().enumerate() {
            if variation.starved.is_some_and(|starved| starved != index) {
                continue;
            }
            let measure = measure_of(index, intent, &sets, &measured);
            checks.extend(check::waits(index, intent, &measure));
            checks.extend(seats_check(index, intent, &levels[index], &limits));
        }
        Ok(Outcome {
            checks,
            measured,
            levels,
        })
    }

    fn note_level(
        &self,
        server: &FlowController,
        request: &RequestAttributes,
        set: &[usize],
        levels: &mut [BTreeSet<String>],
    ) {
        if let Some(found) = server.classify(request) {
            for intent in set {
                levels[*intent].insert(found.priority_level.to_owned());
            }
        }
    }
}

/// The requests of an intent.
fn measure_of(
    index: usize,
    intent: &Intent,
    sets: &[Vec<usize>],
    measured: &simulation::Measured,
) -> Measure {
    let mut sum = Measure::default();
    match &intent.target {
        Target::Client(_) => {
            let groups = sets.iter().zip(&measured.groups);
            for (_, group) in groups.filter(|(set, _)| set.contains(&index)) {
                sum.waits.merge(&group.waits);
                sum.failed += group.failed;
            }
        }
        Target::Level(name) => {
            let levels = measured.report.levels.iter();
            for level in levels.filter(|level| level.name == *name) {
                sum.waits.merge(&level.waits);
                sum.failed += level.counts.rejected + level.counts.timed_out;
            }
        }
    }
    sum
}

/// Checks the seats that a client can use.
fn seats_check(
    index: usize,
    intent: &Intent,
    levels: &BTreeSet<String>,
    limits: &ServerLimits,
) -> Option<Check> {
    let limit = intent.never_more_than?;
    let maximums = levels.iter().filter_map(|name| limits.level(name));
    let found = maximums.map(|level| (!level.exempt).then_some(level.maximum));
    Some(Check {
        intent: index,
        name: intent.name.clone(),
        requests: 0,
        measured: Measured::Seats {
            limit,
            found: found.sum(),
        },
    })
}
