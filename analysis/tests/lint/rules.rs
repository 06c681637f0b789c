//! Lint findings.

use super::objects::{everything, found, group, level, pods, schema, schema_findings, urls, user};
use crate::built_in::{levels, schemas};
use k8s_flowcontrol_analysis::lint::{Configuration, Severity, lint, rules};
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::FlowSchema;
use serde_json::{Value, json};

#[test]
fn built_in_objects_have_no_findings() {
    for release in Release::all() {
        let (schemas, levels) = (schemas(release), levels(release));
        assert_eq!(
            lint(&Configuration::cluster(&schemas, &levels, release)),
            []
        );
        assert_eq!(lint(&Configuration::files(&schemas, &levels, release)), []);
        assert_eq!(lint(&Configuration::files(&[], &[], release)), []);
    }
}

#[test]
fn a_good_schema_and_level_have_no_findings() {
    let team = level(
        "team",
        json!({
        "nominalConcurrencyShares": 20, "lendablePercent": 50,
        "limitResponse": {"type": "Queue", "queuing": {}}}),
    );
    let spec = json!({"priorityLevelConfiguration": {"name": "team"}});
    let schema = schema("team", group("team"), everything(), spec);
    assert_eq!(
        lint(&Configuration::files(&[schema], &[team], Release::NEWEST)),
        []
    );
}

#[test]
fn dangling_references_are_found() {
    let dangling = |name: &str| {
        schema(
            name,
            user("u"),
            pods(),
            json!({"priorityLevelConfiguration": {"name": "gone"}}),
        )
    };
    let spare = level("spare", json!({"nominalConcurrencyShares": 5}));
    let objects = ([dangling("s")], [spare]);
    let expected = [
        ("dangling-reference", "spec.priorityLevelConfiguration.name"),
        ("unused-level", "metadata.name"),
    ];
    let cluster = lint(&Configuration::cluster(
        &objects.0,
        &objects.1,
        Release::NEWEST,
    ));
    assert_eq!(found(&cluster), expected);
    assert_eq!(cluster[0].severity, Severity::Error);
    // The cluster may have more objects than the files.
    let files = lint(&Configuration::files(
        &objects.0,
        &objects.1,
        Release::NEWEST,
    ));
    assert_eq!(found(&files), expected);
    // Files that contain levels are probably complete.
    assert_eq!(files[0].severity, Severity::Warning);
    let files = lint(&Configuration::files(&objects.0, &[], Release::NEWEST));
    assert_eq!(files[0].severity, Severity::Note);
}

#[test]
fn misspelt_levels_are_found_in_files() {
    let of = |level: &str| {
        let spec = json!({"priorityLevelConfiguration": {"name": level}});
        [schema("s", user("u"), pods(), spec)]
    };
    let team = [level(
        "team-reports",
        json!({"nominalConcurrencyShares": 5}),
    )];
    for (name, help) in [
        ("team-report", "did you mean `team-reports`?"),
        ("work-load-low", "did you mean `workload-low`?"),
    ] {
        let findings = lint(&Configuration::files(&of(name), &team, Release::NEWEST));
        assert_eq!(findings[0].rule, "dangling-reference");
        assert_eq!(findings[0].severity, Severity::Error);
        assert_eq!(findings[0].help, help);
        // The help is beside the text, so that a program can print each once.
        let text = findings[0].to_string();
        assert!(text.contains(name) && !text.contains(help), "{text}");
    }
}

#[test]
fn entries_that_no_request_has_are_found() {
    let findings = schema_findings(&[schema(
        "s",
        user("u"),
        json!({
        "resourceRules": [{"verbs": ["get", "GET", "read"], "apiGroups": [""], "clusterScope": true,
            "resources": ["pod", "pods", "svc/status", "endpoints"], "namespaces": ["*"]}],
        "nonResourceRules": [{"verbs": ["post"], "nonResourceURLs": ["healthz", "/version", "*"]}]}),
        json!({}),
    )]);
    let resources = "spec.rules[0].resourceRules[0]";
    let paths = "spec.rules[0].nonResourceRules[0]";
    let mut expected = [
        ("path-without-slash", format!("{paths}.nonResourceURLs[0]")),
        ("unknown-verb", format!("{paths}.verbs[0]")),
        ("singular-resource", format!("{resources}.resources[0]")),
        ("singular-resource", format!("{resources}.resources[2]")),
        ("unknown-verb", format!("{resources}.verbs[1]")),
        ("unknown-verb", format!("{resources}.verbs[2]")),
    ];
    expected.sort_by(|a, b| a.1.cmp(&b.1));
    let found: Vec<_> = findings
        .iter()
        .map(|finding| (finding.rule, finding.path.clone()))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(findings[2].help, "use the plural name pods");
}

#[test]
fn findings_have_the_documented_severities() {
    for rule in rules() {
        let softened = matches!(rule.id(), "dangling-reference" | "unused-level");
        let expected = if softened {
            Severity::Note
        } else {
            rule.severity()
        };
        assert_eq!(rule.severity_in_files(), expected, "{}", rule.id());
    }
}

#[test]
fn covered_schemas_are_found() {
    let late = json!({"matchingPrecedence": 9950});
    let findings = schema_findings(&[schema("late", user("u"), pods(), late)]);
    assert_eq!(
        found(&findings),
        [("unreachable-schema", "spec.matchingPrecedence")]
    );
    assert!(
        findings[0].message.contains("`global-default`"),
        "{}",
        findings[0]
    );

    // A service account is in its token's groups.
    let account = json!([{"kind": "ServiceAccount",
        "serviceAccount": {"namespace": "a", "name": "b"}}]);
    let behind = json!({"matchingPrecedence": 9500});
    let findings = schema_findings(&[schema("late", account, pods(), behind)]);
    assert_eq!(
        found(&findings),
        [("unreachable-schema", "spec.matchingPrecedence")]
    );

    // Two schemas together cover a third one.
    let verbs = |verbs: Value| {
        json!({"resourceRules": [
            {"verbs": verbs, "apiGroups": [""], "resources": ["pods"], "namespaces": ["*"]}]})
    };
    let at = |precedence: i32| json!({"matchingPrecedence": precedence});
    let first = schema("first", group("g"), verbs(json!(["get"])), at(1000));
    let second = schema("second", group("g"), verbs(json!(["create"])), at(1001));
    let third = |wanted: Value| schema("third", group("g"), verbs(wanted), at(1002));
    let both = [
        first.clone(),
        second.clone(),
        third(json!(["get", "create"])),
    ];
    assert_eq!(
        found(&schema_findings(&both)),
        [("unreachable-schema", "spec.matchingPrecedence")]
    );
    let more = [first, second, third(json!(["get", "create", "patch"]))];
    assert_eq!(schema_findings(&more), []);
}

#[test]
fn overlapping_schemas_of_one_precedence_are_found() {
    let a = schema("a", user("u"), pods(), json!({}));
    let b = schema("b", group("g"), pods(), json!({}));
    assert_eq!(
        found(&schema_findings(&[a.clone(), b])),
        [("equal-precedence", "spec.matchingPrecedence")]
    );
    let c = schema("c", user("v"), pods(), json!({}));
    assert_eq!(schema_findings(&[a, c]), []);
}

#[test]
fn misleading_entries_are_found() {
    let findings = schema_findings(&[schema(
        "s",
        user("u"),
        json!({
        "resourceRules": [{"verbs": ["list"], "apiGroups": ["", "core", "v1", "apps/v1", "*.io"],
            "resources": ["pods", "pods/*", "Pods"], "namespaces": ["*"]}],
        "nonResourceRules": [{"verbs": ["get", "list"],
            "nonResourceURLs": ["/", "/healthz/*", "/logs", "/logs/*"]}]}),
        json!({}),
    )]);
    assert_eq!(
        found(&findings),
        [
            (
                "root-url",
                "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"
            ),
            (
                "non-resource-verb",
                "spec.rules[0].nonResourceRules[0].verbs[1]"
            ),
            (
                "api-group-spelling",
                "spec.rules[0].resourceRules[0].apiGroups[1]"
            ),
            (
                "api-group-spelling",
                "spec.rules[0].resourceRules[0].apiGroups[2]"
            ),
            (
                "api-group-spelling",
                "spec.rules[0].resourceRules[0].apiGroups[3]"
            ),
            (
                "api-group-spelling",
                "spec.rules[0].resourceRules[0].apiGroups[4]"
            ),
            (
                "pattern-resource",
                "spec.rules[0].resourceRules[0].resources[1]"
            ),
            (
                "pattern-resource",
                "spec.rules[0].resourceRules[0].resources[2]"
            ),
            (
                "cluster-scope-missing",
                "spec.rules[0].resourceRules[0].clusterScope"
            ),
        ]
    );
    let only_below = urls(json!(["get"]), json!(["/logs/*"]));
    let findings = schema_findings(&[schema("s", user("u"), only_below, json!({}))]);
    assert_eq!(
        found(&findings),
        [(
            "wildcard-misses-parent",
            "spec.rules[0].nonResourceRules[0].nonResourceURLs[0]"
        )]
    );
    let findings = schema_findings(&[schema(
        "s",
        user("system:serviceaccount:a:*"),
        pods(),
        json!({}),
    )]);
    assert_eq!(
        found(&findings),
        [("pattern-subject", "spec.rules[0].subjects[0].user.name")]
    );
    let findings = schema_findings(&[schema("s", user("u"), pods(), json!({"rules": []}))]);
    assert_eq!(found(&findings), [("no-rules", "spec.rules")]);
}

#[test]
fn early_catch_alls_are_found() {
    let greedy = schema(
        "greedy",
        group("system:authenticated"),
        everything(),
        json!({}),
    );
    let findings = schema_findings(&[greedy]);
    assert_eq!(
        found(&findings),
        [("takes-system-traffic", "spec.matchingPrecedence")]
    );
    assert!(findings[0].message.contains("webhooks"), "{}", findings[0]);
    // The help can be followed: neither bound of the range is the precedence of a built-in schema.
    assert!(findings[0].help.contains(" from 9001 to 9899,"));
    let at = |precedence| {
        let precedence = json!({"matchingPrecedence": precedence});
        let users = group("system:authenticated");
        let findings = schema_findings(&[schema("greedy", users, everything(), precedence)]);
        findings
            .iter()
            .map(|finding| finding.rule)
            .collect::<Vec<_>>()
    };
    assert_eq!(at(9000), ["equal-precedence", "takes-system-traffic"]);
    assert_eq!((at(9001), at(9899)), (vec![], vec![]));
    let free =
        json!({"priorityLevelConfiguration": {"name": "exempt"}, "distinguisherMethod": null});
    let findings = schema_findings(&[schema("free", user("*"), everything(), free)]);
    assert_eq!(found(&findings), [("exempts-everybody", "spec.rules[0]")]);
    let one_flow = json!({"distinguisherMethod": null, "matchingPrecedence": 9800});
    let findings = schema_findings(&[schema("one", user("*"), pods(), one_flow)]);
    assert_eq!(found(&findings), [("one-flow", "spec.distinguisherMethod")]);
    let exempt = json!({"priorityLevelConfiguration": {"name": "exempt"}});
    let findings = schema_findings(&[schema("idle", user("u"), pods(), exempt)]);
    assert_eq!(
        found(&findings),
        [("idle-distinguisher", "spec.distinguisherMethod")]
    );
}

#[test]
fn edits_that_the_server_reverts_are_found() {
    let annotated = |mut schema: FlowSchema, value: &str| {
        schema
            .metadata
            .annotations
            .insert("apf.kubernetes.io/autoupdate-spec".into(), value.into());
        schema
    };
    let copy = annotated(schema("copy", user("u"), pods(), json!({})), "true");
    let findings = schema_findings(&[copy]);
    let path = "metadata.annotations[apf.kubernetes.io/autoupdate-spec]";
    assert_eq!(found(&findings), [("auto-update-annotation", path)]);

    let edited = || schema("service-accounts", user("u"), pods(), json!({}));
    let findings = schema_findings(&[annotated(edited(), "T")]);
    assert_eq!(found(&findings), [("reverted-edit", "spec")]);
    assert_eq!(
        found(&schema_findings(&[edited()])),
        [("reverted-edit", "spec")]
    );
    assert_eq!(schema_findings(&[annotated(edited(), "false")]), []);
}

#[test]
fn rules_have_sorted_ids_and_summaries() {
    let ids: Vec<_> = rules().iter().map(|rule| rule.id()).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(ids, sorted);
    assert!(rules().iter().all(|rule| rule.summary().ends_with('.')));
}

/// An exempt level for every resource of one API group, such as token reviews, is not one for most requests.
#[test]
fn only_wide_rules_exempt_everybody() {
    let free =
        json!({"priorityLevelConfiguration": {"name": "exempt"}, "distinguisherMethod": null});
    let mut rules = everything();
    rules["resourceRules"][0]["apiGroups"] = json!(["authentication.k8s.io"]);
    rules["nonResourceRules"] = json!([]);
    let reviews = schema("reviews", user("*"), rules.clone(), free.clone());
    assert_eq!(schema_findings(&[reviews]), []);
    rules["resourceRules"][0]["apiGroups"] = json!(["*"]);
    let all = schema_findings(&[schema("all", user("*"), rules.clone(), free.clone())]);
    // Nodes, and lists of all namespaces.
    rules["resourceRules"][0]["namespaces"] = json!([]);
    let across = schema_findings(&[schema("across", user("*"), rules, free)]);
    assert_eq!(found(&across)[0].0, "exempts-everybody");
    assert!(
        all[0]
            .message
            .ends_with("requests of many users for all resources"),
        "{}",
        all[0]
    );
}
