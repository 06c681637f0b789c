//! The envelopes in which clouds and log shippers deliver audit events.
//!
//! A text is opened layer by layer: a line may have a prefix, its JSON may be a record of a shipper, whose text may again be a record, until
//! an audit event is found. Each format has a file here, with the source of its layout. [`Document`](super::document) cuts long documents
//! into the records that are opened here.

mod aks_audit;
mod azure;
mod cloud_logging;
mod cloudwatch;
mod container;
mod content;
mod elasticsearch;
mod encoded;
mod format;
mod formats;
mod journald;
mod log_analytics;
mod loki;
mod open;
mod pieces;
mod prefix;
mod record;
mod records;
mod shapes;
mod splunk;
mod table;

pub use format::Format;
pub(super) use open::{Found, Opener, Outcome};
pub(super) use pieces::Pieces;
pub(super) use table::{Columns, is_open};
