//! The options of a deletion, in the query and in the body.

use super::{sent, silent};
use crate::script::Sent;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::client::DeleteRequest;
use k8s_flowcontrol::meta::{DeleteOptions, PropagationPolicy};
use serde_json::json;

type Delete = DeleteRequest<FlowSchema>;

async fn deletion(complete: impl FnOnce(Delete) -> Delete) -> Sent {
    sent(async |schemas| complete(schemas.delete("x")).await).await
}

fn options(tree: serde_json::Value) -> DeleteOptions {
    serde_json::from_value(tree).unwrap()
}

#[tokio::test]
async fn delete_options_in_query_and_body() {
    let plain = deletion(|delete| delete.grace_period_seconds(5)).await;
    assert_eq!(plain.query(), "gracePeriodSeconds=5");
    assert!(plain.header("content-type").is_none() && plain.body.is_empty());

    let checked = deletion(|delete| {
        let delete = delete.dry_run().precondition_uid("u");
        let delete = delete.propagation_policy(PropagationPolicy::Foreground);
        delete.precondition_resource_version("7")
    })
    .await;
    assert_eq!(checked.query(), "dryRun=All&propagationPolicy=Foreground");
    assert_eq!(
        checked.json(),
        json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": {"uid": "u", "resourceVersion": "7"},
            "propagationPolicy": "Foreground",
            "dryRun": ["All"],
        })
    );
}

#[tokio::test]
async fn passed_options_are_completed_in_any_order() {
    let passed = options(json!({
        "preconditions": {"resourceVersion": "7", "later": 1},
        "dryRun": [],
        "orphanDependents": true,
        "later": {"a": 1},
    }));
    let complete = |delete: Delete| {
        let delete = delete.dry_run().grace_period_seconds(5);
        delete.precondition_uid("u").orphan_dependents(true)
    };
    let first = deletion(|delete| complete(delete.options(passed.clone()))).await;
    let last = deletion(|delete| complete(delete).options(passed.clone())).await;
    for request in [first, last] {
        assert_eq!(
            request.query(),
            "dryRun=All&gracePeriodSeconds=5&orphanDependents=true"
        );
        assert_eq!(
            request.json(),
            json!({
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "gracePeriodSeconds": 5,
                "preconditions": {"uid": "u", "resourceVersion": "7", "later": 1},
                "orphanDependents": true,
                "dryRun": ["All"],
                "later": {"a": 1},
            })
        );
    }
}

#[tokio::test]
async fn passed_options_do_not_contradict_the_methods() {
    let delete = || silent().flow_schemas().delete("x");
    let pass = |tree| move |delete: Delete| delete.options(options(tree));
    let uid = pass(json!({"preconditions": {"uid": "v"}}));
    let version = pass(json!({"preconditions": {"resourceVersion": "8"}}));
    let orphans = pass(json!({"propagationPolicy": "Orphan"}));
    let grace = pass(json!({"gracePeriodSeconds": 1}));
    let dry_run = pass(json!({"dryRun": ["None"]}));
    let background = PropagationPolicy::Background;
    for (field, request) in [
        ("dryRun", dry_run(delete().dry_run())),
        ("UID", uid(delete()).precondition_uid("u")),
        (
            "resource version",
            version(delete().precondition_resource_version("7")),
        ),
        (
            "propagationPolicy",
            orphans(delete()).propagation_policy(background),
        ),
        (
            "gracePeriodSeconds",
            grace(delete().grace_period_seconds(0)),
        ),
    ] {
        let error = request.await.unwrap_err();
        assert!(error.is_argument(), "{error}");
        assert!(error.to_string().contains(field), "{error}");
    }
}
