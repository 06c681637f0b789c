//! The controller of `examples/shares.rs`.

#[path = "../../examples/shares.rs"]
#[allow(dead_code, reason = "the test does without the main function")]
mod shares;

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::{Client, wait};
use k8s_flowcontrol_kube::config;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use tokio::sync::oneshot;

fn has_shares(
    shares: i32,
) -> impl FnMut(Option<&PriorityLevelConfiguration>) -> bool + Send + 'static {
    move |level| {
        let limited = level.and_then(|level| level.spec.limited.as_ref());
        limited.is_some_and(|limited| limited.nominal_concurrency_shares == Some(shares))
    }
}

#[tokio::test]
async fn it_creates_repairs_and_follows() {
    let server = ApiServer::builder().start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let kube = config::to_kube(client.config()).unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let shutdown = async { drop(stopped.await) };
    let controller = tokio::spawn(shares::run(kube::Client::try_from(kube).unwrap(), shutdown));
    let (schemas, levels) = (
        client.flow_schemas(),
        client.priority_level_configurations(),
    );

    // A schema gets its level.
    let schema: FlowSchema = serde_json::from_value(json!({
        "metadata": {"name": "batch", "annotations": {"example.com/shares": "20"}},
        "spec": {"priorityLevelConfiguration": {"name": "batch-level"}},
    }))
    .unwrap();
    let schema = schemas.create(&schema).await.unwrap();
    let level = levels
        .wait_for("batch-level", has_shares(20))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        Some(&level.metadata.owner_references[0].uid),
        schema.metadata.uid.as_ref()
    );
    schemas
        .wait_for("batch", wait::is_not_dangling())
        .await
        .unwrap();

    // It restores the shares, and nothing else.
    let change =
        json!({"spec": {"limited": {"nominalConcurrencyShares": 1, "lendablePercent": 40}}});
    levels.patch("batch-level").merge(&change).await.unwrap();
    let level = levels
        .wait_for("batch-level", has_shares(20))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(level.spec.limited.unwrap().lendable_percent, Some(40));

    // The level follows the annotation.
    let change = json!({"metadata": {"annotations": {"example.com/shares": "30"}}});
    schemas.patch("batch").merge(&change).await.unwrap();
    levels
        .wait_for("batch-level", has_shares(30))
        .await
        .unwrap();

    // A deleted level comes back.
    levels.delete("batch-level").await.unwrap();
    let again = levels
        .wait_for("batch-level", has_shares(30))
        .await
        .unwrap()
        .unwrap();
    assert_ne!(again.metadata.uid, level.metadata.uid);

    stop.send(()).unwrap();
    controller.await.unwrap();
}
