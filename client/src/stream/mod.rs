//! The events of a watch and the lines of a log, cut out of the body as it arrives.

mod byte_stream;
mod event;
mod line;
mod log_stream;
mod read_ahead;
mod watch_stream;

pub use byte_stream::ByteStream;
pub use event::{Bookmark, WatchEvent};
pub use line::{DEFAULT_MAX_LINE, LineDecoder, LineTooLong};
pub use log_stream::LogStream;
pub use watch_stream::WatchStream;
