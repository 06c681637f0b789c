//! A complete controller, which gives each tenant of a platform a priority level and a FlowSchema.
//!
//! - It applies only the fields that it decides, and only if they differ from what it applied before.
//! - It owns the objects with its label, and touches no others.
//! - After a failure it looks at the tenant again: soon if that may help, later if a person must change something.
//! - It knows no version of the API: it keeps working when an upgrade of the cluster removes the version in use.
//! - When it stops, it finishes the tenant at hand first.
//!
//! `cargo run --example controller` adds, changes and removes a tenant. A real controller runs until
//! `tokio::signal::ctrl_c()`.

#[path = "../support/mod.rs"]
mod support;

mod tenants;

use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::wait;
use std::time::Duration;
use tenants::{Tenant, Tenants};
use tokio::sync::{oneshot, watch};

#[tokio::main]
async fn main() -> support::Outcome {
    let (client, _server) = support::connect().await?;
    // A real controller reads them from a file, a database, or custom resources.
    let (change, tenants) = watch::channel(Tenants::new());
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn({
        let client = client.clone();
        async move { tenants::run(&client, tenants, async { drop(stopped.await) }).await }
    });

    let levels = client.negotiated::<Level>().await?;
    for shares in [10, 25] {
        change.send_modify(|tenants| {
            let group = "platform:checkout".to_owned();
            tenants.insert("checkout".to_owned(), Tenant { group, shares });
        });
        let is_applied = move |level: Option<&Level>| {
            level.is_some_and(|level| support::shares(&level.spec) == shares.to_string())
        };
        let waiting = levels.wait_for("tenant-checkout", is_applied);
        waiting.timeout(Duration::from_secs(30)).await?;
        println!("tenant-checkout has {shares} shares");
    }
    change.send_modify(Tenants::clear);
    let waiting = levels.wait_for("tenant-checkout", wait::is_deleted());
    waiting.timeout(Duration::from_secs(30)).await?;
    println!("tenant-checkout is deleted");

    drop(stop);
    running.await??;
    println!("The controller has stopped.");
    Ok(())
}
