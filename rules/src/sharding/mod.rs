//! Shuffle sharding: which queues of a priority level a flow may wait in.
//!
//! A level with limit response `Queue` has `queues` queues. A flow is not given one of them but a hand
//! of `handSize`, dealt from the hash of its name, and each of its requests joins the least loaded queue
//! of the hand. A small flow (a mouse) suffers only when heavy flows (elephants) sit in *all* queues of
//! its hand, and [`Dealer::squish_probability`] says how likely that is.
//!
//! ```
//! use k8s_flowcontrol_rules::sharding::{flow_hash, Dealer};
//!
//! let dealer = Dealer::new(128, 6)?;
//! let hand = dealer.deal(flow_hash("global-default", "alice"));
//! assert_eq!(hand, [55, 62, 126, 125, 105, 1]);
//! assert!(dealer.squish_probability(1) < 1e-9);
//! # Ok::<(), k8s_flowcontrol_rules::sharding::InvalidDealer>(())
//! ```

mod dealer;
mod hash;
mod odds;

pub use dealer::{Dealer, InvalidDealer, MAX_ENTROPY_BITS, MAX_QUEUES, entropy_bits};
pub use hash::flow_hash;
