//! The flows of a priority level in the dump of requests of one API server.

use super::load::Load;
use super::moment::dumped_requests;
use crate::dumps::RequestState;
use k8s_flowcontrol_rules::objects;
use k8s_flowcontrol_rules::sharding::{Dealer, flow_hash};
use std::collections::{BTreeMap, BTreeSet};

/// The most users that are counted for a flow, so that a hostile dump does not take much memory.
const USERS: usize = 1000;

/// A flow: the requests of a flow schema with one flow distinguisher.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub(super) flow_schema: String,
    pub(super) distinguisher: String,
    pub(super) waiting: i64,
    pub(super) executing: i64,
    /// The queues with its waiting requests.
    pub(super) queues: BTreeSet<u32>,
    /// The seats that the waiting and the executing requests take together.
    pub(super) seats: i64,
    /// The requests of each user, if the dump has details.
    pub(super) users: BTreeMap<String, i64>,
}

/// The flows of a level, the largest first; `None` without a dump of requests.
pub(super) fn of_load(load: &Load<'_>) -> Option<Vec<Flow>> {
    load.server.requests.as_ref()?;
    let mut flows = BTreeMap::<(&str, &str), Flow>::new();
    for request in dumped_requests(load.server, load.name()) {
        let key = (
            request.flow_schema.as_str(),
            request.flow_distinguisher.as_str(),
        );
        flows.entry(key).or_default().add(request);
    }
    let mut flows: Vec<Flow> = flows
        .into_iter()
        .map(|((flow_schema, distinguisher), flow)| Flow {
            flow_schema: flow_schema.to_owned(),
            distinguisher: distinguisher.to_owned(),
            ..flow
        })
        .collect();
    k8s_flowcontrol_types::order::sort_by(&mut flows, |left: &Flow, right: &Flow| {
        (right.seats, right.waiting).cmp(&(left.seats, left.waiting))
    });
    Some(flows)
}

impl Flow {
    fn add(&mut self, request: &RequestState) {
        match request.index_in_queue {
            Some(_) => {
                self.waiting += 1;
                self.queues.extend(request.queue);
            }
            None => self.executing += 1,
        }
        let seats = request.seats().unwrap_or(1).max(1);
        self.seats = self.seats.saturating_add(seats);
        if let Some(details) = &request.details {
            let is_known = self.users.contains_key(&details.user_name);
            if is_known || self.users.len() < USERS {
                *self.users.entry(details.user_name.clone()).or_default() += 1;
            }
        }
    }

    /// The requests of the flow, waiting and executing.
    pub(super) fn requests(&self) -> i64 {
        self.waiting.saturating_add(self.executing)
    }

    /// The user with most requests, and their number.
    pub(super) fn largest_user(&self) -> Option<(&str, i64)> {
        let largest = self.users.iter().max_by_key(|(_, requests)| **requests)?;
        Some((largest.0, *largest.1))
    }

    /// The queues of the flow.
    pub(super) fn hand(&self, dealer: &Dealer) -> Vec<u32> {
        dealer.deal(flow_hash(&self.flow_schema, &self.distinguisher))
    }
}

/// The dealer of a level with at least two queues.
pub(super) fn dealer(load: &Load<'_>) -> Option<Dealer> {
    let (queues, hand_size) = objects::queuing(&load.level.object)?;
    Dealer::new(queues, hand_size).ok().filter(|_| queues > 1)
}

/// The flows with waiting requests in all queues of their hands, and these queues. As many waiting requests as the hand has queues can still be in
/// fewer queues.
pub(super) fn occupied(flows: &[Flow], dealer: &Dealer) -> (Vec<usize>, BTreeSet<u32>) {
    let mut heavy = Vec::new();
    let mut queues = BTreeSet::new();
    for (index, flow) in flows.iter().enumerate() {
        if flow.queues.len() >= usize::try_from(dealer.hand_size()).unwrap_or(usize::MAX) {
            heavy.push(index);
            queues.extend(flow.hand(dealer));
        }
    }
    (heavy, queues)
}
