//! `rbac`: the role is what a command needs, and no more.

use crate::cluster::{Cluster, level};
use crate::common::{run, tries_all};
use k8s_flowcontrol_server::{ApiServer, RecordedRequest};
use serde_json::Value;

/// Something that RBAC allows or denies: a verb on a resource, or on a path.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Action {
    verb: &'static str,
    group: String,
    /// A resource, or a path.
    what: String,
    is_resource: bool,
}

/// The RBAC check of an API server for a request.
fn actions(request: &RecordedRequest) -> Vec<Action> {
    let path = request.path.trim_end_matches('/');
    let parts: Vec<_> = path.split('/').skip(1).collect();
    let (group, rest) = match parts.as_slice() {
        ["api", "v1", rest @ ..] if !rest.is_empty() => ("", rest),
        ["apis", group, _, rest @ ..] if !rest.is_empty() => (*group, rest),
        _ => {
            return vec![Action {
                verb: "get",
                group: String::new(),
                what: request.path.clone(),
                is_resource: false,
            }];
        }
    };
    let rest = match rest {
        ["namespaces", _, inside @ ..] if !inside.is_empty() => inside,
        rest => rest,
    };
    let is_watch = request
        .query
        .iter()
        .any(|(name, value)| name == "watch" && value != "false");
    let is_apply = request
        .header("content-type")
        .is_some_and(|kind| kind.contains("apply-patch"));
    let verbs: &[_] = match (request.method.as_str(), rest.len()) {
        ("GET", 1) if is_watch => &["watch"],
        ("GET", 1) => &["list"],
        ("GET", _) => &["get"],
        ("POST", _) => &["create"],
        ("PUT", _) => &["update"],
        // An apply that makes an object is asked for both.
        ("PATCH", _) if is_apply => &["patch", "create"],
        ("PATCH", _) => &["patch"],
        ("DELETE", _) => &["delete"],
        (method, _) => panic!("{method} {path}"),
    };
    let action = |verb: &&'static str| Action {
        verb,
        group: group.to_owned(),
        what: rest[0].to_owned(),
        is_resource: true,
    };
    verbs.iter().map(action).collect()
}

/// The role as single permissions.
fn permissions(role: &Value) -> Vec<(String, String, String)> {
    let list = |value: &Value| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items
            .map(|item| item.as_str().unwrap().to_owned())
            .collect()
    };
    let mut all = Vec::new();
    for rule in role["rules"].as_array().unwrap() {
        for verb in list(&rule["verbs"]) {
            for path in list(&rule["nonResourceURLs"]) {
                all.push((verb.clone(), "path".to_owned(), path));
            }
            for group in list(&rule["apiGroups"]) {
                for resource in list(&rule["resources"]) {
                    all.push((verb.clone(), group.clone(), resource));
                }
            }
        }
    }
    all
}

fn allows((verb, group, what): &(String, String, String), action: &Action) -> bool {
    if verb != action.verb {
        return false;
    }
    if !action.is_resource {
        // As RBAC has it: whole, or up to a star at the end.
        let is_begun = |begin: &str| action.what.starts_with(begin);
        return group == "path"
            && (*what == action.what || what.strip_suffix('*').is_some_and(is_begun));
    }
    *group == action.group && *what == action.what
}

/// What runs ask a cluster of a release for.
async fn asked(release: &str, runs: &[&[&str]]) -> Vec<Action> {
    let builder = ApiServer::builder().kubernetes(release).record_requests();
    let cluster = Cluster::start(builder).await;
    cluster
        .level(
            serde_json::json!({"name": "batch", "labels": {"team": "a"}}),
            5,
            "me",
        )
        .await;
    let file = cluster.file("batch.yaml", &level("v1", "batch", 7));
    let other = cluster.file("other.yaml", &level("v1beta3", "other", 7));
    let schema = cluster.file(
        "schema.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: batch\nspec:\n  priorityLevelConfiguration:\n    name: batch\n",
    );
    let mine = cluster.file(
        "mine.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  name: mine\nspec:\n  priorityLevelConfiguration:\n    name: batch\n",
    );
    cluster.run(&["apply", "-f", &mine]).expect(0);
    let kept = serde_json::json!({"metadata": {"annotations": {"apf.kubernetes.io/autoupdate-spec": "false"}}});
    let schemas = cluster
        .client()
        .api::<k8s_flowcontrol::api::v1::FlowSchema>();
    schemas.patch("probes").merge(&kept).await.unwrap();
    let backup = cluster.folder.path("backup.yaml");
    let before = cluster.server.requests().len();
    for run in runs {
        let arguments: Vec<_> = run
            .iter()
            .map(|word| match *word {
                "FILE" => file.as_str(),
                "OTHER" => other.as_str(),
                "SCHEMA" => schema.as_str(),
                "BACKUP" => backup.as_str(),
                word => word,
            })
            .collect();
        let ran = cluster.run(&arguments);
        // 1 is for findings, 5 for what this server does not have.
        assert!(matches!(ran.code, 0 | 1 | 5), "{arguments:?}: {ran:?}");
    }
    cluster.server.requests()[before..]
        .iter()
        .flat_map(actions)
        .collect()
}

/// Commands, and runs of each that together do all that it can do. FILE and its like stand for files.
const RUNS: &[(&str, &[&[&str]])] = &[
    (
        "get",
        &[
            &["get"],
            &["get", "plc/batch"],
            &["get", "fs/probes"],
            &["get", "plc", "--show-load"],
            // Stands for `get -w`, which does not end.
            &["get", "-w", "--output-watch-events", "--count", "20"],
        ],
    ),
    (
        "describe",
        &[
            &["describe", "plc/batch"],
            &["describe", "fs/probes"],
            &["describe"],
        ],
    ),
    ("whoami", &[&["whoami"]]),
    ("top", &[&["top", "--once"]]),
    ("diagnose", &[&["diagnose", "--interval", "0"]]),
    ("scan", &[&["scan"]]),
    ("seats", &[&["seats", "--live"]]),
    ("lint", &[&["lint", "--live"]]),
    (
        "reset",
        &[
            &["reset", "plc/workload-low", "fs/probes"],
            &["tune", "workload-low", "5", "--include-managed"],
            &["reset", "plc/workload-low", "fs/probe", "plc/workload"],
            &["tune", "workload-low", "6", "--include-managed"],
        ],
    ),
    (
        "match",
        &[&[
            "match", "--live", "--user", "u", "--verb", "get", "--path", "/healthz",
        ]],
    ),
    ("plan", &[&["plan", "--context", "embedded"]]),
    (
        "cost",
        &[&["cost", "list", "pods", "--live", "--level", "exempt"]],
    ),
    (
        "traffic",
        &[&["traffic", "--audit-log", "tests/tour/audit.log", "--live"]],
    ),
    (
        "simulate",
        &[&["simulate", "--live", "--load", "examples/load.yaml"]],
    ),
    (
        "create",
        &[
            &[
                "create",
                "protect",
                "user",
                "a",
                "--at-least",
                "5",
                "--live",
            ],
            &["create", "isolate", "user", "a", "--at-most", "9", "--live"],
            &["create", "exempt-probes", "--path", "/version", "--live"],
        ],
    ),
    (
        "validate",
        &[
            &["validate", "--live", "-f", "FILE"],
            &["validate", "--live", "-f", "SCHEMA"],
            &["validate", "--live", "-f", "OTHER"],
        ],
    ),
    (
        "apply",
        &[
            &["apply", "-f", "FILE", "--force-conflicts"],
            &["apply", "-f", "FILE", "-f", "SCHEMA"],
            &["apply", "-f", "OTHER", "--prune", "-l", "!team"],
            &["apply", "-f", "SCHEMA", "--prune", "-l", "!team"],
        ],
    ),
    (
        "diff",
        &[&["diff", "-f", "FILE"], &["diff", "-f", "SCHEMA"]],
    ),
    (
        "delete",
        &[
            &["delete", "plc/batch", "--dry-run"],
            &["delete", "all", "-l", "team=a", "--force"],
            &["delete", "fs/mine"],
        ],
    ),
    ("tune", &[&["tune", "batch", "9"], &["tune", "bat", "9"]]),
    (
        "rewrite-storage",
        &[
            &["rewrite-storage", "--backup", "BACKUP", "--include-managed"],
            &["get", "plc/batch", "fs/probes", "-o", "name"],
        ],
    ),
];

/// Permissions of `scan` for objects that the embedded server does not have: aggregated API servers, and the roles of extension API servers.
const UNSEEN: [&str; 5] = [
    "apiservices",
    "services",
    "deployments",
    "clusterrolebindings",
    "clusterroles",
];

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_what_commands_ask_for() {
    let mut wrong = Vec::new();
    for (command, runs) in RUNS {
        let mut actions = asked("1.37", runs).await;
        // An old server cannot begin a watch with what is there, and has two versions.
        if tries_all() || ["get", "validate"].contains(command) {
            actions.extend(asked("1.29", runs).await);
        }
        let output = run(&["rbac", command, "-o", "json"]);
        let role = serde_json::from_slice(&output.stdout).unwrap();
        let permissions = permissions(&role);
        for action in &actions {
            let mut permissions = permissions.iter();
            if !permissions.any(|permission| allows(permission, action)) {
                wrong.push(format!("{command}: {action:?} is not allowed"));
            }
        }
        for permission in &permissions {
            let is_unseen = *command == "scan" && UNSEEN.contains(&permission.2.as_str());
            if !is_unseen && !actions.iter().any(|action| allows(permission, action)) {
                wrong.push(format!("{command}: {permission:?} is not needed"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
