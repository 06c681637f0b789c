//! Templates that choose between two versions in one action, and objects with two chains of branches.

use super::{V1, findings, run};
use k8s_flowcontrol_manifests::Rule;

const REST: &str = "metadata:\n  name: a\nspec:\n  priorityLevelConfiguration:\n    name: b\n";

/// One action with both versions is a choice, in all syntaxes alike.
#[test]
fn a_choice_between_two_versions_is_a_chain() {
    let group = "flowcontrol.apiserver.k8s.io";
    let object = |version: &str| format!("apiVersion: {version}\nkind: FlowSchema\n{REST}");
    for version in [
        format!(
            "{group}/{{{{ and (eq .Capabilities.KubeVersion.Major \"1\") (eq .Capabilities.KubeVersion.Minor \"28\") | ternary \"v1beta3\" \"v1\" }}}}"
        ),
        format!(
            "{group}/{{{{ ternary \"v1\" \"v1beta3\" (.Capabilities.APIVersions.Has \"{group}/v1\") }}}}"
        ),
        format!(
            "{{{{ (k8s_version is version('1.29', '>=')) | ternary('{group}/v1', '{group}/v1beta3') }}}}"
        ),
        format!("{{{{ '{group}/v1' if k8s_version >= '1.29' else '{group}/v1beta3' }}}}"),
        format!("<%= @k8s_version >= '1.29' ? '{group}/v1' : '{group}/v1beta3' %>"),
        format!("#@ \"{group}/v1\" if k8s_version >= '1.29' else \"{group}/v1beta3\""),
    ] {
        let text = object(&version);
        let outcome = run(&text, V1);
        assert_eq!(
            (outcome.text.as_deref(), findings(&outcome, &text)),
            (None, vec![]),
            "{text}"
        );
        let notes: Vec<_> = outcome
            .findings
            .iter()
            .map(|found| &found.message)
            .collect();
        assert!(
            notes.iter().any(|note| note.starts_with("this template selects v1 where the cluster serves it; other clusters get v1beta3 in line 1")),
            "{text}: {notes:?}"
        );
    }
    // Clusters with v1 get v1beta3, and those from 1.32 on do not serve it.
    let text = object(&format!(
        "{group}/{{{{ ternary \"v1beta3\" \"v1beta2\" (semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version) }}}}"
    ));
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 1)]);
    let finding = &outcome.findings[0];
    assert!(finding.message.contains("v1beta3 in line 1 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line 1"), "{finding:?}");
    let help = finding.help.as_ref().unwrap().to_string();
    assert!(help.contains(">=1.29-0"), "{help}");
    // 1.26 to 1.28 would get v1 too early.
    let text = object(&format!(
        "{group}/{{{{ ternary \"v1\" \"v1beta2\" (semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version) }}}}"
    ));
    let outcome = run(&text, V1);
    assert!(
        outcome.findings[0]
            .message
            .ends_with("; Kubernetes 1.26 to 1.28 gets v1 and does not serve it"),
        "{:?}",
        outcome.findings
    );
}

/// An object whose version and whose field are selected by separate conditions.
fn two_chains(versions: [&str; 2], fields: &str) -> String {
    let group = "apiVersion: flowcontrol.apiserver.k8s.io";
    let [first, second] = versions
        .map(|condition| format!("semverCompare \"{condition}\" .Values.global.kubernetesVersion"));
    format!(
        "{{{{- if {first} }}}}\n{group}/v1\n{{{{- else if {second} }}}}\n{group}/v1beta3\n{{{{- else }}}}\n{group}/v1beta2\n{{{{- end }}}}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: a\nspec:\n  type: Limited\n  limited:\n{{{{- if {fields} }}}}\n    nominalConcurrencyShares: 5\n{{{{- else }}}}\n    assuredConcurrencyShares: 5\n{{{{- end }}}}\n"
    )
}

#[test]
fn two_chains_of_an_object_agree_or_have_one_finding_about_both() {
    let since =
        |release: &str| format!("semverCompare \">= {release}\" .Values.global.kubernetesVersion");
    // The newest clusters get what they serve, and each other cluster the field of its version.
    for (versions, fields) in [
        ([">= 1.29", ">= 1.26"], since("1.26")),
        (["> 1.29", "> 1.26"], since("1.27")),
        ([">= 1.29", ">= 1.26"], "ge $semver.Minor \"26\"".to_owned()),
    ] {
        let text = two_chains(versions, &fields);
        let outcome = run(&text, V1);
        assert_eq!(
            findings(&outcome, &text),
            [],
            "{text}: {:?}",
            outcome.findings
        );
        let last = outcome.findings.last().unwrap();
        assert_eq!(
            last.message,
            "the branches of this template have the field of each version that the branches from line 1 on select"
        );
    }
    // 1.26 gets v1beta2, and the field of v1beta3.
    let text = two_chains(["> 1.29", "> 1.26"], &since("1.26"));
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 14)]);
    let finding = outcome.findings.last().unwrap();
    assert_eq!(
        finding.message,
        "these branches do not agree with those from line 1 on: Kubernetes 1.26 gets v1beta2 with nominalConcurrencyShares (line 15), which v1beta2 does not have"
    );
    let help = finding.help.as_ref().unwrap().to_string();
    assert_eq!(
        help,
        "select the version and the field by the same condition"
    );
    // The newest clusters get v1, and the old field.
    let text = two_chains(
        [">= 1.29", ">= 1.26"],
        "semverCompare \"< 1.32\" .Values.global.kubernetesVersion",
    );
    let outcome = run(&text, V1);
    let finding = outcome.findings.last().unwrap();
    for part in [
        "Kubernetes up to 1.25 gets v1beta2 with nominalConcurrencyShares (line 15), which v1beta2 does not have",
        "Kubernetes from 1.32 on gets v1 with assuredConcurrencyShares (line 17), which v1 does not have",
    ] {
        assert!(finding.message.contains(part), "{finding:?}");
    }
    // Conditions that depend on more are as they were.
    let text = two_chains([">= 1.29", ">= 1.26"], ".Values.legacy");
    assert_eq!(
        findings(&run(&text, V1), &text),
        [(Rule::CapabilityCheck, 14)]
    );
    // Another document has a separate version.
    let text = two_chains(["> 1.29", "> 1.26"], &since("1.26")).replacen(
        "kind:",
        "kind: FlowSchema\n---\nkind:",
        1,
    );
    let outcome = run(&text, V1);
    assert!(
        outcome
            .findings
            .iter()
            .all(|found| !found.message.contains("do not agree")),
        "{:?}",
        outcome.findings
    );
}

#[test]
fn a_field_that_all_clusters_with_the_version_get_needs_nothing() {
    let text = |condition: &str| {
        format!(
            "apiVersion: {{{{ include \"x\" . }}}}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: a\nspec:\n  type: Limited\n  limited:\n    {{{{- if {condition} }}}}\n    nominalConcurrencyShares: 5\n    {{{{- else }}}}\n    assuredConcurrencyShares: 5\n    {{{{- end }}}}\n"
        )
    };
    let text = text("semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version");
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::Template, 1)]);
    assert_eq!(
        outcome.findings.last().unwrap().message,
        "clusters that serve v1 get nominalConcurrencyShares from this template"
    );
}
