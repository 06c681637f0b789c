//! Shuffle sharding: the queues of a priority level that a flow can use.
//!
//! A level with limit response `Queue` has `queues` queues. The hash of a flow selects a hand of `handSize` of them,
//! and each request of the flow joins the shortest queue of the hand. A small flow (a mouse) is delayed only if heavy
//! flows (elephants) occupy *all* queues of its hand; [`Dealer::squish_probability`] computes how likely that is.
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
mod odds;

pub use dealer::{Dealer, InvalidDealer, MAX_ENTROPY_BITS, MAX_QUEUES, entropy_bits, flow_hash};
