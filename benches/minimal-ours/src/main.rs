//! The least program that is of use: it prints the names of a cluster's priority levels.

use k8s_flowcontrol::{Client, Error, Resource};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let client = Client::try_default().await?;
    for level in client.priority_level_configurations().list().await? {
        println!("{}", level.name());
    }
    Ok(())
}
