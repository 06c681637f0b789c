//! The stored objects that a server reports in its metrics.

use crate::cluster::{ClusterArgs, block_on};
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol_analysis::metrics::StoredObjects;

/// The stored objects of every resource in a cluster. The error for unreadable metrics names the options to use `instead`.
pub(crate) fn inventory(cluster: &ClusterArgs, instead: &str) -> Result<StoredObjects, Failure> {
    block_on(async {
        let client = cluster.client().await?;
        let text = client.get_raw("/metrics").accept("text/plain").await;
        let text = text.map_err(|error| {
            let message = format!("the number of stored objects is unknown: {error}");
            Failure::new(Exit::Cluster, message).hint(format!(
                "give {instead}, or read access to /metrics: `kubectl flowcontrol rbac seats` prints the role"
            ))
        })?;
        Ok(StoredObjects::parse(&String::from_utf8_lossy(&text)))
    })
}
