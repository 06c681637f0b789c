//! What both sides of the comparison are fed and measured with.
//!
//! Each piece of work runs in its own process and prints one line of JSON, so that neither memory nor processor
//! time of one is counted to the other.

mod documents;
mod heap;
mod measure;
mod work;

pub use documents::{flow_schema, initial_events, list, metadata_events, page, watch_events};
pub use heap::report_heap;
pub use measure::{Meter, peak_memory, peak_resident, report, report_starts, resident};
pub use work::{Outcome, decode, encode, report_events, report_store};
