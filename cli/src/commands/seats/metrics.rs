//! The stored objects that a server reports in its metrics.

use crate::failure::Failure;
use crate::stored::Inventory;
use k8s_flowcontrol::Client;

/// The stored objects of every resource.
pub(crate) async fn inventory(client: &Client) -> Result<Inventory, Failure> {
    let bytes = client.get_raw("/metrics").accept("text/plain").await?;
    Ok(Inventory::read(&String::from_utf8_lossy(&bytes)))
}
