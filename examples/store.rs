//! Keeps a local copy of all levels, queries it, and follows its changes while a level is created, changed and deleted.
//!
//! `cargo run --example store`

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Store, StoreEvent};
use serde_json::json;

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let levels = client.negotiated::<Level>().await?;

    // A task keeps the copy up to date until the last handle is dropped, and reconnects if needed.
    let store = Store::builder(levels.watcher().drop_managed_fields())
        .on_error(|error| eprintln!("{error}; the store tries again"))
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
    println!("Of these, {} reject instead of queueing.", names.join(", "));

    // The first event of a subscription is a snapshot.
    let mut events = store.subscribe();
    if let Some(StoreEvent::Snapshot(all)) = events.next().await {
        println!("SNAPSHOT {} levels", all.objects.len());
    }
    let level: Level = serde_json::from_value(json!({
        "metadata": {"name": "stored"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))?;
    levels.create(&level).await?;
    let update = levels.update_with("stored", |level| support::set_shares(level, 12));
    update.await?;
    levels.delete("stored").await?;

    while let Some(event) = events.next().await {
        match event {
            // This loop was too slow to get every event.
            StoreEvent::Snapshot(all) => println!("SNAPSHOT {} levels", all.objects.len()),
            StoreEvent::Added { object, .. } => {
                let shares = support::shares(&object.spec);
                println!("ADDED    {}: {shares} shares", object.name());
            }
            StoreEvent::Modified { old, new, .. } => {
                let (before, after) = (support::shares(&old.spec), support::shares(&new.spec));
                println!("MODIFIED {}: {before} -> {after} shares", new.name());
            }
            StoreEvent::Deleted { object } => {
                println!("DELETED  {}", object.name());
                if object.name() == "stored" {
                    break;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
