//! The answer to intents.

use super::bounds::Contradiction;
use super::check::Check;
use super::intents::Tier;
use super::longer::LongerWaits;
use super::variation::Variation;
use crate::simulation::Report;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use std::time::Duration;

/// The answer to intents.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// A configuration that satisfies all intents.
    Sized(Box<Sizing>),
    /// No configuration was found that satisfies all intents.
    Impossible(Box<Impossible>),
    /// The search was stopped before it found a configuration.
    Stopped {
        /// The simulated configurations.
        trials: u64,
    },
}

/// A configuration that satisfies all intents.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Sizing {
    /// The seats of each server.
    pub seats: u32,
    /// The tier, if the intents have tiers.
    pub tier: Option<Tier>,
    /// The tiers that were tried, the cheapest first, and whether each of them satisfies the intents.
    pub tiers: Vec<(Tier, bool)>,
    /// The added and changed objects; empty if the present ones satisfy the intents.
    pub changes: Vec<Change>,
    /// All flow schemas with the changes.
    pub flow_schemas: Vec<FlowSchema>,
    /// All priority levels with the changes.
    pub priority_levels: Vec<PriorityLevelConfiguration>,
    /// The checks of the present objects on a server with these seats.
    pub before: Vec<Check>,
    /// The simulations of the unchanged load on a server with these seats.
    pub reports: Compared,
    /// The intents with recorded waits that the simulation of the present objects does not have.
    pub longer_waits: Vec<LongerWaits>,
    /// The checks.
    pub proof: Proof,
    /// Whether the search is complete. Otherwise it was stopped, or found an answer only with the most seats: fewer may be enough.
    pub is_complete: bool,
    /// The simulated configurations.
    pub trials: u64,
}

/// The simulations of one load with two configurations.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compared {
    /// With the present objects.
    pub before: Report,
    /// With the changes.
    pub after: Report,
}

/// A priority level that is added or changed, with its flow schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The priority level.
    pub priority_level: PriorityLevelConfiguration,
    /// The flow schema of an added level.
    pub flow_schema: Option<FlowSchema>,
    /// The names of the intents that it is for.
    pub intents: Vec<String>,
    /// The nominal limit of the level, in seats.
    pub nominal: i64,
    /// The most seats in use in any variation that was required, and the time.
    pub peak_seats: u64,
    /// The time of the peak, from the start of the load.
    pub peak_at: Duration,
    /// The reason of each number.
    pub reasons: Vec<Reason>,
}

/// The reason of a field's value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// The field of the object in v1, such as `nominalConcurrencyShares`; [`field_for`](Self::field_for) names it in other versions.
    pub field: &'static str,
    /// Whether it is a field of the flow schema, not of the priority level.
    pub is_of_flow_schema: bool,
    /// The value and the reason.
    pub text: String,
}

/// The checks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proof {
    /// The simulations of the whole load.
    pub examined: Vec<Examined>,
}

/// A simulation of the whole load.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Examined {
    /// The variation of the load.
    pub variation: Variation,
    /// The variation in words.
    pub title: String,
    /// Whether the intents must hold in it; otherwise it shows the margin.
    pub is_required: bool,
    /// The simulated requests, retries included.
    pub requests: u64,
    /// How many of them came while nothing could wait, and were counted without their events.
    pub quiet: u64,
    /// The checks.
    pub checks: Vec<Check>,
}

impl Proof {
    /// The limits of the model, in sentences.
    pub const LEFT_OUT: [&str; 7] = [
        "The waits are simulated: `kubectl flowcontrol simulate --audit-log` compares simulated waits with audit logs.",
        "The model is one API server: other servers of a cluster have their own seats, and their requests are not in it.",
        "A request executes as long as in the logs or in the intents, however many others execute at the same time; the model does not know the load of processors, of etcd and of admission webhooks.",
        "A level can use seats that other levels leave idle: when those need them, its requests wait longer.",
        "Seats do not limit memory: large lists and many watches can exhaust it while seats are free; with audit logs and object counts, a warning names those that do.",
        "The seats of requests of logs are estimated like on a server, from the object counts that were given; without counts a list takes one seat.",
        "Requests that the logs lack are not in the load.",
    ];

    /// Whether all required checks are met.
    pub fn is_met(&self) -> bool {
        let required = self.examined.iter().filter(|examined| examined.is_required);
        required
            .flat_map(|examined| &examined.checks)
            .all(Check::is_met)
    }
}

/// Why no configuration was found that satisfies all intents. Only a [contradiction](Self::contradiction) proves that none exists.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Impossible {
    /// The seats of the server; of the largest tier; the most that were tried for an unknown number.
    pub seats: u32,
    /// The intents that need more seats than there are, whatever the configuration is.
    pub contradiction: Option<Contradiction>,
    /// The checks that fail in the last configuration that was tried; empty only with a contradiction. Fewer seats of a level can be better than more: see
    /// [`size`](super::Sizer::size).
    pub failing: Vec<Check>,
    /// The fewest seats of a server that satisfy all intents, if they were found.
    pub needed: Option<u32>,
    /// The nominal seats that each level needs then, with the names of its intents.
    pub needs: Vec<(Vec<String>, i64)>,
    /// The intents any one of which can be given up, so that the others can be satisfied with the given seats.
    pub give_up: Vec<String>,
    /// The intents of which it is unknown whether they can be given up: those that exclude each other or need the most seats are tried first,
    /// each with a bounded number of simulated requests, and all together, too.
    pub not_tried: Vec<String>,
    /// Whether the search ended by itself. Otherwise `needed` may be missing, or fewer seats may be enough.
    pub is_complete: bool,
    /// The simulated configurations.
    pub trials: u64,
}

impl Impossible {
    /// For a server with so many seats, before anything is known.
    pub(super) fn of(seats: u32) -> Self {
        Self {
            seats,
            contradiction: None,
            failing: Vec::new(),
            needed: None,
            needs: Vec::new(),
            give_up: Vec::new(),
            not_tried: Vec::new(),
            is_complete: true,
            trials: 0,
        }
    }
}
