//! The operations of the API, one request builder each, and the handles that create the builders.

pub(crate) mod api;
pub(crate) mod call;
pub(crate) mod delete;
pub(crate) mod delete_options;
pub(crate) mod discovery;
pub(crate) mod dynamic;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod list_progress;
pub(crate) mod log;
pub(crate) mod page_token;
pub(crate) mod pages;
pub(crate) mod patch;
pub(crate) mod raw;
pub(crate) mod subresource;
pub(crate) mod update;
pub(crate) mod watch;
pub(crate) mod write;

pub use delete::{
    DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest, Deleted, DeletedCollection,
};
pub use get::{GetOptRequest, GetRequest};
pub use list::ListRequest;
pub use log::LogRequest;
pub use patch::{PatchRequest, PatchTarget};
pub use watch::WatchRequest;
pub use write::{ApplyRequest, CreateRequest, ReplaceRequest};
