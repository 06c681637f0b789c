//! Upgrades a cluster from Kubernetes 1.27 to 1.32 under a running tool that does not contain code for any release.
//!
//! `cargo run --example upgrade` uses an embedded server.

mod support;

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::{Client, Objects, Release};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

const PATH: [&str; 4] = ["1.27", "1.28", "1.29", "1.32"];

#[tokio::main]
async fn main() -> support::Outcome {
    let server = ApiServer::builder().kubernetes(PATH[0]).start().await?;
    let client = Client::from_url(server.url())?;
    let levels = client.negotiated::<Level>().await?;

    for (step, release) in PATH.into_iter().enumerate() {
        if step > 0 {
            // The same address and objects, another release.
            server.upgrade(release).await?;
        }
        let known: Release = release.parse()?;
        let served: Vec<&str> = known.served().map(|version| version.as_str()).collect();
        println!(
            "\nKubernetes {release} serves {} and stores {}",
            served.join(", "),
            known.stored()
        );
        work(&levels, 10 * (step as i32 + 1)).await?;
    }
    Ok(())
}

/// The tool: reads its level and raises the shares. When the server no longer serves a version, the next one is used.
async fn work(levels: &impl Objects<Level>, shares: i32) -> support::Outcome {
    match levels.get_opt("tool").await? {
        Some(level) => println!("  found {} shares", support::shares(&level.spec)),
        None => println!("  found nothing"),
    }
    let wanted: Level = serde_json::from_value(json!({
        "metadata": {"name": "tool"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": shares,
            "limitResponse": {"type": "Reject"},
        }},
    }))?;
    let level = levels.apply(&wanted).field_manager("tool").await?;
    println!(
        "  applied {} shares through {}",
        support::shares(&level.spec),
        levels.wire_version()
    );
    for entry in level.metadata.managed_fields.entries()? {
        let (manager, version) = (entry.manager, entry.api_version);
        println!(
            "  owned by {} in {}",
            manager.unwrap_or_default(),
            version.unwrap_or_default()
        );
    }
    Ok(())
}
