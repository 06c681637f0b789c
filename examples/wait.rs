//! Waits until a schema has found its level, and raises the level's shares despite concurrent changes. Prints every
//! request.
//!
//! `cargo run --example wait`

mod support;

use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::wait;
use serde_json::json;
use std::time::Duration;

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let client = client.on_request(|attempt| {
        println!(
            "  {:<6} {} -> {}",
            attempt.verb(),
            attempt.path(),
            attempt
                .code()
                .map_or("no answer".to_owned(), |code| code.to_string())
        );
    });
    let schemas = client.negotiated::<v1::FlowSchema>().await?;
    let levels = client
        .negotiated::<v1::PriorityLevelConfiguration>()
        .await?;

    let schema: v1::FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "waiting"},
        "spec": {"priorityLevelConfiguration": {"name": "waited-for"}},
    }))?;
    schemas.create(&schema).await?;
    let dangling = schemas.wait_for("waiting", wait::has_condition("Dangling", "True"));
    dangling.timeout(Duration::from_secs(60)).await?;
    println!("The schema dangles: its level is missing.");

    let level: v1::PriorityLevelConfiguration = serde_json::from_value(json!({
        "metadata": {"name": "waited-for"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))?;
    levels.create(&level).await?;
    let found = schemas.wait_for("waiting", wait::is_not_dangling());
    found.timeout(Duration::from_secs(60)).await?;
    println!("The schema has found its level.");

    let level = levels
        .update_with("waited-for", |level| {
            let limited = level.spec.limited.get_or_insert_default();
            *limited.nominal_concurrency_shares.get_or_insert(30) += 10;
        })
        .await?;
    println!("The level has {} shares.", support::shares(&level.spec));

    schemas.delete("waiting").await?;
    levels.delete("waited-for").await?;
    let gone = levels.wait_for("waited-for", wait::is_deleted());
    gone.timeout(Duration::from_secs(60)).await?;
    println!("Both are gone.");
    Ok(())
}
