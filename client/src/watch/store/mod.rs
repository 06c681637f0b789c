//! A copy of the server's objects, kept up to date by a watcher.

mod builder;
mod driver;
mod event;
mod handle;
mod index;
mod listed;
mod log;
mod objects;
mod stored;
mod subscription;

pub use builder::StoreBuilder;
pub use driver::Driver;
pub use event::{Snapshot, StoreEvent};
pub use handle::{Store, StoreNotReady};
pub use index::Index;
pub use subscription::Subscription;
