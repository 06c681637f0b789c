//! The work queue of a controller: [`WorkQueue`].

mod queue;

pub use queue::{WorkItem, WorkQueue, WorkQueueSnapshot};
