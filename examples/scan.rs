//! Finds the clients of old API versions in a cluster, as a check before an upgrade.
//!
//! `cargo run --example scan` uses an embedded server of Kubernetes 1.31.

mod support;

use k8s_flowcontrol::{Client, DynamicObject, GROUP, Kind, Release};
use k8s_flowcontrol_analysis::scan::{ClusterScan, Part, Stamps, Verdict, refusals};
use k8s_flowcontrol_server::ApiServer;

#[tokio::main]
async fn main() -> support::Outcome {
    let server = ApiServer::builder().kubernetes("1.31").start().await?;
    let client = Client::from_url(server.url())?;
    // Somebody still uses v1beta3.
    let old = client.api::<k8s_flowcontrol::api::v1beta3::FlowSchema>();
    old.list().await?;

    let scan = scan(&client, "1.32".parse()?).await?;
    println!("verdict: {}", scan.verdict);
    assert_eq!(scan.verdict, Verdict::Outdated);
    for refusal in refusals(&[scan], &[]) {
        println!(
            "Kubernetes 1.{} does not serve {}:",
            refusal.release, refusal.version
        );
        for client in refusal.affected {
            println!("  {client}");
        }
    }
    Ok(())
}

/// Reads the evidence of a cluster.
async fn scan(client: &Client, target: Release) -> Result<ClusterScan, k8s_flowcontrol::Error> {
    let mut scan = ClusterScan::new(Some("production".to_owned()));
    scan.add_release(&client.version().await?.git_version, None);
    let group = client.api_group(GROUP).await?;
    let preferred = group.preferred_version.map(|version| version.version);
    let versions = group.versions.into_iter().map(|version| version.version);
    scan.add_served(preferred, versions);
    // The metrics come first, so that they do not have the requests of this program.
    match client.get_raw("/metrics").await {
        Ok(text) => scan.add_metrics(&String::from_utf8_lossy(&text), target),
        Err(error) => scan.add_unread(Part::Metrics, Verdict::Failed, error),
    }
    let mut stamps = Stamps::default();
    let mut number = 0;
    for kind in Kind::ALL {
        let mut items = client.objects(*kind, target.preferred()).list().items();
        while let Some(object) = items.next().await {
            stamps.add(&DynamicObject::tree(&object?), target);
            number += 1;
        }
    }
    scan.add_objects(number, stamps);
    scan.finish();
    Ok(scan)
}
