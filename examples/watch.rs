//! Watches levels while one is created, changed and deleted.
//!
//! `cargo run --example watch`

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::WatchEvent;
use serde_json::json;

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let levels = client.negotiated::<Level>().await?;

    // A watch from the list's resource version misses no change.
    let version = levels
        .list()
        .await?
        .metadata
        .resource_version
        .unwrap_or_default();
    let mut events = levels
        .watch()
        .resource_version(version)
        .field_selector("metadata.name=watched")
        .bookmarks()
        .await?;

    let level: Level = serde_json::from_value(json!({
        "metadata": {"name": "watched"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    }))?;
    levels.create(&level).await?;
    let update = levels.update_with("watched", |level| support::set_shares(level, 12));
    update.await?;
    levels.delete("watched").await?;

    let shares = |level: &Level| level.spec.limited.as_ref()?.nominal_concurrency_shares;
    while let Some(event) = events.next().await {
        match event {
            Ok(WatchEvent::Added { object: level, .. }) => {
                println!("ADDED    {} {:?}", level.name(), shares(&level))
            }
            Ok(WatchEvent::Modified { object: level, .. }) => {
                println!("MODIFIED {} {:?}", level.name(), shares(&level))
            }
            Ok(WatchEvent::Bookmark(bookmark)) => {
                println!("BOOKMARK {}", bookmark.resource_version)
            }
            Ok(WatchEvent::Deleted { object: level, .. }) => {
                println!("DELETED  {}", level.name());
                break;
            }
            Ok(other) => println!("{other:?}"),
            // The resource version has expired: list again, then watch.
            Err(error) if error.is_expired() => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
