//! The same requests on any server: the knowledge of a recording about a log, apart from its configuration.

use super::super::before::Before;
use super::super::beginning::Beginning;
use super::super::hidden::Arriving;
use super::super::loops::Habit;
use super::{Causal, Flows, Recorded, Recording};
use k8s_flowcontrol_rules::controller::FlowController;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_rules::seats::{Estimator, LevelBounds, Stored};
use std::time::Duration;

/// A request as every server sees it. Requests with equal shapes are the same for every configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) attributes: RequestAttributes,
    pub(crate) query: String,
    pub(crate) stored: Stored,
}

impl Recording {
    /// The same requests and what was learned of them, for a server with other priority levels of the same names. The seats of
    /// requests stay the same.
    ///
    /// Returns `None` if the names of the levels differ.
    pub fn on(&self, server: FlowController) -> Option<Self> {
        let names = |server: &FlowController| {
            let levels = server.levels();
            levels
                .map(|level| level.name.to_owned())
                .collect::<Vec<_>>()
        };
        (names(&server) == names(&self.server)).then(|| Self {
            server,
            ..self.clone()
        })
    }

    /// Takes from another recording of the same requests the clients, the slowdown, and the state of the server before the log.
    pub fn learn_from(&mut self, other: &Self) {
        self.before.clone_from(&other.before);
        self.slowdown.clone_from(&other.slowdown);
        self.is_slowdown_known = other.is_slowdown_known;
        self.habits.clone_from(&other.habits);
    }

    /// How long each request executes: as [`separate_waits`](Self::separate_waits) says, or else as others of its class.
    pub(crate) fn executions(&self) -> impl Fn(&Recorded) -> Duration + '_ {
        let averages = self.executed.averages(&self.classes);
        move |request| {
            let average = averages[request.class as usize];
            request.execution.unwrap_or(average)
        }
    }

    /// When each client sends its next request, by number. [`find_loops`](Self::find_loops) comes before it.
    pub(crate) fn habits(&self) -> Vec<Habit> {
        let clients = 0..self.next_client;
        let habit = |client| self.habits.get(&client).copied();
        clients
            .map(|client| habit(client).unwrap_or(Habit::Independent))
            .collect()
    }

    /// The state of the server before the log. [`find_loops`](Self::find_loops) comes before it.
    pub(crate) fn before(&self) -> &Before {
        &self.before
    }

    /// Sets the state before these requests.
    pub(crate) fn begin(&mut self, before: &Before, requests: impl Iterator<Item = Recorded>) {
        before.set_retry_after(&mut self.server);
        if let Some(busy_since_us) = before.busy_since_us {
            let beginning = self.beginning(busy_since_us, requests);
            beginning.begin(&mut self.server);
        }
    }

    /// The beginning of these requests, of which the first one to end did so at this time.
    pub(super) fn beginning(
        &self,
        first_end_us: i64,
        requests: impl Iterator<Item = Recorded>,
    ) -> Beginning {
        let requests = requests.map(|request| (request, self.arriving(&request)));
        Beginning::of(first_end_us, requests)
    }

    /// Where a request arrives.
    pub(super) fn arriving(&self, request: &Recorded) -> Arriving {
        let class = &self.classes[request.class as usize];
        let flow = &self.flows.all[class.flow as usize];
        Arriving {
            level: flow.level,
            hash: flow.hash,
            work: class.work,
            patience: self.server.wait_limit(class.deadline),
        }
    }

    /// A recording on a server. Its classes are the given shapes, in their order; the execution times of its requests are known
    /// and without waits.
    pub(crate) fn of_shapes<'a>(
        server: FlowController,
        bounds: LevelBounds,
        estimator: Estimator,
        shapes: impl Iterator<Item = &'a Shape>,
        period: (i64, i64),
        habits: impl Iterator<Item = (u32, Habit)>,
    ) -> Self {
        let mut new = Self::new(server, bounds, estimator);
        let mut classes = Vec::new();
        for shape in shapes {
            let kind = new.kind(&shape.attributes);
            // Every shape belongs to a request that flow control sees, for every configuration.
            if let Some(class) = new.classify(&shape.attributes, &shape.query, shape.stored, kind) {
                classes.push(new.classes[class as usize]);
            }
        }
        new.classes = classes;
        new.period = Some(period);
        new.habits = habits.collect();
        new
    }

    /// The requests as a source, and their flows.
    pub(in crate::simulation) fn into_source<I: Iterator<Item = Recorded>>(
        self,
        requests: I,
    ) -> (Causal<I>, Flows) {
        let averages = self.executed.averages(&self.classes);
        let source = Causal::new(
            self.classes,
            (
                self.server,
                self.flows.all.iter().map(|flow| flow.level).collect(),
            ),
            (averages, self.slowdown),
            self.habits,
            self.period.unwrap_or_default(),
            requests,
        );
        (source, self.flows)
    }

    /// The index of the level of each class, and its seats; none if a request of the log keeps its seats after its execution.
    pub(crate) fn places(&self) -> Option<Vec<(usize, u32)>> {
        let place = |class: &super::Class| {
            let work = class.work;
            let seats = work.initial_seats.max(work.final_seats);
            let level = self.flows.all.get(class.flow as usize)?.level.index();
            work.additional_latency.is_zero().then_some((level, seats))
        };
        self.classes.iter().map(place).collect()
    }

    /// The index of the level of a class.
    pub(in crate::simulation) fn level_of(&self, class: u32) -> Option<usize> {
        let class = self.classes.get(class as usize)?;
        Some(self.flows.all.get(class.flow as usize)?.level.index())
    }

    pub(crate) fn level_and_seats(&self, class: u32) -> Option<(&str, u32)> {
        let level = self.server.levels().nth(self.level_of(class)?)?;
        let work = self.classes.get(class as usize)?.work;
        Some((level.name, work.initial_seats.max(work.final_seats)))
    }
}
