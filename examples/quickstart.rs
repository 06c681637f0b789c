//! Lists, watches, creates, patches, applies and deletes, on an embedded server or on the cluster of KUBECONFIG.

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::{self, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::api::{v1beta2, v1beta3};
use serde_json::from_str;
use support::{print_event, print_levels, print_schemas, print_shares, set_shares};

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    // v1 types here, and the best version of the server on the wire.
    let levels = client.negotiated::<Level>().await?;
    let schemas = client.negotiated::<v1::FlowSchema>().await?;
    println!("The server speaks {}", levels.wire_version());
    println!("\n1. The objects that the server created\n");
    let list = levels.list().await?;
    print_levels(&list);
    print_schemas(schemas.list().await?.items);

    println!("\n2. A level and a schema are created, and watches see them arrive\n");
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut level_events = levels.watch().resource_version(&version).await?;
    let mut schema_events = schemas.watch().resource_version(&version).await?;
    let level: Level = from_str(include_str!("manifests/level.json"))?;
    let schema: v1::FlowSchema = from_str(include_str!("manifests/schema.json"))?;
    levels.create(&level).await?;
    schemas.create(&schema).await?;
    print_event(&level_events.next().await.ok_or("the watch ended")??);
    print_event(&schema_events.next().await.ok_or("the watch ended")??);

    println!("\n3. The level's shares are changed in three ways\n");
    print_shares("as created", &level);
    let update = levels.update_with("tour", |level| set_shares(level, 10));
    print_shares("get, change, replace", &update.await?);
    let mut only_shares = Level::partial("tour");
    set_shares(&mut only_shares, 12);
    let apply = levels.apply(&only_shares).field_manager("tour").force();
    print_shares("server-side apply", &apply.await?);
    set_shares(&mut only_shares, 0);
    match levels.apply(&only_shares).field_manager("tour").await {
        Ok(level) => print_shares("no shares", &level),
        // Only servers since 1.30 have such levels.
        Err(error) => println!("  no shares: {error}"),
    }

    println!("\n4. The same object in two versions\n");
    print_shares("v1", &levels.get("tour").await?);
    let old_levels = client.api::<v1beta3::PriorityLevelConfiguration>();
    match old_levels.get("tour").await {
        Ok(old) => support::print_v1beta3("v1beta3", &old),
        Err(error) => println!("  v1beta3: {error}"),
    }

    println!("\n5. A v1beta2 manifest is converted to v1 and applied\n");
    let manifest = include_str!("manifests/level-v1beta2.json");
    let old: v1beta2::PriorityLevelConfiguration = from_str(manifest)?;
    let new = levels.apply(&old.try_into()?).field_manager("tour").await?;
    println!("  assuredConcurrencyShares: 9 in v1beta2");
    print_shares("in v1", &new);

    schemas.delete("tour").await?;
    levels.delete("tour").await?;
    levels.delete(new.name()).await?;
    println!("\n6. The objects of the tour are deleted");
    Ok(())
}
