//! The state that a server exposes: debug dumps and response headers.
//!
//! - [`parse_priority_levels`], [`parse_queues`] and [`parse_requests`] parse the tables of
//!   `/debug/api_priority_and_fairness/` from any release. [`AnyDump`] tells from the titles which one a text is.
//! - [`FlowNames`] resolves the UIDs of the `X-Kubernetes-PF-*` response headers to names.
//!
//! # Commas
//!
//! A dump separates cells with commas and does not quote them, so that a user name or a path with a comma looks like
//! two cells. Dumps also pad cells so that each column starts below its title. A row that is aligned with the titles is
//! split at the titles. Any other row, such as an edited one, is split at its commas. If it has too many, the surplus
//! commas must belong to columns that may contain commas; if exactly one assignment fits all columns, the row is read
//! that way. Otherwise it is among the [problems](Dump::problems).

mod any;
mod columns;
mod dump;
mod flow_names;
mod levels;
mod queues;
mod requests;
mod rows;

pub use any::AnyDump;
pub use columns::{InvalidSeatSeconds, SeatSeconds};
pub use dump::{Dump, DumpProblem, NotADump};
pub use flow_names::{FlowName, FlowNames};
pub use levels::{LevelState, PriorityLevelRow, parse_priority_levels};
pub use queues::{QueueRow, QueueState, parse_queues};
pub use requests::{RequestDetails, RequestRow, RequestState, parse_requests};
