//! One builder per verb.

mod apply;
mod create;
mod delete;
mod delete_options;
mod get;
mod list;
mod log;
mod patch;
mod replace;
mod watch;

pub use apply::ApplyRequest;
pub use create::CreateRequest;
pub use delete::{
    DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest, Deleted, DeletedCollection,
};
pub use get::{GetOptRequest, GetRequest};
pub use list::ListRequest;
pub use log::LogRequest;
pub use patch::{PatchRequest, PatchTarget};
pub use replace::ReplaceRequest;
pub use watch::WatchRequest;

#[cfg(test)]
mod tests;
