//! The HTTP client: requests to an API server and what it answers.
//!
//! [`Client`] knows the server, [`Api`] one kind in one version. Each verb of an [`Api`] returns a builder that
//! owns all it needs: set what you want to say and `.await` it for the value, or `.send().await` it for a
//! [`Response`] with status code, warnings and other headers. A mistake in an argument surfaces there too.
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
//! let answer = levels.replace(&level).field_manager("me").send().await?;
//! for warning in answer.warnings() {
//!     eprintln!("warning: {warning}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # When things go wrong
//!
//! - What fails is sent again where that is safe, and nowhere else: [`RetryPolicy`] has the table.
//! - A request may take 90 s with all its retries, a connection 30 s to come about; see
//!   [`Config::with_timeout`](crate::config::Config::with_timeout) and `.timeout(…)` on every request.
//! - When two change an object, [`Api::update_with`] repeats the change of the one who was slower.
//! - [`Api::wait_for`] waits until an object is as it should be, see [`wait`](crate::wait).
//! - Every request is a `tracing` span of the target `k8s_flowcontrol::request` with method, path, query, status,
//!   number of attempts, duration and the UIDs of the FlowSchema and priority level that classified it, and every
//!   attempt an event: `DEBUG`, or `INFO` when another one follows. Headers and bodies are in neither. For metrics
//!   there is [`Client::on_request`].

mod api;
mod attempt;
mod body;
mod call;
mod connection;
mod discovery;
mod dispatch;
mod error;
pub(crate) mod events;
mod head;
mod negotiated;
mod observe;
mod options;
mod pages;
mod params;
mod path;
mod raw;
mod renamed;
mod request;
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
pub use negotiated::{Negotiable, Negotiated};
pub use observe::Attempt;
pub use pages::{Items, Pages};
pub use params::ResourceVersionMatch;
pub use raw::RawRequest;
pub use subresource::SubresourceRequest;

pub use crate::FieldValidation;
pub use crate::config::RetryPolicy;
pub use crate::meta::PropagationPolicy;
pub use response::Response;
pub use update::UpdateWith;
pub use verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteRequest, Deleted,
    DeletedCollection, GetRequest, ListRequest, PatchRequest, PatchTarget, ReplaceRequest,
    WatchRequest,
};
pub use warnings::Warning;

pub(crate) use error::{Kind, RequestLine};
pub(crate) use response::Decoded;

use std::future::Future;
use std::pin::Pin;

/// The future of an awaited request builder.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
