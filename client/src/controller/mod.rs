//! The parts of a controller: [`Controller`] ties stores to a function that reconciles a key, [`WorkQueue`] holds the keys, and
//! [`Election`] lets one of several copies of a program work.
//!
//! ```no_run
//! use k8s_flowcontrol::Client;
//! use k8s_flowcontrol::api::v1::FlowSchema;
//! use k8s_flowcontrol::controller::{Action, Controller, Election};
//! use k8s_flowcontrol::watch::Store;
//!
//! # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
//! let schemas = Store::start(client.flow_schemas().watcher());
//! let controller = Controller::for_objects(&schemas)
//!     .election(Election::new(&client, "my-system", "my-controller", "pod-1"));
//! let reconcile = move |key| {
//!     let schema = schemas.get_key(&key);
//!     async move {
//!         println!("{key} exists: {}", schema.is_some());
//!         Ok::<_, k8s_flowcontrol::Error>(Action::AwaitChange)
//!     }
//! };
//! // Until Ctrl-C; a real controller waits for SIGTERM, too.
//! let stop = async { drop(tokio::signal::ctrl_c().await) };
//! controller.run(stop, reconcile, |key, error| {
//!     eprintln!("{key}: {error}");
//!     error.retry_after()
//! }).await?;
//! # Ok(())
//! # }
//! ```

pub mod lease;
mod queue;
mod run;
mod sources;

pub use lease::{Election, Leadership, LeaseLost};
pub use queue::{WorkItem, WorkQueue, WorkQueueSnapshot};
pub use run::{Action, Controller, ControllerError};
pub use sources::owner_key;
