//! Leader election by a Lease: one of several candidates leads, and another one takes over when it stops renewing its lease.

mod candidate;
/// The types of `coordination.k8s.io/v1`, generated from its document. `RESOURCES` makes an embedded server serve them.
#[allow(clippy::all, clippy::pedantic, clippy::nursery, dead_code, unreachable_pub, unused_imports)]
#[rustfmt::skip]
pub mod coordination_v1;
mod election;
mod leadership;

pub use coordination_v1::{Lease, LeaseSpec};
pub use election::Election;
pub use leadership::{Leadership, LeaseLost};
