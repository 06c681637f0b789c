//! The releases for which the branches of a template run, and the branch to add.

use super::{V1, run};
use k8s_flowcontrol_manifests::{Finding, Rule};

const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const REST: &str =
    "kind: FlowSchema\nmetadata:\n  name: a\nspec:\n  priorityLevelConfiguration:\n    name: b\n";

/// The finding about branches with old versions: the lines 2, 4 and so on. An empty condition is `else`.
fn finding(conditions: &[&str]) -> Option<Finding> {
    let mut text = String::new();
    for (index, condition) in conditions.iter().enumerate() {
        let start = match (index, *condition) {
            (0, condition) => format!("if {condition}"),
            (_, "") => "else".to_owned(),
            (_, condition) => format!("else if {condition}"),
        };
        let version = ["v1beta3", "v1beta2", "v1beta1"][index % 3];
        text += &format!("{{{{- {start} }}}}\napiVersion: {GROUP}/{version}\n");
    }
    text += "{{- end }}\n";
    let outcome = run(&(text + REST), V1);
    let mut found = outcome.findings.into_iter();
    found.find(|found| found.rule == Rule::CapabilityCheck)
}

/// The releases of each branch; none if they depend on more.
fn releases(conditions: &[&str]) -> Option<Vec<String>> {
    let message = finding(conditions)?.message;
    let of = |index: usize| {
        let (_, after) = message.split_once(&format!(" in line {} (", 2 * index + 2))?;
        let end = after.find([')', ';'])?;
        let releases = after[..end].trim_start_matches("Kubernetes ");
        Some(releases.trim_end_matches(", not served there").to_owned())
    };
    (0..conditions.len()).map(of).collect()
}

#[test]
fn the_releases_of_each_branch() {
    let has = |version: &str| format!(".Capabilities.APIVersions.Has \"{GROUP}/{version}\"");
    let minor = [
        "and (eq .Capabilities.KubeVersion.Major \"1\") (eq .Capabilities.KubeVersion.Minor \"28\")",
        "ge $kubernetesSemVer.Minor \"26\"",
        "lt (int .Capabilities.KubeVersion.Minor) 26",
        "ne (.Capabilities.KubeVersion.Minor | int) 25",
    ];
    for (conditions, expected) in [
        (
            vec![has("v1beta3"), String::new()],
            vec!["1.26 to 1.31", "up to 1.25 and from 1.32 on"],
        ),
        (
            vec![has("v1"), has("v1beta3/FlowSchema"), String::new()],
            vec!["from 1.29 on", "1.26 to 1.28", "up to 1.25"],
        ),
        (
            vec![format!("not ({})", has("v1")), String::new()],
            vec!["up to 1.28", "from 1.29 on"],
        ),
        (
            vec![
                format!("and ({}) ({})", has("v1"), has("v1beta3")),
                String::new(),
            ],
            vec!["1.29 to 1.31", "up to 1.28 and from 1.32 on"],
        ),
        (
            vec![
                "semverCompare \">=1.26-0\" .Capabilities.KubeVersion.GitVersion".to_owned(),
                String::new(),
            ],
            vec!["from 1.26 on", "up to 1.25"],
        ),
        (
            vec![
                "semverCompare \">=1.26.0-0, <1.29-0\" .Capabilities.KubeVersion.Version"
                    .to_owned(),
                String::new(),
            ],
            vec!["1.26 to 1.28", "up to 1.25 and from 1.29 on"],
        ),
        (
            vec![
                "kubernetes_version is version('1.29', '>=')".to_owned(),
                String::new(),
            ],
            vec!["from 1.29 on", "up to 1.28"],
        ),
        (
            vec![
                "semverCompare \"> 1.29\" .Values.global.discovery.kubernetesVersion".to_owned(),
                "semverCompare \"> 1.26\" $.Values.kubeVersion".to_owned(),
                String::new(),
            ],
            vec!["from 1.30 on", "1.27 to 1.29", "up to 1.26"],
        ),
        (
            vec![
                "k8s_version >= '1.27' and k8s_version < '1.30'".to_owned(),
                String::new(),
            ],
            vec!["1.27 to 1.29", "up to 1.26 and from 1.30 on"],
        ),
        (
            vec![format!("'{GROUP}/v1beta2' in api_versions"), String::new()],
            vec!["up to 1.28", "from 1.29 on"],
        ),
        (
            minor.map(str::to_owned).to_vec(),
            vec![
                "1.28",
                "1.26 to 1.27 and from 1.29 on",
                "up to 1.25",
                "no known release",
            ],
        ),
    ] {
        let conditions: Vec<_> = conditions.iter().map(String::as_str).collect();
        let expected: Vec<_> = expected.into_iter().map(str::to_owned).collect();
        assert_eq!(releases(&conditions), Some(expected), "{conditions:?}");
    }
    for condition in [
        ".Values.enabled",
        "semverCompare \">=1.26-0\" .Values.version",
        "and .Values.enabled (semverCompare \">=1.26-0\" .Values.kubeVersion)",
        "semverCompare \">=1.26.3\" .Capabilities.KubeVersion.Version",
        "semverCompare \"<1.20 || >1.25\" .Capabilities.KubeVersion.Version",
        "and .Values.enabled (.Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\")",
        "not ",
        "((((((((((((((",
        "and ü",
        "ge .Minor \"x\"",
        "ge .Values.minor 26",
        "max .Minor 26",
    ] {
        assert_eq!(releases(&[condition, ""]), None, "{condition}");
    }
}

/// The advice has the words of the conditions.
#[test]
fn the_condition_of_the_branch_to_add() {
    for (condition, expected) in [
        (
            ".Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1beta2/FlowSchema\"",
            Some(".Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1/FlowSchema\""),
        ),
        (
            "semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version",
            Some("semverCompare \">=1.29-0\" .Capabilities.KubeVersion.Version"),
        ),
        (
            "k8s_version is version('1.23', '>=')",
            Some("k8s_version is version('1.29', '>=')"),
        ),
        (
            "semverCompare \"<1.26-0\" .Capabilities.KubeVersion.Version",
            Some("semverCompare \">=1.29-0\" .Capabilities.KubeVersion.Version"),
        ),
        (
            "k8s_version is version('1.26', '<')",
            Some("k8s_version is version('1.29', '>=')"),
        ),
        (
            "not (semverCompare \"< v1.26.0\" $.Values.kubeVersion)",
            Some("semverCompare \">= v1.29.0\" $.Values.kubeVersion"),
        ),
        (
            "not (.Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1beta2\")",
            Some(".Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\""),
        ),
        (
            "lt (int .Capabilities.KubeVersion.Minor) 26",
            Some("ge (int .Capabilities.KubeVersion.Minor) 29"),
        ),
        (
            "eq .Capabilities.KubeVersion.Minor \"28\"",
            Some("ge .Capabilities.KubeVersion.Minor \"29\""),
        ),
        ("eq .Capabilities.KubeVersion.Major \"1\"", None),
        (
            "semverCompare \">=1.26-0, <1.29-0\" .Capabilities.KubeVersion.Version",
            None,
        ),
        ("not ", None),
        ("nothing", None),
        (".Values.legacy", None),
    ] {
        let help = finding(&[condition, ""]).and_then(|found| found.help);
        let help = help.map(|help| help.to_string()).unwrap_or_default();
        // Helm knows what the cluster serves.
        let of_helm = format!(".Capabilities.APIVersions.Has \"{GROUP}/v1\"");
        let is_of_helm = condition.contains(".Capabilities") || condition.contains(".Values");
        let expected = expected.or(is_of_helm.then_some(of_helm.as_str()));
        let with = expected.map(|expected| format!(", with the condition {expected}"));
        let whole = format!(
            "add a first branch for v1{}, and keep the others while clusters need them",
            with.unwrap_or_default()
        );
        assert_eq!(help, whole, "{condition}");
    }
}

/// The end of a block within a branch does not end the branch.
#[test]
fn branches_have_blocks_in_them() {
    for [first, block, other, end] in [
        [
            "{{- if semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version }}",
            "{{ with .z }}{{ end }}{{ range .z }}{{ end }}{{ if .z }}{{ end }}",
            "{{- else }}",
            "{{- end }}",
        ],
        [
            "{%- if k8s_version >= '1.26' %}",
            "{% for z in w %}{% endfor %}{% if z %}{% endif %}{% macro b(x) %}{% endmacro %}",
            "{% else %}",
            "{% endif -%}",
        ],
        [
            "#@ if k8s_version >= '1.26':",
            "#@ for z in w:\n#@ end",
            "#@ else:",
            "#@ end",
        ],
        [
            "<% if @k8s_version >= '1.26' %>",
            "<% a.each do |b| %><% end %><% if z %><% end %>",
            "<% else %>",
            "<% end %>",
        ],
        [
            "#if($kubernetes_version >= '1.26')",
            "#foreach($z in $w)\n#end",
            "#else",
            "#end",
        ],
    ] {
        let text = format!(
            "{first}\napiVersion: {GROUP}/v1beta3\n{block}\n{other}\napiVersion: {GROUP}/v1beta2\n{block}\n{end}\n{REST}"
        );
        let outcome = run(&text, V1);
        let line = 5 + block.matches('\n').count();
        let expected = format!(
            "v1beta3 in line 2 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line {line} (Kubernetes up to 1.25)"
        );
        let messages: Vec<_> = outcome
            .findings
            .iter()
            .map(|found| &found.message)
            .collect();
        assert!(
            messages.iter().any(|message| message.ends_with(&expected)),
            "{first}: {messages:?}"
        );
    }
}
