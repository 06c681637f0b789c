//! Random configurations and requests.

use super::built_in::read;
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

pub(crate) fn release() -> impl Strategy<Value = Release> {
    select(Release::all().collect::<Vec<_>>())
}

pub(crate) fn names(from: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![1 => Just(vec!["*"]), 3 => vec(select(from), 0..3)]
}

const USERS: &[&str] = &[
    "alice",
    "bob",
    "system:serviceaccount:a:x",
    "system:serviceaccount:b:c:d",
    "*",
];
const GROUPS: &[&str] = &["dev", "ops", "system:authenticated", "*"];
const VERBS: &[&str] = &["get", "list", "watch", "create", "post", "*"];
const NAMESPACES: &[&str] = &["a", "b", "ab"];

pub(crate) fn subject() -> impl Strategy<Value = Value> {
    prop_oneof![
        select(USERS).prop_map(|name| json!({"kind": "User", "user": {"name": name}})),
        select(GROUPS).prop_map(|name| json!({"kind": "Group", "group": {"name": name}})),
        (select(NAMESPACES), select(&["x", "c:d", "*"][..])).prop_map(|(namespace, name)| json!({
            "kind": "ServiceAccount", "serviceAccount": {"namespace": namespace, "name": name}})),
        Just(json!({"kind": "User"})),
    ]
}

pub(crate) fn resource_rule() -> impl Strategy<Value = Value> {
    let lists = (
        names(VERBS),
        names(&["", "apps"]),
        names(&["pods", "pods/log", "nodes"]),
    );
    (lists, names(NAMESPACES), any::<bool>()).prop_map(
        |((verbs, groups, resources), namespaces, scope)| {
            json!({"verbs": verbs, "apiGroups": groups, "resources": resources,
            "namespaces": namespaces, "clusterScope": scope})
        },
    )
}

pub(crate) fn url_rule() -> impl Strategy<Value = Value> {
    (
        names(VERBS),
        names(&["/", "/healthz", "/healthz/*", "/version", "*", ""]),
    )
        .prop_map(|(verbs, urls)| json!({"verbs": verbs, "nonResourceURLs": urls}))
}

pub(crate) fn schema() -> impl Strategy<Value = FlowSchema> {
    let rule = (vec(subject(), 0..3), vec(resource_rule(), 0..3), vec(url_rule(), 0..2)).prop_map(
        |(subjects, resources, urls)| {
            json!({"subjects": subjects, "resourceRules": resources, "nonResourceRules": urls})
        },
    );
    let name = select(&["s1", "s2", "s3", "s4", "exempt", "catch-all", "probes"][..]);
    let level = select(&["exempt", "catch-all", "l1", "l2", "gone"][..]);
    let distinguisher = option::of(select(&["ByUser", "ByNamespace"][..]));
    (name, level, 0..4, distinguisher, vec(rule, 0..4)).prop_map(
        |(name, level, precedence, distinguisher, rules)| {
            read(json!({"metadata": {"name": name}, "spec": {
                "priorityLevelConfiguration": {"name": level}, "matchingPrecedence": precedence,
                "distinguisherMethod": distinguisher.map(|by| json!({"type": by})), "rules": rules}}))
        },
    )
}

pub(crate) fn level() -> impl Strategy<Value = PriorityLevelConfiguration> {
    let name = select(&["l1", "l2", "l3", "catch-all", "exempt"][..]);
    let number = || option::of(prop_oneof![-5..200, Just(i32::MAX), Just(i32::MIN)]);
    let queuing = option::of((number(), number()));
    let kind = select(&["Limited", "Limited", "Limited", "Exempt", "?"][..]);
    (name, kind, number(), number(), number(), queuing).prop_map(
        |(name, kind, shares, lendable, borrowing, queuing)| {
            let response = match queuing {
                Some((queues, hand)) => {
                    json!({"type": "Queue", "queuing": {"queues": queues, "handSize": hand}})
                }
                None => json!({"type": "Reject"}),
            };
            let field = if kind == "Exempt" {
                "exempt"
            } else {
                "limited"
            };
            let mut stanza =
                json!({"nominalConcurrencyShares": shares, "lendablePercent": lendable});
            if kind != "Exempt" {
                stanza["borrowingLimitPercent"] = json!(borrowing);
                stanza["limitResponse"] = response;
            }
            read(json!({"metadata": {"name": name}, "spec": {"type": kind, field: stanza}}))
        },
    )
}

pub(crate) fn request() -> impl Strategy<Value = RequestAttributes> {
    let url = prop_oneof![
        select(
            &[
                "/api/v1/namespaces/a/pods",
                "/api/v1/namespaces/ab/pods/p",
                "/api/v1/namespaces/b/pods?watch=1",
                "/api/v1/namespaces/b/pods/p/log",
                "/api/v1/nodes",
                "/apis/apps/v1/namespaces/a/pods/p",
                "/healthz",
                "/healthz/etcd",
                "/healthzz",
                "/version",
                "/",
            ][..]
        )
        .prop_map(str::to_owned),
        "(/(api|apis|v1|watch|namespaces|a|pods|p|%2[fF]|)){0,6}(\\?watch=[01])?",
    ];
    let groups = vec(
        select(
            &[
                "dev",
                "ops",
                "system:authenticated",
                "system:unauthenticated",
            ][..],
        ),
        0..3,
    );
    let user = select(&USERS[..4]);
    (
        select(&["GET", "POST", "DELETE", "HEAD"][..]),
        url,
        user,
        groups,
    )
        .prop_filter_map(
            "refused before it is classified",
            |(method, url, user, groups)| {
                RequestAttributes::from_http(method, &url, User::new(user, groups)).ok()
            },
        )
}
