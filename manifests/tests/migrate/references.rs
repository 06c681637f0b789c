//! References in documents of other kinds: kustomize, GitOps, policies, webhooks.

use super::{V1, clean, findings, run, to};
use k8s_flowcontrol_manifests::{Metrics, Rule, Settings, removed_metrics};
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
fn replacements_follow_where_zero_means_the_same() {
    let text = "kind: Kustomization\nreplacements:\n- source:\n    kind: PriorityLevelConfiguration\n    fieldPath: spec.limited.assuredConcurrencyShares\n  targets:\n  - select: {kind: PriorityLevelConfiguration, version: v1beta2}\n    fieldPaths: [spec.limited.assuredConcurrencyShares, spec.type]\n";
    let outcome = run(text, V1);
    assert_eq!(
        findings(&outcome, text),
        [(Rule::Patch, 5), (Rule::Patch, 8)]
    );
    assert_eq!(outcome.text, Some(text.replace("v1beta2", "v1")));
    assert_eq!(
        clean(text, to(ApiVersion::V1Beta3)),
        text.replace("v1beta2", "v1beta3")
            .replace("assured", "nominal")
    );
}

#[test]
fn webhook_rules_that_miss_the_version_are_listed() {
    let rule = |versions: &str| {
        format!(
            "kind: ValidatingWebhookConfiguration\nwebhooks:\n- rules:\n  - apiGroups: [flowcontrol.apiserver.k8s.io]\n    apiVersions: {versions}\n"
        )
    };
    let text = rule("[v1beta2, v1beta3]");
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::Patch, 5)]);
    assert!(
        outcome.findings[0]
            .message
            .contains("in v1beta2, v1beta3, and not in v1;")
    );
    for versions in ["[v1beta3, v1]", "['*']"] {
        let text = rule(versions);
        assert_eq!(findings(&run(&text, V1), &text), [], "{text}");
    }
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
            let found = finding.help.as_deref().unwrap();
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
    assert_eq!(removed_metrics(&text).len(), 5);
}
