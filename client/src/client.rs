//! The HTTP client: [`Client`], [`Api`], one request builder per verb, [`Error`].
//!
//! A [`Client`] belongs to one server, an [`Api`] to one kind in one version. Each verb of an [`Api`] returns a request
//! builder: set its options, then `.await` it for the value, or `.send().await` it for a [`Response`] with status code,
//! warnings and other headers. Invalid arguments are reported then, too.
//!
//! ```no_run
//! use k8s_flowcontrol::{api::v1, Client, Error};
//!
//! # async fn example() -> Result<(), Error> {
//! let client = Client::try_default().await?;
//! let levels = client.priority_level_configurations();
//! for level in levels.list().label_selector("team=a").await? {
//!     println!("{}", level.metadata.name.unwrap_or_default());
//! }
//!
//! let mut level = levels.get("workload-low").await?;
//! if let Some(limited) = &mut level.spec.limited {
//!     limited.nominal_concurrency_shares = Some(150);
//! }
//! let response = levels.replace(&level).field_manager("me").send().await?;
//! for warning in response.warnings() {
//!     eprintln!("warning: {warning}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Failures and observability
//!
//! - Failed requests are sent again only if that is safe; [`RetryPolicy`] has the table.
//! - A request, including its retries, may take 90 s by default, and a connection 30 s; see
//!   [`Config::with_timeout`](crate::config::Config::with_timeout), and `.timeout(…)` of every request builder.
//! - [`Api::update_with`] repeats a change after a conflict.
//! - [`Api::wait_for`] waits until an object meets a condition, see [`wait`](crate::wait).
//! - Every request is a `tracing` span with the target `k8s_flowcontrol::request`. Its fields have the names of
//!   OpenTelemetry's semantic conventions: `http.request.method`, `url.path`, `url.query`, `server.address`,
//!   `server.port`, `http.response.status_code`, `http.request.resend_count`, `error.type`. The fields `request_id`,
//!   `duration_ms`, `flow_schema_uid` and `priority_level_uid` do not have a convention. Every attempt is an event, at
//!   level `DEBUG`, or `INFO` if another attempt follows. Headers and bodies are not recorded.
//!   [`Client::on_request`] reports attempts to the program, for instance for metrics.
//! - [`Client::with_header`], [`Client::before_request`] and [`Client::layer`] change requests and responses;
//!   [`Client::with_transport`] sends them through a custom HTTP client.

pub use crate::error::Error;
pub use crate::negotiate::negotiated::{Negotiable, Negotiated};
pub use crate::request::query::ResourceVersionMatch;
pub use crate::request::resource_kind::ResourceKind;
pub use crate::send::client::Client;
pub use crate::send::layer::Next;
pub use crate::send::observe::Attempt;
pub use crate::send::request_head::RequestHead;
pub use crate::stream::ByteStream;
pub use crate::stream::LogStream;
pub use crate::transport::{Body, BoxFuture, TransportError};
pub use crate::verbs::api::Api;
pub use crate::verbs::discovery::DiscoveryRequest;
pub use crate::verbs::list_progress::{EndlessList, ListProgress};
pub use crate::verbs::page_token::PageToken;
pub use crate::verbs::pages::{Items, Pages};
pub use crate::verbs::raw::RawRequest;
pub use crate::verbs::subresource::{SubresourcePatch, SubresourceRequest};
/// The types of requests, responses and headers, as layers and hooks see them.
pub use http;

pub use crate::FieldValidation;
pub use crate::config::RetryPolicy;
pub use crate::meta::PropagationPolicy;
pub use crate::response::decode::Response;
pub use crate::response::warnings::Warning;
pub use crate::verbs::update::UpdateWith;
pub use crate::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest,
    Deleted, DeletedCollection, GetOptRequest, GetRequest, ListRequest, LogRequest, PatchRequest,
    PatchTarget, ReplaceRequest, WatchRequest,
};
