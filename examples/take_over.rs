//! Takes over the fields that `kubectl apply` without `--server-side` set, so that an apply can remove them; then applies only if
//! something changes.
//!
//! `cargo run --example take_over` uses an embedded server.

mod support;

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::meta::Time;
use k8s_flowcontrol::ownership::{CLIENT_SIDE_APPLY, Takeover, is_applied};
use k8s_flowcontrol::{Client, Resource};
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

const MANAGER: &str = "level-tool";

#[tokio::main]
async fn main() -> support::Outcome {
    let server = ApiServer::builder().start().await?;
    let client = Client::from_url(server.url())?;
    let levels = client.priority_level_configurations();
    let old: Level = serde_json::from_value(json!({
        "metadata": {"name": "batch", "labels": {"team": "night"}},
        "spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}},
    }))?;
    levels.create(&old).field_manager(CLIENT_SIDE_APPLY).await?;

    // The label is no longer wanted.
    let mut wanted = old.clone();
    wanted.metadata.labels.clear();
    let live = levels.get("batch").await?;
    let tree = serde_json::to_value(&live)?;
    let api_version = format!("{}/{}", Level::GROUP, Level::VERSION);
    if let Some(takeover) = Takeover::of(&tree, MANAGER, &api_version) {
        levels
            .patch("batch")
            .json(&takeover.patch(&Time::now()))
            .await?;
    }
    let live = levels.get("batch").await?;
    assert!(!is_applied(&live, MANAGER, &wanted));
    let applied = levels.apply(&wanted).field_manager(MANAGER).await?;
    println!("labels after the apply: {:?}", applied.metadata.labels);
    assert!(is_applied(&applied, MANAGER, &wanted));
    println!("a second apply would change nothing");
    Ok(())
}
