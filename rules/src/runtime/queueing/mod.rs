//! Fair queuing: how a server executes, queues and rejects the requests of a priority level over time.
//!
//! A [`QueueSet`] decides for one priority level as kube-apiserver 1.25 to 1.37 does (KEP-1040). It does not do I/O and does
//! not read a clock: every method takes the time, as a duration since any fixed moment.
//!
//! - Shuffle sharding deals the flow of a request a hand of queues, and the request joins the queue of the hand with the
//!   least waiting work. A full queue rejects it, unless seats are free.
//! - Virtual time R advances by the seats in use per active queue. Each queue has the R at which it dispatches next; the
//!   queue whose next request would finish first goes first, and equal ones take turns.
//! - A dispatch charges the queue for an estimated service time of 3 ms. The end of the request corrects the charge.
//! - A request occupies the larger of its initial and final seats, beyond its end for as long as its additional latency.
//! - A request that needs more free seats than there are waits for room, and all others wait behind it. If it needs more
//!   seats than the level has, it waits until nothing executes.
//!
//! ```
//! use k8s_flowcontrol_rules::queueing::{Decision, QueueSet, QueueSetConfig, Queuing, Work};
//! use std::time::Duration;
//!
//! let queuing = Queuing::Queue { queues: 16, hand_size: 4, queue_length_limit: 50 };
//! let mut level = QueueSet::new(&QueueSetConfig { seats: 1, queuing }, Duration::ZERO)?;
//!
//! let ms = Duration::from_millis;
//! let Decision::Dispatched(first) = level.arrive(ms(0), 17, Work::seats(1)) else { panic!() };
//! let Decision::Queued(second) = level.arrive(ms(1), 17, Work::seats(1)) else { panic!() };
//! level.finish(ms(5), first);
//! assert!(level.dispatched().eq([first, second]));
//! # Ok::<(), k8s_flowcontrol_rules::sharding::InvalidDealer>(())
//! ```

mod config;
mod dispatch;
mod fifo;
mod last_dispatch;
mod queue;
mod queue_set;
mod request;
mod seat_seconds;
mod state;
mod virtual_time;

pub use config::{QueueSetConfig, Queuing, Work};
pub use last_dispatch::LastDispatch;
pub use queue_set::QueueSet;
pub use request::{Decision, Rejection, RequestId};
pub use seat_seconds::SeatSeconds;
pub use state::{QueueSetState, QueueState};
