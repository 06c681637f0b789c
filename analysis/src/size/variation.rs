//! The load of the intents, and its variations.

use super::intents::{AtLoad, Generated, Intents, Target};
use super::requests::Requests;
use crate::recipes;
use crate::simulation::{Arrivals, Client, Habit, Load, Recorded, ServiceTime};
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_rules::queueing::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// The seed of the unchanged load.
pub(super) const FIRST_SEED: u64 = 1;
/// The clients that starve others: as many as a server's default seats, without pauses.
const STARVING: u32 = 600;
/// How long a request of such a client executes on average.
const STARVING_MEAN: Duration = Duration::from_millis(100);
/// A second instance of a client comes up to so much later.
const LATER_US: u64 = 10_000_000;
/// With another seed each client comes up to so much later.
const MOVED_US: u64 = 1_000_000;

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

/// The requests of logs in a variation, sorted by time: each request of a shape as often as `factors` says, on average.
pub(super) struct Recurring<'a> {
    requests: &'a Requests,
    /// By shape.
    factors: &'a [f64],
    variation: Variation,
    next: usize,
    /// The requests of each client so far, times their factors.
    sent: Vec<f64>,
    /// Requests that come later, by time and number.
    later: BinaryHeap<Reverse<(i64, u64, u32, u32)>>,
    number: u64,
}

impl<'a> Recurring<'a> {
    pub(super) fn new(requests: &'a Requests, factors: &'a [f64], variation: Variation) -> Self {
        Self {
            sent: vec![0.0; requests.habits.len()],
            requests,
            factors,
            variation,
            next: 0,
            later: BinaryHeap::new(),
            number: 0,
        }
    }

    /// How many instances of a client there can be.
    pub(super) fn most_instances(factors: &[f64], variation: Variation) -> u32 {
        let most = factors.iter().copied().fold(1.0, f64::max);
        (most * variation.times).ceil() as u32
    }

    /// When each client sends its next request, all instances included.
    pub(super) fn habits(
        requests: &Requests,
        instances: u32,
    ) -> impl Iterator<Item = (u32, Habit)> + '_ {
        let clients = requests.habits.len() as u32;
        (0..instances.max(1)).flat_map(move |instance| {
            let of = move |(client, habit): (usize, &Habit)| {
                (client as u32 + instance * clients, *habit)
            };
            requests.habits.iter().enumerate().map(of)
        })
    }

    /// How much later the instance of a client comes.
    fn delay(&self, client: u32, instance: u32) -> u64 {
        let most = match (instance, self.variation.seed) {
            (0, FIRST_SEED) => return 0,
            (0, _) => MOVED_US,
            _ => LATER_US,
        };
        mixed(self.variation.seed, client, instance) % most
    }

    /// Adds the instances of the next request.
    fn read(&mut self) {
        let index = self.next;
        self.next += 1;
        let Some(request) = self.requests.packed.get(index) else {
            return;
        };
        let factor = self.factors[request.shape as usize] * self.variation.times;
        let sent = &mut self.sent[request.client as usize];
        let before = sent.floor();
        *sent += factor;
        let instances = (sent.floor() - before) as u32;
        for instance in 0..instances {
            let delay = self.delay(request.client, instance);
            let at = request.received_us.saturating_add_unsigned(delay);
            let client = request.client + instance * self.requests.habits.len() as u32;
            self.number += 1;
            self.later
                .push(Reverse((at, self.number, index as u32, client)));
        }
    }
}

impl Iterator for Recurring<'_> {
    type Item = Recorded;

    fn next(&mut self) -> Option<Recorded> {
        loop {
            let unread = self.requests.packed.get(self.next);
            let unread = unread.map(|request| request.received_us);
            match (self.later.peek(), unread) {
                (Some(Reverse((at, ..))), unread) if unread.is_none_or(|unread| *at < unread) => {
                    let Reverse((at, _, index, client)) = self.later.pop()?;
                    let mut recorded = self.requests.packed.get(index as usize)?.recorded();
                    recorded.received_us = at;
                    recorded.client = client;
                    return Some(recorded);
                }
                (_, Some(_)) => self.read(),
                (_, None) => return None,
            }
        }
    }
}

/// A number that looks random, the same on every machine.
fn mixed(seed: u64, client: u32, instance: u32) -> u64 {
    let mut word = seed ^ (u64::from(client) << 32 | u64::from(instance));
    for _ in 0..2 {
        word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word ^= word >> 31;
    }
    word
}
