//! The clients that still use old API versions of flow control, and the verdict about a cluster.
//!
//! A [`ClusterScan`] takes the evidence that a program reads from a cluster: the release, the served versions, the metrics, the objects with
//! their field managers, the releases that Helm stores, and audit logs. Its verdict is `clean` only if everything was read and nothing was
//! found.
//!
//! ```
//! use k8s_flowcontrol_analysis::scan::{ClusterScan, Stamps, Verdict, refusals};
//! use k8s_flowcontrol_types::Release;
//! use serde_json::json;
//!
//! let target = Release::new(32).unwrap();
//! let mut scan = ClusterScan::new(Some("production".into()));
//! scan.add_release("v1.31.2", None);
//! scan.add_served(Some("v1".into()), ["v1".to_owned(), "v1beta3".to_owned()]);
//! scan.add_metrics(
//!     "apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.32\",\
//!      resource=\"flowschemas\",subresource=\"\",version=\"v1beta3\"} 1\n\
//!      process_start_time_seconds 1.7e+09\n",
//!     target,
//! );
//! let object = json!({"metadata": {"managedFields": [
//!     {"manager": "helm", "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta3", "time": "2026-01-01T00:00:00Z"},
//! ]}});
//! let mut stamps = Stamps::default();
//! stamps.add(&object, target);
//! scan.add_objects(1, stamps);
//! scan.finish();
//! assert_eq!(scan.verdict, Verdict::Outdated);
//! assert_eq!(scan.writers[0].manager, "helm");
//! let refusals = refusals(&[scan], &[]);
//! assert_eq!(refusals[0].affected, ["production: requests for flowschemas", "production: writes of helm"]);
//! ```

mod aggregated;
mod callers;
mod cluster;
mod extension_servers;
mod helm;
mod refusals;
mod requested;
mod stored_release;
mod verdict;
mod writers;

pub use aggregated::{AggregatedServer, Deployment, library};
pub use callers::{Caller, Denied, LogCallers};
pub use cluster::{ClusterScan, Part, Unread};
pub use extension_servers::{UnboundServer, extension_servers, unbound_servers};
pub use helm::{Fails, HelmRevision, OldObject, find_current};
pub use refusals::{Refusal, refusals};
pub use requested::Requested;
pub use stored_release::StoredRelease;
pub use verdict::Verdict;
pub use writers::{Evidence, Stamp, Stamps};
