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
    assert_eq!(
        classifier.dangling().collect::<Vec<_>>(),
        [("lost", "gone")]
    );
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
fn schemas_of_a_missing_mandatory_level_are_skipped() {
    let release = Release::NEWEST;
    let mut levels = levels(release);
    levels.retain(|level| level.metadata.name.as_deref() != Some("exempt"));
    let classifier = Classifier::new(&schemas(release), &levels, release);

    // The built-in value of the level is only for the flow schema `exempt`, and not for `probes`.
    let probe = request("GET", "/healthz", User::anonymous());
    let explanation = classifier.explain(&probe).unwrap();
    assert_eq!(explanation.classification.flow_schema, "global-default");
    assert!(!explanation.classification.built_in_fallback);
    let mut considered = explanation.considered.iter();
    let probes = considered.find(|considered| considered.flow_schema == "probes");
    assert_eq!(
        probes.map(|probes| &probes.verdict),
        Some(&Verdict::Dangling)
    );

    let masters = User::authenticated("root", ["system:masters"]);
    let request = request("GET", "/healthz", masters);
    let found = classifier.classify(&request).unwrap();
    assert_eq!(
        (found.flow_schema, found.priority_level),
        ("exempt", "exempt")
    );
    assert!(found.built_in_fallback);
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

/// Verb, resource, and namespace with name, as `get pods/log a:p`.
fn attributes(method: &str, url: &str) -> String {
    let request = request(method, url, User::anonymous());
    let subresource = match request.subresource.as_str() {
        "" => String::new(),
        name => format!("/{name}"),
    };
    format!(
        "{} {}{subresource} {}:{}",
        request.verb, request.resource, request.namespace, request.name
    )
}

#[test]
fn methods_and_urls_have_attributes() {
    for (method, url, expected) in [
        (
            "GET",
            "/api/v1/namespaces/a/pods/p/log?follow=1",
            "get pods/log a:p",
        ),
        ("HEAD", "/api/v1/pods/", "list pods :"),
        ("GET", "https://host:6443/api/v1/pods?watch", "watch pods :"),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/a/deployments",
            "deletecollection deployments a:",
        ),
        ("OPTIONS", "/api/v1/nodes/n", " nodes :n"),
        (
            "PUT",
            "/api/v1/namespaces/a/finalize",
            "update namespaces/finalize a:a",
        ),
        ("GET", "/api/v1/namespaces", "list namespaces :"),
        ("GET", "/api/v1/namespaces/a", "get namespaces a:a"),
        (
            "GET",
            "/api/v1/proxy/namespaces/a/pods/p/x",
            "proxy pods a:p",
        ),
        ("GET", "/api/v1/watch/namespaces/a/pods", "watch pods a:"),
    ] {
        assert_eq!(attributes(method, url), expected, "{method} {url}");
    }
}

#[test]
fn other_paths_keep_the_method() {
    for url in [
        "/api",
        "/api/v1",
        "/apis/apps/v1",
        "/healthz",
        "/healthz/%e2%82",
        "/",
        "",
        "/apis//v1/",
    ] {
        let request = request("POST", url, User::anonymous());
        assert!(!request.is_resource_request, "{url}");
        assert_eq!(request.verb, "post");
    }
}

#[test]
fn requests_that_a_server_rejects_before_classification_are_errors() {
    for (url, message) in [
        (
            "/api/v1/watch",
            "unable to determine kind and namespace from url, /api/v1/watch",
        ),
        (
            "/healthz/%zz",
            "malformed percent escape in the path of `/healthz/%zz`",
        ),
    ] {
        let error = RequestAttributes::from_http("GET", url, User::anonymous()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_field_selector_can_name_the_object() {
    for (query, name) in [
        ("fieldSelector=metadata.name%3Dp1", "p1"),
        ("fieldSelector=a!=b,metadata.name==p1", "p1"),
        ("fieldSelector=metadata.name=a%5C,b", "a,b"),
        ("fieldSelector=metadata.name!=p1", ""),
        ("fieldSelector=metadata.name=a/b", ""),
        ("fieldSelector=metadata.name=a=b", ""),
        ("fieldSelector=metadata.name", ""),
        ("fieldSelector=metadata.name=p1&limit=x", ""),
        ("", ""),
    ] {
        let expected = format!("list pods a:{name}");
        let url = format!("/api/v1/namespaces/a/pods?{query}");
        assert_eq!(attributes("GET", &url), expected, "{query}");
    }
}

#[test]
fn any_value_of_watch_but_a_false_one_is_a_watch() {
    for (verb, queries) in [
        (
            "watch",
            [
                "watch",
                "watch=",
                "watch=1",
                "watch=nonsense",
                "watch=true&watch=false",
                "a;&watch",
            ],
        ),
        (
            "list",
            [
                "",
                "watch=False",
                "watch=0",
                "Watch=1",
                "watch=%zz",
                "watch=1;a",
            ],
        ),
    ] {
        for query in queries {
            let url = format!("/api/v1/pods?{query}");
            assert_eq!(attributes("GET", &url), format!("{verb} pods :"), "{query}");
        }
    }
}
