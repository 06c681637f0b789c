//! `validate --live`: the verdicts of the server itself, as dry runs.

use crate::cluster::{Cluster, level};
use crate::common::{code, run, stderr};
use k8s_flowcontrol::client::http::Method;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::{Value, json};

const API: &str = "/apis/flowcontrol.apiserver.k8s.io";

/// The Status of the server for a dry run in strict mode; null for a success.
async fn status(cluster: &Cluster, method: Method, path: &str, body: &str) -> Value {
    let path = format!("{API}/{path}?dryRun=All&fieldValidation=Strict");
    let client = cluster.client();
    let request = client
        .raw(method, &path)
        .body("application/yaml", body.to_owned());
    match request.await {
        Ok(_) => Value::Null,
        Err(error) => serde_json::to_value(error.status().unwrap()).unwrap(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_and_messages_are_those_of_the_server() {
    for (release, version) in [("1.25", "v1beta2"), ("1.29", "v1"), ("1.37", "v1")] {
        let cluster = Cluster::of(release).await;
        let levels = format!("{version}/prioritylevelconfigurations");
        let good = level(version, "new", 5);
        let exempt = "kind: PriorityLevelConfiguration\nmetadata: {name: exempt}\nspec: {type: Limited, limited: {limitResponse: {type: Reject}}}\n";
        let exempt = format!("apiVersion: flowcontrol.apiserver.k8s.io/{version}\n{exempt}");
        let bodies = [
            (good.clone(), "new"),
            (good.replace("Reject", "Refuse"), "new"),
            (
                good.replace("    limitResponse", "    extra: 1\n    limitResponse"),
                "new",
            ),
            (
                good.replace("  type: Limited", "  type: Limited\n  type: Limited"),
                "new",
            ),
            (good.replace("name: new", "name: -new"), "-new"),
            (
                good.replace("name: new", "name: workload-low"),
                "workload-low",
            ),
            (
                good.replace(
                    "name: new",
                    "name: workload-low\n  resourceVersion: \"1000000\"",
                ),
                "workload-low",
            ),
            (
                good.replace("name: new", "name: workload-low\n  uid: other"),
                "workload-low",
            ),
            (exempt, "exempt"),
        ];
        for (index, (body, name)) in bodies.iter().enumerate() {
            let file = cluster.file(&format!("{index}.yaml"), body);
            let ran = cluster.run(&["validate", "-f", &file, "--live", "-o", "json"]);
            let line = ran.json();
            let expected = match *name {
                "new" | "-new" => status(&cluster, Method::POST, &levels, body).await,
                name => status(&cluster, Method::PUT, &format!("{levels}/{name}"), body).await,
            };
            assert_eq!(line["status"], expected, "{release} {body}");
            assert_eq!(line["valid"], expected.is_null(), "{release} {body}");
            assert_eq!(ran.code, i32::from(!expected.is_null()), "{release} {body}");
            // As text, the message or its causes, at a place in the file.
            let ran = cluster.run(&["validate", "-f", &file, "--live"]);
            assert!(ran.out.contains(&format!("{index}.yaml:")), "{}", ran.out);
            let causes = expected["details"]["causes"].as_array();
            match causes {
                Some(causes) => causes.iter().for_each(|cause| {
                    let message = cause["message"].as_str().unwrap();
                    assert!(ran.out.contains(message), "{message}: {}", ran.out);
                }),
                None => {
                    let message = expected["message"].as_str().unwrap_or("is valid");
                    let message = message.lines().next().unwrap();
                    assert!(ran.out.contains(message), "{message}: {}", ran.out);
                }
            }
        }
        // The verdicts differ: two valid objects, and seven kinds of failures.
        let failures = bodies.len() - 2;
        let files: Vec<_> = (0..bodies.len())
            .flat_map(|index| {
                [
                    "-f".to_owned(),
                    cluster.folder.path(&format!("{index}.yaml")),
                ]
            })
            .collect();
        let mut arguments = vec!["validate", "--live"];
        arguments.extend(files.iter().map(String::as_str));
        let ran = cluster.run(&arguments).expect(1);
        let expected = format!("2 valid, {failures} invalid");
        assert!(ran.err.contains(&expected), "{}", ran.err);
        // Nothing was stored.
        let found = cluster.run(&["get", "plc/new"]).expect(5);
        assert!(found.err.contains("\"new\" not found"), "{}", found.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_has_the_last_word() {
    let cluster = Cluster::start(ApiServer::builder().kubernetes("1.29").record_requests()).await;
    let file = cluster.file("new.yaml", &level("v1", "new", 5));
    // A webhook of the cluster, say.
    let denied = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 403, "reason": "Forbidden",
        "message": "admission webhook \"quota.example.com\" denied the request: too many levels",
    });
    let denied = Fault::status(403, serde_json::from_value(denied).unwrap());
    cluster.server.inject(denied.on_method("POST").times(1));
    let ran = cluster.run(&["validate", "-f", &file, "--live"]).expect(1);
    assert!(
        ran.out.contains("denied the request: too many levels"),
        "{}",
        ran.out
    );
    let ran = cluster.run(&["validate", "-f", &file, "--live"]).expect(0);
    assert!(ran.out.contains("new.yaml:1: "), "{}", ran.out);
    // Every write is a dry run with strict field validation.
    let writes: Vec<_> = cluster
        .server
        .requests()
        .into_iter()
        .filter(|request| request.method != "GET")
        .collect();
    assert_eq!(writes.len(), 4, "{writes:?}");
    for write in writes {
        for (name, value) in [("dryRun", "All"), ("fieldValidation", "Strict")] {
            let wanted = (name.to_owned(), value.to_owned());
            assert!(write.query.contains(&wanted), "{write:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_of_the_server_does_not_change_it() {
    let cluster = Cluster::of("1.37").await;
    let file = cluster.file("new.yaml", &level("v1", "new", 5));
    let broken = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500, "reason": "InternalError",
        "message": "Internal error occurred: no",
    });
    let broken = Fault::status(500, serde_json::from_value(broken).unwrap());
    cluster.server.inject(broken.on_method("POST").times(1));
    let ran = cluster.run(&["validate", "-f", &file, "--live"]).expect(5);
    let said = "500 InternalError: Internal error occurred: no\nhint: the request was a dry run: it changed nothing\n";
    assert!(ran.err.ends_with(said), "{}", ran.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_verdict_is_of_the_release_of_the_cluster() {
    let cluster = Cluster::of("1.29").await;
    let file = cluster.file("new.yaml", &level("v1", "new", 5));
    let ran = cluster
        .run(&["validate", "-f", &file, "--live", "--kubernetes", "1.25"])
        .expect(2);
    let said = "`--kubernetes` and a cluster exclude each other\nhint: remove `--kubernetes`, because a cluster answers by its own release";
    assert!(ran.err.contains(said), "{}", ran.err);
    let ran = cluster.run(&["validate", "-f", &file, "--live"]).expect(0);
    assert_eq!(ran.err, "1 object for the cluster: 1 valid, 0 invalid\n");
    let offline = run(&["validate", "-f", &file, "--kubernetes", "1.25"]);
    let said = "1 object for Kubernetes 1.25: 0 valid, 1 invalid\n";
    assert_eq!((code(&offline), &*stderr(&offline)), (1, said));
}
