//! Intents with a configuration and a load: whether they hold.

use super::check::{self, Check};
use super::demands::Demands;
use super::error::SizeError;
use super::intents::{AtLoad, Intent, Intents, Target};
use super::recurring::Recurring;
use super::requests::Requests;
use super::setting::Objects;
use super::variation::{Variation, load};
use super::windows::Windows;
use crate::simulation::{self, Before, Load, Recording, Trial};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::limits::ServerLimits;
use k8s_flowcontrol_rules::matching::{Subject, User};
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
    pub(super) of_shapes: Vec<usize>,
    /// How often each shape is there.
    pub(super) factors: Vec<f64>,
    /// Sets of intents; the first one is empty.
    pub(super) sets: Vec<Vec<usize>>,
    /// None if every request is simulated event by event.
    pub(super) demands: Option<Arc<Demands>>,
    /// The number of requests from which on a search begins with the busiest periods.
    large: usize,
}

/// A run of the simulator.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) checks: Vec<Check>,
    /// The longest wait of each intent's requests.
    pub(super) longest: Vec<Duration>,
    pub(super) measured: simulation::Measured,
}

/// How much of a load is simulated event by event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent<'w> {
    /// All of it, with samples over time.
    WithSamples,
    /// The periods in which a request can wait.
    Whole,
    /// Of these periods, those in which a request can wait.
    Within(&'w Windows),
}

/// No logs.
static NONE: Requests = Requests {
    before: Before::IDLE,
    shapes: Vec::new(),
    packed: Vec::new(),
    habits: Vec::new(),
    period: (0, 0),
    seats: 0,
    slowdown: None,
    is_slowdown_known: true,
    waits: Vec::new(),
};

/// The requests of logs from which on a search begins with the busiest periods.
const LARGE: usize = 100_000;

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
            present: Objects::of(flow_schemas, priority_levels),
            release,
            requests,
            times: 1.0,
            of_shapes: Vec::new(),
            factors: Vec::new(),
            sets: vec![Vec::new()],
            demands: Some(Arc::default()),
            large: LARGE,
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
        (new.times, new.large) = (self.times, self.large);
        match &self.demands {
            Some(demands) if new.factors == self.factors => new.demands = Some(demands.clone()),
            Some(_) => {}
            None => new.demands = None,
        }
        Ok(new)
    }

    /// Whether a simulation takes long, beside the start of a thread.
    pub(super) fn is_large(&self) -> bool {
        self.requests
            .is_some_and(|requests| requests.count() >= self.large)
    }

    /// From so many requests of logs on, the search tries candidates in the busiest periods of the load, and only what it finds with the
    /// whole load; 100,000 by default. The answer is proven with the whole load in either case.
    #[must_use]
    pub fn busiest_first_from(mut self, requests: usize) -> Self {
        self.large = requests;
        self
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
            match &intent.target {
                Target::Client(_) if is_from_log && self.requests.is_none() => {
                    return Err(SizeError::NoLog { intent: name, line });
                }
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
                    if is_from_log && self.requests.is_none() {
                        return Err(SizeError::NoLog { intent: name, line });
                    }
                }
                Target::Client(_) => {}
            }
        }
        Ok(())
    }

    /// The requests of the logs on a server.
    pub(super) fn recording(
        &self,
        objects: &Objects,
        seats: u32,
        variation: Variation,
    ) -> Result<Recording, SizeError> {
        let server = FlowController::new(
            &objects.flow_schemas,
            &objects.levels,
            seats,
            self.release,
            Duration::ZERO,
        )
        .map_err(|error| SizeError::InvalidLevel(error.to_string()))?;
        let bounds = LevelBounds::new(&objects.levels, seats, self.release);
        let requests = self.requests.unwrap_or(&NONE);
        let instances = Recurring::most_instances(&self.factors, variation);
        Ok(Recording::of_shapes(
            server,
            bounds,
            Estimator::new(self.release),
            requests.shapes.iter(),
            requests.period,
            Recurring::habits(requests, instances),
        ))
    }

    /// The most seats of a request for each level of the present objects on a server with so many seats.
    pub(super) fn bounds(&self, seats: u32) -> LevelBounds {
        LevelBounds::new(&self.present.levels, seats, self.release)
    }

    /// Whether a request of the logs takes fewer seats than on a server with one seat more.
    pub(super) fn has_narrower(&self, seats: u32) -> Result<bool, SizeError> {
        let of = |seats| self.recording(&self.present, seats, self.unchanged());
        let (fewer, more) = (of(seats)?, of(seats.saturating_add(1))?);
        let mut classes = 0..self.of_shapes.len() as u32;
        Ok(classes.any(|class| {
            let seats = |recording: &Recording| Some(recording.level_and_seats(class)?.1);
            seats(&fewer) < seats(&more)
        }))
    }

    /// The levels that take the requests of each intent in a variation of the load.
    pub(super) fn levels(
        &self,
        objects: &Objects,
        seats: u32,
        variation: Variation,
    ) -> Result<Vec<BTreeSet<String>>, SizeError> {
        let recording = self.recording(objects, seats, variation)?;
        Ok(self.levels_of(&recording, &load(self.intents, variation)))
    }

    fn levels_of(&self, recording: &Recording, load: &Load) -> Vec<BTreeSet<String>> {
        let mut levels = vec![BTreeSet::new(); self.intents.intents.len()];
        let mut note = |set: &[usize], level: &str| {
            for intent in set {
                levels[*intent].insert(level.to_owned());
            }
        };
        for client in &load.clients {
            if let Some(found) = recording.server.classify(&client.request) {
                note(&self.set_of(&client.request.user), found.priority_level);
            }
        }
        for (class, set) in self.of_shapes.iter().enumerate() {
            if let Some((level, _)) = recording.level_and_seats(class as u32) {
                note(&self.sets[*set], level);
            }
        }
        levels
    }

    /// Simulates a variation of the load.
    pub(super) fn run(
        &self,
        objects: &Objects,
        seats: u32,
        variation: Variation,
        extent: Extent<'_>,
    ) -> Result<Outcome, SizeError> {
        let load = load(self.intents, variation);
        let mut sets = self.sets.clone();
        let mut of_clients = Vec::new();
        for client in &load.clients {
            let set = self.set_of(&client.request.user);
            of_clients.push(match sets.iter().position(|known| *known == set) {
                Some(known) => known,
                None => {
                    sets.push(set);
                    sets.len() - 1
                }
            });
        }
        let mut recording = self.recording(objects, seats, variation)?;
        let requests = self.requests.unwrap_or(&NONE);
        let recurring = Recurring::new(requests, &self.factors, variation);
        recording.begin(&requests.before, recurring);
        let limits = recording.server.limits().clone();
        let levels = self.levels_of(&recording, &load);
        let windows = match extent {
            Extent::Within(windows) => Some(windows),
            Extent::Whole | Extent::WithSamples => None,
        };
        let has_samples = matches!(extent, Extent::WithSamples);
        let of_logs = self.requests.zip(self.demands.as_ref());
        let of_logs = of_logs.filter(|_| !has_samples);
        let quiet = of_logs.and_then(|(requests, demands)| {
            self.quiet(demands, requests, &recording, variation, windows)
        });
        let requests = match of_logs {
            Some((requests, demands)) if self.is_required(&variation) && self.is_large() => {
                self.stretches(demands, requests, variation)
            }
            _ => Recurring::new(requests, &self.factors, variation),
        };
        let trial = Trial {
            load: &load,
            seed: variation.seed,
            recording,
            requests,
            of_clients: &of_clients,
            of_classes: &self.of_shapes,
            allowed: &self.allowed(&sets),
            has_samples,
            quiet: quiet.map(Arc::new),
        };
        let measured = trial.run();
        let (mut checks, mut longest) = (Vec::new(), Vec::new());
        for (index, intent) in self.intents.intents.iter().enumerate() {
            let measure = check::measure_of(index, intent, &sets, &measured);
            longest.push(measure.waits.longest());
            if variation.starved.is_some_and(|starved| starved != index) {
                continue;
            }
            checks.extend(check::waits(index, intent, &measure));
            checks.extend(check::seats(index, intent, &levels[index], &limits));
        }
        Ok(Outcome {
            checks,
            longest,
            measured,
        })
    }

    /// The longest wait of a request that no intent forbids, by set of intents.
    fn allowed(&self, sets: &[Vec<usize>]) -> Vec<Duration> {
        let least = |intent: &Intent| intent.waits.iter().map(|limit| limit.at_most).min();
        let all = self.intents.intents.iter();
        let of_levels = all.filter(|intent| matches!(intent.target, Target::Level(_)));
        let of_levels = of_levels.filter_map(least).min();
        let of_set = |set: &Vec<usize>| {
            let own = set
                .iter()
                .filter_map(|index| least(&self.intents.intents[*index]));
            own.chain(of_levels).min().unwrap_or(Duration::MAX)
        };
        sets.iter().map(of_set).collect()
    }
}
