//! Keeps a local copy of all levels, queries it, and follows its changes while a level is created, changed and deleted.
//!
//! `cargo run --example store`

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Change, Store};
use serde_json::json;

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let levels = client.priority_level_configurations();

    // A task keeps the copy up to date until the last handle is dropped, and reconnects if needed.
    let store = Store::builder(levels.watcher().drop_managed_fields())
        .on_error(|error| eprintln!("{error}; trying again"))
        .start();
    store.wait_ready().await?;
    println!("{} levels:", store.len());
    let copies = store.snapshot();
    support::print_levels(copies.iter().map(|level| &**level));
    let rejecting = store.filter(|level| {
        let limited = level.spec.limited.as_ref();
        limited.is_some_and(|limited| limited.limit_response.r#type.as_str() == "Reject")
    });
    let names: Vec<&str> = rejecting.iter().map(|level| level.name()).collect();
    println!("Of these, {} do not queue.", names.join(", "));

    let mut changes = store.subscribe();
    // A subscription begins with all current objects.
    if let Some(Change::Resync(all)) = changes.next().await {
        println!("RESYNC   {} levels", all.objects.len());
    }
    let level: Level = serde_json::from_value(json!({
        "metadata": {"name": "stored"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))?;
    levels.create(&level).await?;
    let shares = json!({"spec": {"limited": {"nominalConcurrencyShares": 12}}});
    levels.patch("stored").merge(&shares).await?;
    levels.delete("stored").await?;

    while let Some(change) = changes.next().await {
        match change {
            // This loop was too slow, and changes were skipped.
            Change::Resync(all) => println!("RESYNC   {} levels", all.objects.len()),
            Change::Added(new) => println!(
                "ADDED    {}: {} shares",
                new.name(),
                support::shares(&new.spec)
            ),
            Change::Modified { old, new, .. } => {
                let (before, after) = (support::shares(&old.spec), support::shares(&new.spec));
                println!("MODIFIED {}: {before} -> {after} shares", new.name());
            }
            Change::Deleted(old) => {
                println!("DELETED  {}", old.name());
                if old.name() == "stored" {
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
