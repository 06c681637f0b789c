//! Dry runs: verbs do not store or delete anything, regardless of the other options of the request.

use crate::e2e::support::{Cluster, object, sample, unique};
use crate::generation::generated_leases::{self, coordination_v1::Lease};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::Api;
use k8s_flowcontrol::meta::DeleteOptions;
use k8s_flowcontrol::wait::is_not_dangling;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

fn options(tree: serde_json::Value) -> DeleteOptions {
    serde_json::from_value(tree).unwrap()
}

#[tokio::test]
async fn options_do_not_turn_a_dry_run_into_a_deletion() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let negotiated = schemas.clone();
        let name = unique("options");
        let mine = schemas.create(&sample(&name)).await.unwrap();
        let uid = mine.metadata.uid.unwrap();

        let passed = || options(json!({"propagationPolicy": "Background"}));
        let delete = || schemas.delete(&name);
        delete().dry_run().options(passed()).await.unwrap();
        delete().options(passed()).dry_run().await.unwrap();
        delete().dry_run().precondition_uid(&uid).await.unwrap();
        delete().precondition_uid(&uid).dry_run().await.unwrap();
        let delete = negotiated.delete(&name);
        delete.dry_run().options(passed()).await.unwrap();
        let these = format!("metadata.name={name}");
        let all = || schemas.delete_collection().field_selector(&these);
        all().dry_run().options(passed()).await.unwrap();
        all().options(passed()).dry_run().await.unwrap();
        let all = negotiated.delete_collection().field_selector(&these);
        all.dry_run().options(passed()).await.unwrap();

        assert_eq!(schemas.get(&name).await.unwrap().metadata.uid.unwrap(), uid);
        schemas.delete(&name).options(passed()).await.unwrap();
        assert!(schemas.get(&name).await.unwrap_err().is_not_found());
    }
}

#[tokio::test]
async fn options_do_not_turn_a_dry_run_into_a_deletion_in_other_groups() {
    let server = ApiServer::builder().serve(generated_leases::coordination_v1::RESOURCES);
    let server = server.start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let leases: Api<Lease> = client.namespaced_api("team");
    let mut lease = Lease::default();
    lease.metadata.name = Some("mine".into());
    leases.create(&lease).await.unwrap();
    let passed = || options(json!({"gracePeriodSeconds": 0}));
    let delete = leases.delete("mine").dry_run();
    delete.options(passed()).await.unwrap();
    let delete = leases.delete_collection().options(passed());
    delete.dry_run().await.unwrap();
    assert_eq!(leases.list().await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn contradictory_options_are_not_sent() {
    let server = ApiServer::builder()
        .record_requests()
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let schemas = client.flow_schemas();
    let delete = schemas
        .delete("probes")
        .options(options(json!({"preconditions": {"uid": "theirs"}})))
        .precondition_uid("ours");
    let all = schemas
        .delete_collection()
        .grace_period_seconds(1)
        .options(options(json!({"gracePeriodSeconds": 2})));
    for error in [
        delete.await.map(drop).unwrap_err(),
        all.await.map(drop).unwrap_err(),
    ] {
        assert!(error.is_argument(), "{error}");
        assert!(error.to_string().ends_with("nothing was sent"), "{error}");
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn no_verb_stores_a_dry_run() {
    let server = ApiServer::start().await.unwrap();
    let client = Client::from_url(server.url()).unwrap();
    let schemas = client.flow_schemas();
    schemas.create(&sample("mine")).await.unwrap();
    // The server sets the status after the creation.
    let created = schemas.wait_for("mine", is_not_dangling());
    let mine = created.await.unwrap().unwrap();
    let mut changed = mine.clone();
    changed.spec.matching_precedence = Some(9001);
    let mut applied: FlowSchema = sample("mine");
    applied.spec.matching_precedence = Some(9002);
    let patch = json!({"spec": {"matchingPrecedence": 9003}});
    let operations = json!([{"op": "replace", "path": "/spec/matchingPrecedence", "value": 9004}]);
    let status = object::<FlowSchema>(json!({
        "metadata": {"name": "mine"},
        "status": {"conditions": [{"type": "Dangling", "status": "True"}]},
    }));
    let version = || async {
        let list = schemas.list().await.unwrap();
        list.metadata.resource_version.unwrap()
    };

    let before = version().await;
    schemas.create(&sample("other")).dry_run().await.unwrap();
    schemas.replace(&changed).dry_run().await.unwrap();
    let target = || schemas.patch("mine");
    target().merge(&patch).dry_run().await.unwrap();
    target().strategic(&patch).dry_run().await.unwrap();
    target().json(&operations).dry_run().await.unwrap();
    let apply = schemas.apply(&applied).field_manager("m").force();
    apply.dry_run().await.unwrap();
    schemas.replace_status(&status).dry_run().await.unwrap();
    let apply = schemas.apply_status(&status).field_manager("m").force();
    apply.dry_run().await.unwrap();
    schemas.delete("mine").dry_run().await.unwrap();
    schemas.delete_collection().dry_run().await.unwrap();
    let update = schemas.update_with("mine", |schema| schema.spec = changed.spec.clone());
    update.dry_run().await.unwrap();
    assert_eq!(version().await, before);
    assert_eq!(schemas.get("mine").await.unwrap(), mine);
}
