//! The metrics of a server: the Prometheus text format, and the metrics of priority levels in any release.
//!
//! [`samples`] reads the text. [`FlowMetrics`] selects the metrics of flow control and hides their names, which differ by
//! release. [`MachineMetrics`] has the counters of its processor, store and memory. [`Histograms`] has the distributions of seats and times by level. [`ServerProcess`] has its release and the time of its start. [`StoredObjects`] has the number and size of the stored objects. [`catalog`] has the names, types and labels of each release.
//!
//! ```
//! use k8s_flowcontrol_analysis::metrics::{FlowMetrics, Quantity};
//!
//! // Servers before 1.26 have other names.
//! let metrics = FlowMetrics::parse("apiserver_flowcontrol_request_concurrency_limit{priority_level=\"system\"} 74\n");
//! assert_eq!(metrics.total(Quantity::NominalSeats, "system"), Some(74));
//! ```

pub mod catalog;
mod flow;
mod histogram;
mod machine;
mod process;
mod server_seats;
mod stored;
mod text;

pub use flow::{FlowMetrics, Quantity, Series};
pub use histogram::{Histogram, Histograms};
pub use machine::MachineMetrics;
pub use process::ServerProcess;
pub use server_seats::ObservedLimits;
pub use stored::StoredObjects;
pub(crate) use text::quoted;
pub use text::{Sample, samples};
