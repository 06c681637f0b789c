//! Generated clients, which send the requests of a load.

use super::flows::Flows;
use super::load::{Arrivals, Client, Load, ServiceTime};
use super::random::Random;
use super::source::{Facts, Source};
use k8s_flowcontrol_rules::controller::FlowController;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

/// A request that a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Sending {
    /// The index of the group of clients.
    client: u32,
    /// The number of the client in its group, which selects its user.
    number: u32,
    /// The retries that are left.
    retries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Arrival {
    /// The next request of an open group.
    Next(u32),
    /// The client with this number in a closed group sends its next request.
    Again(u32, u32),
    Retry(Sending),
}

/// The clients of a load.
pub(super) struct Clients<'a> {
    load: &'a Load,
    /// Arrivals at the same time happen in the order in which they were planned.
    arrivals: BinaryHeap<Reverse<(Duration, u64, Arrival)>>,
    planned: u64,
    /// One for each group of clients.
    randoms: Vec<Random>,
    /// The flow of each user of each group.
    users: Vec<Vec<u32>>,
    /// The number of requests of each group.
    sent: Vec<u64>,
}

impl<'a> Clients<'a> {
    /// Classifies the request of every user of every group, and plans the first requests.
    pub(super) fn new(
        server: &FlowController,
        load: &'a Load,
        seed: u64,
        flows: &mut Flows,
    ) -> Self {
        let groups = 0..load.clients.len() as u64;
        let mut new = Self {
            load,
            arrivals: BinaryHeap::new(),
            planned: 0,
            randoms: groups.map(|group| Random::new(seed, group)).collect(),
            users: Vec::new(),
            sent: vec![0; load.clients.len()],
        };
        for (index, client) in load.clients.iter().enumerate() {
            let own = [client.request.user.clone()];
            let users = match client.users.is_empty() {
                true => &own[..],
                false => &client.users,
            };
            let flow = |user| {
                let mut request = client.request.clone();
                request.user = Clone::clone(user);
                flows.find(server, &request)
            };
            new.users.push(users.iter().filter_map(flow).collect());
            if !new.users[index].is_empty() {
                new.start(index as u32, client);
            }
        }
        new
    }

    fn start(&mut self, index: u32, client: &Client) {
        match client.arrivals {
            Arrivals::Open { per_second } if per_second > 0.0 && per_second.is_finite() => {
                self.plan_next(client.start, index, per_second);
            }
            Arrivals::Open { .. } => {}
            Arrivals::Closed { clients, think } => {
                for number in 0..clients {
                    let wait = self.randoms[index as usize].exponential(think);
                    let at = client.start.saturating_add(wait);
                    self.plan_new(at, index, Arrival::Again(index, number));
                }
            }
        }
    }

    /// Plans a new request, unless the group has ended by then.
    fn plan_new(&mut self, at: Duration, client: u32, arrival: Arrival) {
        let end = self.load.clients[client as usize].end;
        if at < end.min(self.load.duration) {
            self.plan(at, arrival);
        }
    }

    fn plan_next(&mut self, now: Duration, client: u32, per_second: f64) {
        let average = Duration::try_from_secs_f64(1.0 / per_second).unwrap_or(Duration::MAX);
        let wait = self.randoms[client as usize].exponential(average);
        // Time must advance.
        let wait = wait.max(Duration::from_nanos(1));
        self.plan_new(now.saturating_add(wait), client, Arrival::Next(client));
    }

    fn plan(&mut self, at: Duration, arrival: Arrival) {
        self.arrivals.push(Reverse((at, self.planned, arrival)));
        self.planned += 1;
    }

    fn group(&self, client: u32) -> &'a Client {
        &self.load.clients[client as usize]
    }
}

impl Source for Clients<'_> {
    type Request = Sending;

    fn next_arrival(&self) -> Option<Duration> {
        self.arrivals.peek().map(|Reverse((at, ..))| *at)
    }

    fn send(&mut self) -> Option<Sending> {
        let Reverse((now, _, arrival)) = self.arrivals.pop()?;
        let (client, number) = match arrival {
            Arrival::Retry(sending) => return Some(sending),
            Arrival::Again(client, number) => (client, number),
            Arrival::Next(client) => {
                if let Arrivals::Open { per_second } = self.group(client).arrivals {
                    self.plan_next(now, client, per_second);
                }
                // Which of the users sends is all that the number decides.
                (client, self.sent[client as usize] as u32)
            }
        };
        self.sent[client as usize] += 1;
        let retries = self.group(client).retries;
        Some(Sending {
            client,
            number,
            retries,
        })
    }

    fn facts(&self, sending: Sending) -> Facts {
        let client = self.group(sending.client);
        let users = &self.users[sending.client as usize];
        Facts {
            flow: users[sending.number as usize % users.len()] as usize,
            group: sending.client as usize,
            retries_left: sending.retries,
            work: client.work,
            deadline: client.deadline,
            overhead: None,
        }
    }

    fn execution_time(&mut self, sending: Sending, _: Duration) -> Duration {
        match self.group(sending.client).service_time {
            ServiceTime::Constant(time) => time,
            ServiceTime::Exponential(average) => {
                self.randoms[sending.client as usize].exponential(average)
            }
        }
    }

    fn rejected(&mut self, now: Duration, sending: Sending, retry_after: Duration) -> bool {
        let Some(retries) = sending.retries.checked_sub(1) else {
            return false;
        };
        let retry = Sending { retries, ..sending };
        self.plan(now.saturating_add(retry_after), Arrival::Retry(retry));
        true
    }

    /// Plans the next request of a client that waits for responses.
    fn completed(&mut self, now: Duration, sending: Sending) {
        let client = sending.client;
        if let Arrivals::Closed { think, .. } = self.group(client).arrivals {
            let wait = self.randoms[client as usize].exponential(think);
            // Time must advance.
            let at = now.saturating_add(wait.max(Duration::from_nanos(1)));
            self.plan_new(at, client, Arrival::Again(client, sending.number));
        }
    }
}
