//! Classification of requests.

use super::built_in::{levels, read, schemas};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User, Verdict};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::{Value, json};

fn built_in() -> Classifier {
    let release = Release::NEWEST;
    Classifier::new(&schemas(release), &levels(release), release)
}

fn request(method: &str, url: &str, user: User) -> RequestAttributes {
    RequestAttributes::from_http(method, url, user).unwrap()
}

#[test]
fn a_recorded_server_agrees() {
    let config: Value =
        serde_json::from_str(include_str!("../fixtures/runtime/match-config.json")).unwrap();
    let objects = |list: &str| config[list].as_array().unwrap().clone();
    let schemas: Vec<FlowSchema> = objects("flowSchemas").into_iter().map(read).collect();
    let levels: Vec<PriorityLevelConfiguration> =
        objects("priorityLevels").into_iter().map(read).collect();
    let release = config["release"].as_str().unwrap().parse().unwrap();
    let classifier = Classifier::new(&schemas, &levels, release);
    for line in include_str!("../fixtures/runtime/match-requests.jsonl").lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let text = |field: &str| record[field].as_str();
        let groups = record["groups"].as_array().unwrap().iter();
        let groups = groups.map(|group| group.as_str().unwrap());
        let user = User::new(text("user").unwrap(), groups);
        let request = request(text("method").unwrap(), text("url").unwrap(), user);
        let taken = classifier.classify(&request);
        assert_eq!(
            taken.map(|taken| taken.flow_schema),
            text("flowSchema"),
            "{line}"
        );
        assert_eq!(
            taken.map(|taken| taken.priority_level),
            text("priorityLevel"),
            "{line}"
        );
        let explained = classifier
            .explain(&request)
            .map(|explained| explained.classification);
        assert_eq!(explained, taken, "{line}");
    }
}

#[test]
fn flows_are_separated_if_the_level_has_queues() {
    let classifier = built_in();
    let flow = |url: &str, user: User| {
        let request = request("GET", url, user);
        let taken = classifier.classify(&request).unwrap();
        (
            taken.flow_schema.to_owned(),
            taken.flow_distinguisher.to_owned(),
        )
    };
    let alice = User::authenticated("alice", [""; 0]);
    assert_eq!(
        flow("/version", alice),
        ("global-default".into(), "alice".into())
    );
    let account = User::service_account("kube-system", "dns");
    let pods = "/api/v1/namespaces/team-a/pods";
    let expected = ("kube-system-service-accounts".into(), "team-a".into());
    assert_eq!(flow(pods, account), expected);
    let admin = User::authenticated("admin", ["system:masters"]);
    assert_eq!(flow(pods, admin), ("exempt".into(), String::new()));
    // A user without groups matches no schema; `catch-all` is the last resort and does not queue.
    assert_eq!(
        flow(pods, User::new("x", [""; 0])),
        ("catch-all".into(), String::new())
    );
}

#[test]
fn long_running_requests_are_not_classified() {
    let classifier = built_in();
    let classify = |method, url| {
        let request = request(method, url, User::anonymous());
        classifier.classify(&request).is_some()
    };
    assert!(classify("GET", "/api/v1/namespaces/a/pods?watch=1"));
    assert!(!classify("GET", "/api/v1/namespaces/a/pods/p/log"));
    assert!(!classify("POST", "/api/v1/namespaces/a/pods/p/exec"));
    assert!(!classify("GET", "/api/v1/namespaces/a/services/s/proxy/x"));
    assert!(!classify("GET", "/debug/pprof/heap"));
    assert!(classify("GET", "/debug/pprof"));
}

#[test]
fn dangling_schemas_are_skipped_and_explained() {
    let dangling: FlowSchema = read(json!({"metadata": {"name": "lost"}, "spec": {
        "priorityLevelConfiguration": {"name": "gone"}, "matchingPrecedence": 2, "rules": [{
            "subjects": [{"kind": "User", "user": {"name": "*"}}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]}]}}));
    let classifier = Classifier::new(&[dangling], &[], Release::NEWEST);
    let request = request("GET", "/version", User::anonymous());
    let explanation = classifier.explain(&request).unwrap();
    assert_eq!(explanation.classification.flow_schema, "catch-all");
    assert!(explanation.classification.built_in_fallback);
    let lost = &explanation.considered[1];
    assert_eq!(
        (lost.flow_schema, &lost.verdict),
        ("lost", &Verdict::Dangling)
    );
    assert_eq!(
        lost.to_string(),
        "lost: skipped: there is no priority level `gone`"
    );
}

#[test]
fn an_explanation_names_the_mismatch() {
    let classifier = built_in();
    let node = User::authenticated("system:node:n", ["system:nodes"]);
    let request = request("GET", "/api/v1/namespaces/a/secrets/s", node);
    let explanation = classifier.explain(&request).unwrap();
    let lines: Vec<_> = explanation
        .considered
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        lines,
        [
            "exempt: no match: rules[0] is for other subjects",
            "probes: no match: rules[0] has no resourceRules",
            "system-leader-election: no match: rules[0] is for other subjects",
            "system-node-high: no match: rules[0] resourceRules[0] is for other resources, \
             resourceRules[1] is for other resources",
            "system-nodes: rules[0] matches by subjects[0] and resourceRules[0]",
        ]
    );
}
