//! Server-side apply: two field managers, a conflict, and the resulting owners.
//!
//! `cargo run --example apply`

mod support;

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::{Resource, from_value_strict};
use serde_json::json;

/// The whole level, as the platform applies it.
fn whole(shares: i32) -> Result<Level, serde_json::Error> {
    from_value_strict(&json!({
        "metadata": {"name": "shared"},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": shares, "limitResponse": {"type": "Reject"}}},
    }))
}

/// The level's shares and nothing else.
fn only_shares(shares: i32) -> Level {
    let mut level = Level::partial("shared");
    let limited = level.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(shares);
    level
}

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    let levels = client.negotiated::<Level>().await?;

    let answer = levels
        .apply(&whole(10)?)
        .field_manager("platform")
        .send()
        .await?;
    let is_new = answer.was_created();
    println!("platform applied 10 shares, new: {is_new}");

    match levels.apply(&only_shares(20)).field_manager("team-a").await {
        Err(error) if error.is_conflict() => {
            println!("team-a wants 20 shares: conflict");
            for cause in error.causes() {
                let field = cause.field.as_deref().unwrap_or_default();
                println!(
                    "  {field}: {}",
                    cause.message.as_deref().unwrap_or_default()
                );
            }
        }
        other => println!("team-a wants 20 shares: {other:?}"),
    }
    let level = levels
        .apply(&only_shares(20))
        .field_manager("team-a")
        .force()
        .await?;
    println!("team-a forced 20 shares\n\nWho owns what");
    for entry in level.metadata.managed_fields.entries()? {
        let manager = entry.manager.unwrap_or_default();
        let fields = entry.fields_v1.unwrap_or_default();
        println!("  {manager}: {fields}");
    }
    levels.delete("shared").await?;
    Ok(())
}
