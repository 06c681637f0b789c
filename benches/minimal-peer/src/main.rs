//! The least program that is of use: it prints the names of a cluster's priority levels.

use k8s_openapi::api::flowcontrol::v1::PriorityLevelConfiguration;
use kube::{Api, Client, ResourceExt, api::ListParams};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::try_default().await?;
    let levels: Api<PriorityLevelConfiguration> = Api::all(client);
    for level in levels.list(&ListParams::default()).await? {
        println!("{}", level.name_any());
    }
    Ok(())
}
