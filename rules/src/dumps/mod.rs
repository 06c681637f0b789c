//! What a server tells about its flow control: debug dumps and response headers.
//!
//! - [`parse_priority_levels`], [`parse_queues`] and [`parse_requests`] read the tables below
//!   `/debug/api_priority_and_fairness/`, as any release writes them.
//! - [`FlowNames`] turns the UIDs of the `X-Kubernetes-PF-*` response headers into names.
//!
//! # Commas
//!
//! A dump separates cells with commas and quotes nothing, so a user name or a path with a comma looks like
//! two cells. But it also pads cells so that each column starts below its title, and that decides: a row
//! whose cells all end where the next title starts is cut there. A row that is not aligned (because
//! the text was edited, say) is cut at its commas; if there are too many, the surplus is given to
//! the columns that may contain a comma, provided there is exactly one way in which all others still make
//! sense. Else the row is among the [problems](Dump::problems).

mod columns;
mod dump;
mod flow_names;
mod levels;
mod queues;
mod requests;
mod rows;
mod values;

pub use dump::{Dump, DumpProblem, NotADump};
pub use flow_names::{FLOW_SCHEMA_UID_HEADER, FlowName, FlowNames, PRIORITY_LEVEL_UID_HEADER};
pub use levels::{LevelState, PriorityLevelRow, parse_priority_levels};
pub use queues::{QueueRow, QueueState, parse_queues};
pub use requests::{RequestDetails, RequestRow, RequestState, parse_requests};
pub use values::{InvalidSeatSeconds, SeatSeconds};
