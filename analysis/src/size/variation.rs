//! The load of the intents, and its variations.

use super::intents::{AtLoad, Generated, Intents, Target};
use crate::recipes;
use crate::simulation::{Arrivals, Client, Load, ServiceTime};
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use std::time::Duration;

/// The seed of the unchanged load.
pub(super) const FIRST_SEED: u64 = 1;
/// The clients that starve others: as many as a server's default seats, without pauses.
const STARVING: u32 = 600;
/// How long a request of such a client executes on average.
const STARVING_MEAN: Duration = Duration::from_millis(100);

/// A variation of the load.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Variation {
    /// The seed of generated requests. The requests of logs come at their times with seed 1, and each client up to a second
    /// later with others.
    pub seed: u64,
    /// How many copies of each client there are; 1 as in the load.
    pub times: f64,
    /// The number of the intent whose `neverStarvedBy` clients send as many requests as they can.
    pub starved: Option<usize>,
}

impl Variation {
    /// The unchanged load, with a seed.
    pub(super) const fn seed(seed: u64) -> Self {
        Self {
            seed,
            times: 1.0,
            starved: None,
        }
    }
}

/// The generated requests of a variation, and the user of each group of clients.
pub(super) fn load(intents: &Intents, variation: Variation) -> Load {
    let mut clients = Vec::new();
    for intent in &intents.intents {
        if let (Target::Client(of), AtLoad::Generated(load)) = (&intent.target, &intent.at_load) {
            clients.push(generated(&intent.name, of, load, variation.times));
        }
    }
    let starved = variation
        .starved
        .and_then(|index| intents.intents.get(index));
    for (number, of) in starved
        .iter()
        .flat_map(|intent| &intent.never_starved_by)
        .enumerate()
    {
        let starving = Generated {
            arrivals: Arrivals::Closed {
                clients: STARVING,
                think: Duration::ZERO,
            },
            mean: STARVING_MEAN,
            constant: false,
            seats: 1,
            users: 1,
            verb: "get".into(),
            resource: "pods".into(),
            api_group: String::new(),
            namespace: String::new(),
        };
        clients.push(generated(&format!("starving {number}"), of, &starving, 1.0));
    }
    Load {
        duration: match clients.is_empty() {
            true => Duration::ZERO,
            false => intents.duration,
        },
        clients,
    }
}

fn generated(name: &str, of: &recipes::Client, load: &Generated, times: f64) -> Client {
    let user = of.user();
    let request = RequestAttributes {
        user: user.clone(),
        verb: load.verb.clone(),
        is_resource_request: true,
        api_group: load.api_group.clone(),
        resource: load.resource.clone(),
        namespace: load.namespace.clone(),
        ..RequestAttributes::default()
    };
    let mut client = Client::new(name, request);
    if load.users > 1 {
        let user = |number: u32| User {
            name: format!("{}-{number}", user.name),
            groups: user.groups.clone(),
        };
        client.users = (1..=load.users).map(user).collect();
    }
    client.work = Work::seats(load.seats);
    client.service_time = match load.constant {
        true => ServiceTime::Constant(load.mean),
        false => ServiceTime::Exponential(load.mean),
    };
    client.arrivals = match load.arrivals {
        Arrivals::Open { per_second } => Arrivals::Open {
            per_second: per_second * times,
        },
        Arrivals::Closed { clients, think } => Arrivals::Closed {
            clients: (f64::from(clients) * times).ceil() as u32,
            think,
        },
    };
    client
}
