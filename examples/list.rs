//! Lists levels and schemas page by page, and counts the schemas of each level.
//!
//! `cargo run --example list`

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration, PriorityLevelType};
use std::collections::BTreeMap;

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let schemas = client.negotiated::<FlowSchema>().await?;
    let levels = client.negotiated::<PriorityLevelConfiguration>().await?;

    // The items of all pages. Each page is read when it is needed.
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut items = schemas.list().limit(5).items();
    while let Some(schema) = items.next().await {
        let schema = schema?;
        let level = schema.spec.priority_level_configuration.name.clone();
        users
            .entry(level)
            .or_default()
            .push(schema.name().to_owned());
    }

    println!("{:<18}{:>8}  FLOW SCHEMAS", "LEVEL", "SHARES");
    for level in levels.list().await? {
        let shares = match (&level.spec.r#type, &level.spec.limited) {
            (PriorityLevelType::Exempt, _) => "exempt".to_owned(),
            (_, Some(limited)) => limited.nominal_concurrency_shares.unwrap_or(30).to_string(),
            (_, None) => "?".to_owned(),
        };
        let schemas = users.remove(level.name()).unwrap_or_default();
        println!("{:<18}{shares:>8}  {}", level.name(), schemas.join(", "));
    }
    for (level, schemas) in users {
        println!(
            "{level:<18}{:>8}  {} (no such level)",
            "-",
            schemas.join(", ")
        );
    }
    Ok(())
}
