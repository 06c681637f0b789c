//! Lists, watches, creates, patches, applies and deletes, on an embedded server or on the cluster of KUBECONFIG.

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::{v1, v1beta2, v1beta3};
use serde_json::{from_str, json};
use support::{print_event, print_levels, print_schemas, print_shares};

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let (levels, schemas) = (
        client.priority_level_configurations(),
        client.flow_schemas(),
    );

    println!("\n1. What the server has made by itself\n");
    let list = levels.list().await?;
    print_levels(&list);
    print_schemas(schemas.list().await?.items);

    println!("\n2. A level and a schema are created, and watches see them arrive\n");
    let version = list.metadata.resource_version.unwrap_or_default();
    let mut level_events = levels.watch().resource_version(&version).await?;
    let mut schema_events = schemas.watch().resource_version(&version).await?;
    let level: v1::PriorityLevelConfiguration = from_str(include_str!("manifests/level.json"))?;
    let schema: v1::FlowSchema = from_str(include_str!("manifests/schema.json"))?;
    levels.create(&level).await?;
    schemas.create(&schema).await?;
    print_event(&level_events.next().await.ok_or("the watch ended")??);
    print_event(&schema_events.next().await.ok_or("the watch ended")??);

    println!("\n3. The level's shares are changed in four ways\n");
    print_shares("as created", &level);
    let path = "/spec/limited/nominalConcurrencyShares";
    let patch = json!([{"op": "replace", "path": path, "value": 10}]);
    print_shares("JSON patch", &levels.patch("tour").json(&patch).await?);
    let patch = json!({"spec": {"limited": {"nominalConcurrencyShares": 11}}});
    print_shares("merge patch", &levels.patch("tour").merge(&patch).await?);
    let patch = json!({"spec": {"limited": {"nominalConcurrencyShares": 12}}});
    let patched = levels.patch("tour").strategic(&patch).await?;
    print_shares("strategic merge patch", &patched);
    let wanted = from_str(include_str!("manifests/level-zero.json"))?;
    let applied = levels.apply(&wanted).field_manager("tour").force().await?;
    print_shares("server-side apply", &applied);

    println!("\n4. The same object in two versions\n");
    print_shares("v1", &applied);
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
    println!("\n6. What the tour made is deleted");
    Ok(())
}
