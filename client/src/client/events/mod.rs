//! The events of a watch: lines cut out of the body as it arrives, decoded one by one.

mod event;
mod line;
mod read_ahead;
mod stream;

pub use event::{Bookmark, WatchEvent};
pub use line::{DEFAULT_MAX_LINE, LineDecoder, LineTooLong};
pub use stream::WatchStream;
