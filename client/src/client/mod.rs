//! The HTTP client: [`Client`], [`Api`], one request builder per verb, [`Error`].
//!
//! A [`Client`] is made for one server, an [`Api`] for one kind in one version. Each verb of an [`Api`] returns a request
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
//! - Every request is a `tracing` span with the target `k8s_flowcontrol::request`. Its fields are method, path, query,
//!   status, number of attempts, duration, and the UIDs of the request's FlowSchema and priority level. Every attempt is an
//!   event, at level `DEBUG`, or `INFO` if another attempt follows. Headers and bodies are not recorded.
//!   [`Client::on_request`] reports attempts to the program, for instance for metrics.
//! - [`Client::with_header`], [`Client::before_request`] and [`Client::layer`] change requests and responses;
//!   [`Client::with_transport`] sends them through an HTTP client of the program's own.

mod api;
mod attempt;
mod body;
mod call;
mod chain;
mod connection;
mod discovery;
mod dispatch;
mod error;
pub(crate) mod events;
mod gunzip;
mod head;
mod hooks;
mod layer;
mod list_progress;
mod metadata;
mod negotiated;
mod negotiated_request;
mod negotiation;
mod not_served;
mod observe;
mod options;
mod page_token;
mod pages;
mod params;
mod path;
mod raw;
mod release;
mod renamed;
mod representation;
mod request;
mod request_head;
mod response;
mod retry;
mod retry_after;
mod session;
mod subresource;
mod tls;
mod trace;
mod transport;
mod update;
mod verbs;
mod warnings;
mod wire;

pub use api::Api;
pub use connection::Client;
pub use discovery::DiscoveryRequest;
pub use error::Error;
pub use events::LogStream;
/// The types of requests, responses and headers, as layers and hooks see them.
pub use http;
pub use layer::Next;
pub use list_progress::{EndlessList, ListProgress};
pub use negotiated::{Negotiable, Negotiated};
pub use observe::Attempt;
pub use page_token::PageToken;
pub use pages::{Items, Pages};
pub use params::ResourceVersionMatch;
pub use raw::RawRequest;
pub use request_head::RequestHead;
pub use subresource::{SubresourcePatch, SubresourceRequest};
pub use transport::{Body, TransportError};

pub use crate::FieldValidation;
pub use crate::config::RetryPolicy;
pub use crate::meta::PropagationPolicy;
pub use response::Response;
pub use update::UpdateWith;
pub use verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest,
    Deleted, DeletedCollection, GetOptRequest, GetRequest, ListRequest, LogRequest, PatchRequest,
    PatchTarget, ReplaceRequest, WatchRequest,
};
pub use warnings::Warning;

pub(crate) use error::{Kind, RequestLine};
pub(crate) use response::Decoded;

use std::future::Future;
use std::pin::Pin;

/// The future returned by an awaited request builder.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
