//! `scan` and the API servers beside kube-apiserver: those behind APIServices, and those without the role for flow control.

use super::api::Api;
use super::kubeconfig;
use crate::cluster::Cluster;
use serde_json::{Value, json};

/// An aggregated API server in the Deployment `webhook`.
fn webhook() -> Vec<(&'static str, Vec<Value>)> {
    let labels = json!({"app": "webhook"});
    let service = json!({"namespace": "cert-manager", "name": "webhook-example", "port": 443});
    let pod = json!({"serviceAccountName": "webhook", "containers": [{"name": "a", "image": "registry.example/webhook:v1"}]});
    vec![
        (
            "/apis/apiregistration.k8s.io/v1/apiservices",
            vec![
                json!({"metadata": {"name": "v1alpha1.acme.example.com"}, "spec": {"service": service}}),
            ],
        ),
        (
            "/api/v1/namespaces/cert-manager/services/webhook-example",
            vec![json!({"metadata": {"name": "webhook-example"}, "spec": {"selector": labels}})],
        ),
        (
            "/apis/apps/v1/namespaces/cert-manager/deployments",
            vec![json!({
                "metadata": {"name": "webhook"},
                "spec": {"template": {"metadata": {"labels": {"app": "webhook", "tier": "a"}}, "spec": pod}},
            })],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn aggregated_api_servers_are_named_as_callers() {
    let api = Api::start(webhook()).await;
    let cluster = Cluster::of("1.31").await;
    let file = cluster.file("other", &kubeconfig(&[("a", api.url.clone())]));
    let scan = ["scan", "--no-helm"];
    let text = cluster.run_with(&file, &scan).expect(1).out;
    let caller = "Deployment cert-manager/webhook (registry.example/webhook:v1), the API server of APIService v1alpha1.acme.example.com";
    assert!(
        text.contains(&format!("may be a caller: {caller}\n")),
        "{text}"
    );
    let fix = "API servers built with k8s.io/apiserver 0.26 to 0.28 request v1beta3 by themselves: upgrade them to a release with 0.29 or later";
    assert!(text.contains(fix), "{text}");
    assert!(
        text.contains("--enable-priority-and-fairness=false"),
        "{text}"
    );
    // The audit log is certain.
    let event = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "1", "stage": "ResponseComplete", "verb": "list",
        "user": {"username": "system:serviceaccount:cert-manager:webhook"}, "userAgent": "webhook/v0.0.0",
        "objectRef": {"resource": "flowschemas", "apiGroup": "flowcontrol.apiserver.k8s.io", "apiVersion": "v1beta3"},
        "responseStatus": {"code": 200},
    });
    let log = cluster.file("audit.log", &event.to_string());
    let with_log = [&scan[..], &["--audit-log", &log]].concat();
    let text = cluster.run_with(&file, &with_log).expect(1).out;
    assert!(
        text.contains(&format!("requests v1beta3: {caller}\n")),
        "{text}"
    );
    let with_json = [&with_log[..], &["-o", "json"]].concat();
    let found = cluster.run_with(&file, &with_json).expect(1).json();
    let server = &found["clusters"][0]["aggregated"][0];
    assert_eq!(server["apiServices"][0], "v1alpha1.acme.example.com");
    assert_eq!(server["service"], "cert-manager/webhook-example");
    let deployment = &server["deployments"][0];
    assert_eq!(deployment["name"], "cert-manager/webhook");
    assert_eq!(deployment["images"][0], "registry.example/webhook:v1");
    assert_eq!(
        deployment["user"],
        "system:serviceaccount:cert-manager:webhook"
    );
    assert_eq!(server["requests"], json!(["v1beta3"]));
}

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

fn binding(name: &str, role: &str, subject: &Value) -> Value {
    json!({"metadata": {"name": name}, "roleRef": {"kind": "ClusterRole", "name": role}, "subjects": [subject]})
}

fn account(name: &str) -> Value {
    json!({"kind": "ServiceAccount", "namespace": "apps", "name": name})
}

fn role(name: &str, resource: &str, verbs: &[&str]) -> Value {
    let rule = json!({"apiGroups": ["flowcontrol.apiserver.k8s.io"], "resources": [resource], "verbs": verbs});
    json!({"metadata": {"name": name}, "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["*"]}, rule]})
}

#[tokio::test(flavor = "multi_thread")]
async fn extension_servers_without_the_role_are_found_in_the_bindings() {
    const READER: &str = "extension-apiserver-authentication-reader";
    let servers = ["allowed", "grouped", "half", "named", "none"];
    let mut readers: Vec<_> = servers
        .map(|name| binding(name, READER, &account(name)))
        .into();
    readers.push(binding(
        "scheduler",
        READER,
        &json!({"kind": "User", "name": "system:kube-scheduler"}),
    ));
    readers.push(binding("other", "leader", &account("no-server")));
    let user = json!({"kind": "User", "name": "system:serviceaccount:apps:named"});
    let mut named = role("some", "flowschemas", &["list", "watch"]);
    named["rules"][1]["resourceNames"] = json!(["exempt"]);
    let bindings = vec![
        binding("a", "all", &account("allowed")),
        binding("b", "schemas", &account("half")),
        binding("c", "lists", &account("half")),
        binding("d", "some", &user),
        binding("e", "missing", &account("none")),
        // Of another namespace.
        binding(
            "f",
            "all",
            &json!({"kind": "Group", "name": "system:serviceaccounts:other"}),
        ),
    ];
    let roles = vec![
        role("all", "*", &["list", "watch"]),
        role("schemas", "flowschemas", &["*"]),
        role("lists", "prioritylevelconfigurations", &["list"]),
        named,
    ];
    let all = |bindings: &[Value]| {
        let role_bindings: &'static str =
            format!("{RBAC}/namespaces/kube-system/rolebindings").leak();
        vec![
            (role_bindings, readers.clone()),
            (
                format!("{RBAC}/clusterrolebindings").leak(),
                bindings.to_vec(),
            ),
            (format!("{RBAC}/clusterroles").leak(), roles.clone()),
        ]
    };
    let cluster = Cluster::of("1.36").await;
    let api = Api::start(all(&bindings)).await;
    let file = cluster.file("rbac", &kubeconfig(&[("a", api.url.clone())]));
    let found = cluster.run_with(&file, &["scan", "--no-helm", "-o", "json"]);
    let found: Value = serde_json::from_str(&found.out).unwrap();
    let unbound = found["clusters"][0]["unbound"].as_array().unwrap();
    let summary: Vec<_> = unbound
        .iter()
        .map(|server| {
            let user = server["user"].as_str().unwrap();
            let resources = server["resources"].as_array().unwrap().len();
            (
                user.rsplit(':').next().unwrap(),
                resources,
                &server["binding"],
            )
        })
        .collect();
    let expected = [("grouped", 2), ("half", 1), ("named", 2), ("none", 2)];
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, lacks)| (*name, *lacks, json!(name)))
        .collect();
    let expected: Vec<_> = expected
        .iter()
        .map(|(name, lacks, binding)| (*name, *lacks, binding))
        .collect();
    assert_eq!(summary, expected);
    let text = cluster.run_with(&file, &["scan", "--no-helm"]).out;
    let line = "may be denied: system:serviceaccount:apps:half, an extension API server by the RoleBinding kube-system/half, may not list \
                and watch prioritylevelconfigurations.";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("--serviceaccount=apps:half"), "{text}");

    // With the role for all service accounts nothing is left.
    let everyone = binding(
        "g",
        "all",
        &json!({"kind": "Group", "name": "system:serviceaccounts"}),
    );
    let api = Api::start(all(&[everyone])).await;
    let file = cluster.file("rbac-all", &kubeconfig(&[("a", api.url.clone())]));
    let found = cluster.run_with(&file, &["scan", "--no-helm", "-o", "json"]);
    let found: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(found["clusters"][0]["unbound"], json!([]));
}
