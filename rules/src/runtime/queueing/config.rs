//! The configuration of a queue set, and the work of requests.

use crate::objects;
use crate::sharding::{Dealer, InvalidDealer};
use k8s_flowcontrol_types::api::v1::PriorityLevelConfiguration;
use std::time::Duration;

/// The configuration of a [`QueueSet`](super::QueueSet).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSetConfig {
    /// The current limit of seats in use; irrelevant for exempt levels.
    ///
    /// A level without seats queues requests and never dispatches them. A level without seats that does not queue
    /// executes one request at a time, as a server does.
    pub seats: u32,
    /// What happens to requests that do not get seats on arrival.
    pub queuing: Queuing,
}

impl QueueSetConfig {
    /// The configuration of a level with defaults applied, for a current limit of `seats`.
    pub fn of_level(level: &PriorityLevelConfiguration, seats: u32) -> Self {
        Self {
            seats,
            queuing: Queuing::of_level(level),
        }
    }
}

/// What happens to requests that do not get seats on arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queuing {
    /// There is no limit, and each request is dispatched on arrival.
    Exempt,
    /// They are rejected.
    Reject,
    /// They wait in queues.
    Queue {
        /// The number of queues.
        queues: i32,
        /// The number of queues in the hand of a flow.
        hand_size: i32,
        /// The length from which a queue rejects requests while all seats are in use; a negative limit is 0.
        queue_length_limit: i32,
    },
}

impl Queuing {
    /// Checks that hands can be dealt.
    pub(crate) fn check(&self) -> Result<(), InvalidDealer> {
        match *self {
            Self::Exempt | Self::Reject => Ok(()),
            Self::Queue {
                queues, hand_size, ..
            } => Dealer::new(queues, hand_size).map(|_| ()),
        }
    }

    /// The same queues without a limit of their length.
    pub(crate) const fn without_length_limit(self) -> Self {
        match self {
            Self::Queue {
                queues, hand_size, ..
            } => Self::Queue {
                queues,
                hand_size,
                queue_length_limit: i32::MAX,
            },
            Self::Exempt | Self::Reject => self,
        }
    }

    /// The queuing of a level with defaults applied.
    pub fn of_level(level: &PriorityLevelConfiguration) -> Self {
        let Some(limited) = &level.spec.limited else {
            return Self::Exempt;
        };
        let Some((queues, hand_size)) = objects::queuing(level) else {
            return Self::Reject;
        };
        let queuing = limited.limit_response.queuing.as_ref();
        Self::Queue {
            queues,
            hand_size,
            queue_length_limit: queuing
                .and_then(|queuing| queuing.queue_length_limit)
                .unwrap_or(0),
        }
    }
}

/// The work of a request.
///
/// A request occupies the larger of its initial and final seats, from its dispatch until its additional latency has
/// passed after its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Work {
    /// The seats for the time in which the request executes. A server uses at least 1; 0 is possible and free.
    pub initial_seats: u32,
    /// The seats after the end of the request, for example for the watches that a write notifies.
    ///
    /// A dispatch reduces them to the level's limit and extends the additional latency in proportion.
    pub final_seats: u32,
    /// How long the final seats are occupied.
    pub additional_latency: Duration,
}

impl Work {
    /// The work of a request that occupies `initial_seats` seats until its end.
    pub const fn seats(initial_seats: u32) -> Self {
        Self {
            initial_seats,
            final_seats: 0,
            additional_latency: Duration::ZERO,
        }
    }
}
