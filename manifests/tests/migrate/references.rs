//! References in documents of other kinds: kustomize, GitOps, policies, webhooks.

use super::{V1, clean, findings, run, to};
use k8s_flowcontrol_manifests::{Metrics, Rule, Settings, mentions, removed_metrics};
use k8s_flowcontrol_types::ApiVersion;

const OLD: &str = "flowcontrol.apiserver.k8s.io/v1beta2";
const NEW: &str = "flowcontrol.apiserver.k8s.io/v1";

#[test]
fn json_patches_of_the_version_follow() {
    let text = format!(
        "- op: replace\n  path: /apiVersion\n  value: {OLD} # old\n- {{op: test, path: /kind, value: {OLD}}}\n"
    );
    let outcome = run(&text, V1);
    // A value of another field has an unknown purpose.
    assert_eq!(findings(&outcome, &text), [(Rule::Mention, 4)]);
    assert_eq!(outcome.text, Some(text.replacen(OLD, NEW, 1)));
}

#[test]
fn patches_of_flux_and_argo_cd_follow() {
    let patch = |indent: &str| {
        let lines = [
            "- op: add",
            "  path: /spec/limited/assuredConcurrencyShares",
            "  value: 5",
        ];
        lines.map(|line| format!("{indent}{line}\n")).concat()
    };
    for (head, indent) in [
        (
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n  patches:\n  - patch: |\n",
            "      ",
        ),
        (
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  postRenderers:\n  - kustomize:\n      patches:\n      - patch: |\n",
            "          ",
        ),
        (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    kustomize:\n      patches:\n      - patch: |\n",
            "          ",
        ),
        (
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n- patch: |\n",
            "    ",
        ),
    ] {
        let text = format!("{head}{}", patch(indent));
        assert_eq!(
            clean(&text, V1),
            text.replace("assured", "nominal"),
            "{text}"
        );
    }
}

#[test]
fn replacements_follow() {
    let text = |source: &str, version: &str, shares: &str| {
        format!(
            "kind: Kustomization\nreplacements:\n- source:\n    kind: PriorityLevelConfiguration\n    fieldPath: {source}\n  targets:\n  - select: {{kind: PriorityLevelConfiguration, version: {version}}}\n    fieldPaths: [{shares}, spec.type]\n"
        )
    };
    let (old, new) = (
        "spec.limited.assuredConcurrencyShares",
        "spec.limited.nominalConcurrencyShares",
    );
    assert_eq!(clean(&text(old, "v1beta2", old), V1), text(new, "v1", new));
    // The copied value is not a part of an object of the group.
    let from_data = text("data.shares", "v1beta2", old);
    let outcome = run(&from_data, V1);
    assert_eq!(findings(&outcome, &from_data), [(Rule::Patch, 8)]);
    assert_eq!(outcome.text, Some(text("data.shares", "v1", new)));
    assert_eq!(
        clean(&from_data, to(ApiVersion::V1Beta3)),
        text("data.shares", "v1beta3", new)
    );
    // A replacement in its own file.
    let alone = format!("source: {{fieldPath: {old}}}\ntargets:\n- fieldPaths: [{old}]\n");
    assert_eq!(clean(&alone, V1), alone.replace(old, new));
    assert_eq!(
        clean(&format!("- {}", alone.replace('\n', "\n  ").trim_end()), V1),
        format!("- {}", alone.replace('\n', "\n  ").trim_end()).replace(old, new)
    );
}

#[test]
fn variables_and_field_specs_of_kustomize_follow() {
    let text = "\
kind: Kustomization
vars:
- name: SHARES
  objref: {kind: PriorityLevelConfiguration, name: a, apiVersion: flowcontrol.apiserver.k8s.io/v1beta2}
  fieldref: {fieldpath: spec.limited.assuredConcurrencyShares}
nameReference:
- kind: PriorityLevelConfiguration
  version: v1beta2
  fieldSpecs:
  - {kind: FlowSchema, version: v1beta2, path: spec/priorityLevelConfiguration/name}
varReference:
  fieldSpecs:
  - {kind: PriorityLevelConfiguration, path: spec/limited/assuredConcurrencyShares}
";
    let expected = text.replace("v1beta2", "v1").replace("assured", "nominal");
    assert_eq!(clean(text, V1), expected);
}

#[test]
fn webhook_rules_that_miss_the_version_are_listed() {
    let text = |webhook: &str, versions: &str| {
        format!(
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nwebhooks:\n- name: a{webhook}\n  rules:\n  - apiGroups: [flowcontrol.apiserver.k8s.io]\n    apiVersions: {versions}\n"
        )
    };
    let message = |text: &str| {
        let outcome = run(text, V1);
        let [finding] = outcome.findings.as_slice() else {
            panic!("one finding in {text}: {:?}", outcome.findings)
        };
        assert_eq!(finding.help.clone(), Some("add v1 to apiVersions".into()));
        finding.message.clone()
    };
    let equivalent = "with matchPolicy: Equivalent it selects requests in v1 only while the cluster serves v1beta2, v1beta3";
    let exact = "with matchPolicy: Exact it misses requests in v1";
    let named = "[v1beta2, v1beta3]";
    for (webhook, expected) in [
        ("", equivalent),
        ("\n  matchPolicy: Equivalent", equivalent),
        ("\n  matchPolicy: Exact", exact),
    ] {
        let found = message(&text(webhook, named));
        assert!(found.ends_with(expected), "{found}");
    }
    // The first version of webhooks had another default.
    let old = text("", named).replace("k8s.io/v1\n", "k8s.io/v1beta1\n");
    assert!(message(&old).ends_with(exact));
    let policy = format!(
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nspec:\n  matchConstraints:\n    matchPolicy: Exact\n    resourceRules:\n    - apiGroups: [flowcontrol.apiserver.k8s.io]\n      apiVersions: {named}\n"
    );
    assert!(message(&policy).ends_with(exact));
    for versions in ["[v1beta3, v1]", "['*']"] {
        let text = text("", versions);
        assert_eq!(findings(&run(&text, V1), &text), [], "{text}");
    }
}

#[test]
fn a_storage_version_migration_is_created_again() {
    let text = "apiVersion: storagemigration.k8s.io/v1alpha1\nkind: StorageVersionMigration\nspec:\n  resource: {group: flowcontrol.apiserver.k8s.io, version: v1beta2, resource: flowschemas}\n";
    let outcome = run(text, V1);
    assert_eq!(findings(&outcome, text), [(Rule::Patch, 4)]);
    let help = outcome.findings[0].help.as_ref().map(ToString::to_string);
    let help = help.as_deref();
    assert_eq!(help, Some("create the migration again for v1"));
}

#[test]
fn advice_depends_on_the_kind_of_document() {
    for (head, help) in [
        (
            "apiVersion: kyverno.io/v1\nkind: ClusterPolicy",
            "let the policy match v1 too",
        ),
        (
            "apiVersion: templates.gatekeeper.sh/v1\nkind: ConstraintTemplate",
            "let the policy match v1 too",
        ),
        (
            "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy",
            "let the policy match v1 too",
        ),
        (
            "apiVersion: v1\nkind: Pod",
            "remove the version from --runtime-config",
        ),
        (
            "apiVersion: migration.k8s.io/v1alpha1\nkind: StorageVersionMigration",
            "create the migration again for v1",
        ),
        ("kind: Values", "change it by hand"),
    ] {
        for value in [
            OLD.to_owned(),
            format!("|\n  if x == \"{OLD}\" {{}}\n  end"),
        ] {
            let text = format!("{head}\nx: {value}\n");
            let outcome = run(&text, V1);
            let [finding] = outcome.findings.as_slice() else {
                panic!("one finding: {:?}", outcome.findings)
            };
            let found = &finding.help.as_ref().unwrap().to_string();
            let is_text = head == "kind: Values" && value.starts_with('|');
            assert!(found.starts_with(help) || is_text, "{text}: {found}");
        }
    }
}

#[test]
fn removed_metrics_are_listed_or_renamed() {
    let (limit, used) = (
        "apiserver_flowcontrol_request_concurrency_limit",
        "apiserver_flowcontrol_request_concurrency_in_use",
    );
    let text = format!(
        "kind: PrometheusRule\nspec:\n- record: level:{limit}:sum\n- expr: sum({used}{{a=\"b\"}}) / sum({limit})\n- {limit}: 1\n- keep: {limit} # flowcontrol: keep\n---\napiVersion: {OLD}\nkind: FlowSchema\nmetadata: {{name: a}}\n"
    );
    let with = |metrics| run(&text, Settings { metrics, ..V1 });
    let ignored = with(Metrics::Ignore);
    assert_eq!(findings(&ignored, &text), []);
    assert_eq!(ignored.text, Some(text.replace(OLD, NEW)));
    let listed = with(Metrics::List);
    let lines: Vec<_> = findings(&listed, &text)
        .into_iter()
        .map(|found| found.1)
        .collect();
    assert_eq!(lines, [3, 4, 4, 5]);
    let renamed = with(Metrics::Rename);
    assert_eq!(findings(&renamed, &text), [(Rule::Metric, 3)]);
    let expected = text
        .replace(OLD, NEW)
        .replace(
            &format!("sum({used}"),
            "sum(apiserver_flowcontrol_current_executing_seats",
        )
        .replace(
            &format!("sum({limit}"),
            "sum(apiserver_flowcontrol_nominal_limit_seats",
        )
        .replace(
            &format!("- {limit}:"),
            "- apiserver_flowcontrol_nominal_limit_seats:",
        );
    assert_eq!(renamed.text, Some(expected));
    assert_eq!(removed_metrics(&text, Metrics::List).len(), 5);
}

#[test]
fn regular_expressions_that_match_a_removed_metric_are_listed() {
    for (text, count) in [
        (
            "{__name__=~\"apiserver_flowcontrol_request_concurrency_.*\"}",
            1,
        ),
        (
            "{__name__=~\"apiserver_flowcontrol_request_concurrency_(limit|in_use)\"}",
            1,
        ),
        (
            "regex: apiserver_flowcontrol_(request_concurrency_limit|rejected_requests_total)",
            1,
        ),
        (
            "regex: apiserver_flowcontrol_(x|request_concurrency_limit|request_concurrency_in_use)",
            2,
        ),
        (
            "regex: ^apiserver_flowcontrol_request_concurrency_limit$",
            1,
        ),
        ("a_request_concurrency_limit", 0),
        ("limit: (request_concurrency_limit)", 0),
        ("{__name__=~\"apiserver_flowcontrol_request_wait_.*\"}", 0),
    ] {
        let text = format!("- expr: '{text}'\n");
        let listed = run(
            &text,
            Settings {
                metrics: Metrics::List,
                ..V1
            },
        );
        assert_eq!(listed.findings.len(), count, "{text}: {listed:?}");
        let renamed = run(
            &text,
            Settings {
                metrics: Metrics::Rename,
                ..V1
            },
        );
        let is_plain = text.contains("limit$");
        assert_eq!(renamed.text.is_some(), is_plain, "{text}");
        assert_eq!(renamed.findings.len(), count - usize::from(is_plain));
    }
}

#[test]
fn every_form_of_a_mention() {
    let text = "a: flowcontrol.apiserver.k8s.io/v1beta2 # assuredConcurrencyShares\n\
            b: \"flowcontrol.apiserver.k8s.io\\/v1beta1\"\n\
            c: flowschemas.v1beta3.flowcontrol.apiserver.k8s.io\n\
            d: flowcontrol.apiserver.k8s.io/v1\n\
            e: flowcontrol.apiserver.k8s.io\n\
            f: notassuredConcurrencyShares\n\
            h: flowcontrol.apiserver.k8s.io/FlowSchema@v1beta3\n\
            g: flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares\n";
    let found = mentions(text, ApiVersion::V1);
    let words: Vec<_> = found.iter().map(|m| &text[m.span.range()]).collect();
    let expected = [
        "v1beta2",
        "assuredConcurrencyShares",
        "v1beta1",
        "v1beta3",
        "v1beta3",
        "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares",
    ];
    assert_eq!(words, expected);
    let down = mentions(text, ApiVersion::V1Beta3);
    assert_eq!(down.len(), 4, "{down:?}");
}
