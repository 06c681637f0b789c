//! Templates: versions that branches select, and versions that a template computes.

use super::{V1, findings, migrate, run, to};
use k8s_flowcontrol_manifests::{Form, Rule, Severity, mentions, named_template};
use k8s_flowcontrol_types::ApiVersion;

const REST: &str = "metadata:\n  name: a\nspec:\n  priorityLevelConfiguration:\n    name: b\n";

#[test]
fn a_chain_that_begins_with_the_version_is_current() {
    for condition in [
        ".Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\"",
        ".Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1/FlowSchema\"",
        "semverCompare \">=1.29-0\" .Capabilities.KubeVersion.Version",
        "semverCompare \">= v1.30\" .Values.kubeVersion",
    ] {
        let text = format!(
            "{{{{- if {condition} }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1\n{{{{- else if .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1beta3\" }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{{{- else }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n{{{{- end }}}}\nkind: FlowSchema\n{REST}"
        );
        let outcome = run(&text, V1);
        assert_eq!(outcome.text, None);
        let [finding] = outcome.findings.as_slice() else {
            panic!("one note: {:?}", outcome.findings)
        };
        assert_eq!(
            (finding.severity, finding.rule),
            (Severity::Note, Rule::CapabilityCheck)
        );
        let mut expected = "this template selects v1 where the cluster serves it; other clusters get v1beta3 in line 4 (Kubernetes 1.26 to 1.28), v1beta2 in line 6 (Kubernetes up to 1.25)".to_owned();
        if condition.contains("1.30") {
            // The value is the release of the cluster, and 1.29 gets v1beta3.
            expected = expected.replace("1.26 to 1.28", "1.26 to 1.29");
        }
        assert_eq!(finding.message, expected);
        // The same chain does not start with a branch for an older version.
        assert!(run(&text, to(ApiVersion::V1Beta1)).worst() == Some(Severity::Manual));
    }
}

#[test]
fn a_test_for_the_version_with_another_condition_is_not_enough() {
    let text = format!(
        "{{{{- if and .Values.stable (.Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\") }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1\n{{{{- else }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{{{- end }}}}\nkind: FlowSchema\n{REST}"
    );
    assert_eq!(
        findings(&run(&text, V1), &text),
        [(Rule::CapabilityCheck, 1)]
    );
}

#[test]
fn a_chain_without_the_version_names_every_branch() {
    let text = format!(
        "{{% if kube_version is version('1.26', '>=') %}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{% else %}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n{{% endif %}}\nkind: FlowSchema\n{REST}"
    );
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 1)]);
    let finding = &outcome.findings[0];
    assert!(
        finding
            .message
            .ends_with("v1beta3 in line 2 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line 4 (Kubernetes up to 1.25)"),
        "{}",
        finding.message
    );
    let help = &finding.help.as_ref().unwrap().to_string();
    assert_eq!(
        help,
        "add a first branch for v1, with the condition kube_version is version('1.29', '>='), and keep the others while clusters need them"
    );
    assert_eq!(outcome.text, None);
}

/// The condition of the branches does not tell, but Helm knows what the cluster serves.
#[test]
fn a_chain_of_helm_by_a_value_says_what_to_add() {
    let text = format!(
        "{{{{- if .Values.legacy }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n{{{{- else }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{{{- end }}}}\nkind: FlowSchema\n{REST}"
    );
    let help = run(&text, V1).findings[0]
        .help
        .as_ref()
        .unwrap()
        .to_string();
    assert_eq!(
        help,
        "add a first branch for v1, with the condition .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\", and keep the others while clusters need them"
    );
}

/// The directives of Velocity are comments of YAML, but the branches are not one object.
#[test]
fn branches_of_velocity_do_not_change() {
    let text = format!(
        "#if($kubernetes_version >= '1.26')\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n#else\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n#end\nkind: FlowSchema\n{REST}"
    );
    let outcome = run(&text, V1);
    assert_eq!(outcome.text, None);
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 1)]);
    let message = &outcome.findings[0].message;
    assert!(message.ends_with("v1beta3 in line 2 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line 4 (Kubernetes up to 1.25)"), "{message}");
    // A comment alone is not a directive.
    let plain = "#else\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\n"
        .to_owned()
        + REST;
    assert_eq!(run(&plain, V1).text, Some(plain.replace("v1beta3", "v1")));
}

#[test]
fn a_variable_without_braces_is_a_template() {
    let text =
        format!("apiVersion: flowcontrol.apiserver.k8s.io/$APF_VERSION\nkind: FlowSchema\n{REST}");
    let outcome = run(&text, V1);
    assert_eq!(outcome.worst(), Some(Severity::Manual));
    assert_eq!(findings(&outcome, &text), [(Rule::Template, 1)]);
}

/// Versions without the group, in branches behind it.
#[test]
fn branches_behind_the_group_name_their_releases() {
    let text = format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/{{{{ if semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version }}}}v1beta3{{{{ else }}}}v1beta2{{{{ end }}}}\nkind: FlowSchema\n{REST}"
    );
    let outcome = run(&text, V1);
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 1)]);
    let message = &outcome.findings[0].message;
    assert!(message.ends_with("v1beta3 in line 1 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line 1 (Kubernetes up to 1.25)"), "{message}");
}

#[test]
fn branches_of_the_shares_are_not_two_names_in_one_object() {
    let text = "apiVersion: {{ include \"x\" . }}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: a\nspec:\n  type: Limited\n  limited:\n    {{- if .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1beta3\" }}\n    nominalConcurrencyShares: 5\n    {{- else }}\n    assuredConcurrencyShares: 5\n    {{- end }}\n";
    let outcome = run(text, V1);
    assert_eq!(
        findings(&outcome, text),
        [(Rule::Template, 1), (Rule::CapabilityCheck, 8)]
    );
    assert_eq!(outcome.text, None);
}

#[test]
fn an_object_beside_a_chain_is_changed() {
    let chain = "{{- if .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1beta3\" }}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{- else }}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n{{- end }}\nkind: FlowSchema\n";
    let plain =
        format!("apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\n{REST}");
    let text = format!("{chain}{REST}---\n{plain}");
    let outcome = run(&text, V1);
    let expected = format!("{chain}{REST}---\n{}", plain.replace("v1beta3", "v1"));
    assert_eq!(outcome.text, Some(expected));
    assert_eq!(findings(&outcome, &text), [(Rule::CapabilityCheck, 1)]);
}

#[test]
fn computed_versions_are_listed() {
    let cases = [
        (
            "apiVersion: {{ template \"app.version\" . }}",
            Some("app.version"),
        ),
        (
            "apiVersion: {{ include \"app.version\" . | quote }}",
            Some("app.version"),
        ),
        ("apiVersion: \"{{ .Values.apiVersion }}\"", None),
        ("apiVersion: {{ flowcontrol_api_version }}", None),
        (
            "{{- include \"app.version\" (list $) }}",
            Some("app.version"),
        ),
    ];
    for (version, helper) in cases {
        let text = format!("---\n{version}\nkind: FlowSchema # ours\n{REST}");
        let outcome = run(&text, V1);
        assert_eq!(findings(&outcome, &text), [(Rule::Template, 2)], "{text}");
        let finding = &outcome.findings[0];
        assert_eq!(finding.computed_by.as_deref(), helper);
        let message = &finding.message;
        assert!(
            message.starts_with("the version of this FlowSchema is computed by"),
            "{message}"
        );
        // In a list, and in a template that does not read as YAML.
        let indented: String = text
            .lines()
            .skip(1)
            .map(|line| format!("  {line}\n"))
            .collect();
        let list = format!("items:\n{}", indented.replacen("  ", "- ", 1));
        let broken = format!("{text}a: {{{{ range . }}}}{{{{ . }}}}: [\n");
        for text in [list, broken] {
            let outcome = migrate(&text, Form::Template, V1);
            let mut found = outcome.findings.iter();
            assert!(
                found.any(|finding| finding.message == *message),
                "{text}: {:?}",
                outcome.findings
            );
        }
    }
}

#[test]
fn other_kinds_and_plain_versions_are_not_computed() {
    for text in [
        "apiVersion: {{ .v }}\nkind: FlowSchema\n",
        "apiVersion: {{ .v }}\nkind: Deployment\nmetadata: {name: a}\n",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n",
        "kind: FlowSchema\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  {{ .x }}: y\n  kind: FlowSchema\n",
    ] {
        let outcome = run(text, V1);
        assert_eq!(findings(&outcome, text), [], "{text}");
    }
}

#[test]
fn a_named_template_and_whether_it_is_current() {
    let current = "{{ define \"other\" }}flowcontrol.apiserver.k8s.io/v1beta1{{ end }}\n{{- define \"app.version\" -}}\n{{- if .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\" -}}\nflowcontrol.apiserver.k8s.io/v1\n{{- else -}}\nflowcontrol.apiserver.k8s.io/v1beta3\n{{- end -}}\n{{- end -}}\n";
    let found = |text: &str| named_template(text, "app.version", ApiVersion::V1);
    let offset = current.find("{{- define \"app").unwrap();
    let there = found(current).map(|found| (found.offset, found.is_current));
    assert_eq!(there, Some((offset, true)));
    let old = current.replace("Has \"flowcontrol.apiserver.k8s.io/v1\"", "Has \"x\"");
    assert!(found(&old).is_some_and(|found| !found.is_current && found.is_listed));
    let elsewhere = "{{ define \"app.version\" }}{{ include \"lib.version\" . }}{{ end }}";
    assert!(found(elsewhere).is_some_and(|found| !found.is_current && !found.is_listed));
    assert_eq!(found("{{ define \"app.versions\" }}{{ end }}"), None);
}

#[test]
fn a_text_that_is_one_value_has_no_field_path() {
    let text = "{{- define \"app.version\" -}}flowcontrol.apiserver.k8s.io/v1beta2{{- end -}}\n";
    let outcome = run(text, V1);
    assert_eq!(
        outcome.findings[0].to_string(),
        "manual[mention]: flowcontrol.apiserver.k8s.io/v1beta2 is mentioned for an unknown purpose"
    );
    assert_eq!(outcome.findings[0].path, None);
}

#[test]
fn a_bare_version_and_kind_in_something_else_are_a_mention() {
    for text in [
        "deprecated:\n- apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n  kind: FlowSchema\n",
        "match: {apiVersion: flowcontrol.apiserver.k8s.io/v1beta2, kind: FlowSchema}\n",
        "[{\"apiVersion\": \"flowcontrol.apiserver.k8s.io/v1beta2\", \"kind\": \"FlowSchemaList\"}]\n",
        "kinds:\n- apiVersion: flowcontrol.apiserver.k8s.io/v1beta9\n  kind: FlowSchema\n",
    ] {
        let outcome = run(text, V1);
        assert_eq!((outcome.text, outcome.objects.len()), (None, 0), "{text}");
        let rules: Vec<_> = outcome.findings.iter().map(|found| found.rule).collect();
        assert_eq!(rules, [Rule::Mention], "{text}");
        assert_eq!(mentions(text, ApiVersion::V1).len(), 1);
    }
    // A whole document is an unfinished object.
    let text = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: FlowSchema\n";
    assert_eq!(run(text, V1).text, Some(text.replace("v1beta2", "v1")));
}

/// Go, Jinja, ytt and ERB say the same of the same branches.
#[test]
fn branches_of_all_syntaxes_name_their_releases() {
    let group = "apiVersion: flowcontrol.apiserver.k8s.io";
    for [first, other, end] in [
        [
            "{{ if semverCompare \">=1.26-0\" .Capabilities.KubeVersion.Version }}",
            "{{ else }}",
            "{{ end }}",
        ],
        [
            "{% if k8s_version >= '1.26' %}",
            "{% else %}",
            "{% endif %}",
        ],
        ["#@ if k8s_version >= '1.26':", "#@ else:", "#@ end"],
        ["<% if @k8s_version >= '1.26' %>", "<% else %>", "<% end %>"],
    ] {
        let text = format!(
            "{first}\n{group}/v1beta3\n{other}\n{group}/v1beta2\n{end}\nkind: FlowSchema\n{REST}"
        );
        let outcome = run(&text, V1);
        assert_eq!(
            findings(&outcome, &text),
            [(Rule::CapabilityCheck, 1)],
            "{first}"
        );
        let message = &outcome.findings[0].message;
        assert!(message.ends_with("v1beta3 in line 2 (Kubernetes from 1.26 on; not served: from 1.32 on), v1beta2 in line 4 (Kubernetes up to 1.25)"), "{first}: {message}");
        let help = outcome.findings[0].help.as_ref().unwrap().to_string();
        assert!(
            help.contains(">=") && help.contains("1.29"),
            "{first}: {help}"
        );
    }
}

#[test]
fn a_chain_that_gives_each_cluster_a_version_it_serves_is_current() {
    let chain = |first: &str, second: &str| {
        let version = ".Values.global.kubernetesVersion";
        format!(
            "{{{{- if semverCompare \"{first}\" {version} }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1\n{{{{- else if semverCompare \"{second}\" {version} }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta3\n{{{{- else }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n{{{{- end }}}}\nkind: FlowSchema\n{REST}"
        )
    };
    for (first, second) in [
        ("> 1.29", "> 1.26"),
        (">= 1.30", ">= 1.26"),
        (">=1.29-0", ">=1.26-0"),
    ] {
        let text = chain(first, second);
        assert_eq!(
            run(&text, V1).worst(),
            Some(Severity::Note),
            "{first} {second}"
        );
    }
    // 1.32 to 1.34 get v1beta3, and 1.29 gets v1beta2.
    for (first, second) in [(">= 1.35", ">= 1.26"), ("> 1.31", "> 1.29")] {
        let outcome = run(&chain(first, second), V1);
        assert_eq!(outcome.worst(), Some(Severity::Manual), "{first} {second}");
        assert!(
            outcome.findings[0].message.contains("not served"),
            "{:?}",
            outcome.findings
        );
    }
}

#[test]
fn a_first_branch_for_the_version_is_not_missed_where_another_branch_is_wrong() {
    let text = format!(
        "{{{{- if .Capabilities.APIVersions.Has \"flowcontrol.apiserver.k8s.io/v1\" }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1\n{{{{- else }}}}\napiVersion: flowcontrol.apiserver.k8s.io/v1beta1\n{{{{- end }}}}\nkind: FlowSchema\n{REST}"
    );
    let outcome = run(&text, V1);
    let [finding] = outcome.findings.as_slice() else {
        panic!("{:?}", outcome.findings)
    };
    assert_eq!(finding.severity, Severity::Manual);
    assert_eq!(
        finding.message,
        "the first branch of this template is for v1, but other clusters get a version that they do not serve: v1beta1 in line 4 (Kubernetes up to 1.28; not served: 1.26 to 1.28)"
    );
    let help = finding.help.as_ref().unwrap().to_string();
    assert!(!help.contains("add"), "{help}");
}

/// Actions in values, statements, and texts that look like them.
#[test]
fn actions_of_all_syntaxes_are_known() {
    let group = "apiVersion: flowcontrol.apiserver.k8s.io";
    for action in [
        "#@ b",
        "<%= b %>",
        "{{ \"}}\" | b }}",
        "{{ `}}` | b }}",
        "{{/* }} */}}{{ b }}",
    ] {
        let text = format!("apiVersion: {action}\nkind: FlowSchema # ours\n{REST}");
        let found = findings(&run(&text, V1), &text);
        assert_eq!(found, [(Rule::Template, 1)], "{text}");
    }
    for line in [
        "{% set b = 1 %}",
        "{{ $x := \"a=b\" }}",
        "{{- /* }} */}}",
        "{# c #}",
        "<% b = 1 %>",
        "#@ b = 1",
        "#if($a > 1)\n#end",
        "{{ range .z }}\n{{ end }}",
        "# else",
        "x: 1 #if(c)",
        "x: echo ${B}",
        "x: ${#list} 100{% 1",
        "x: a<b>",
        "x: {{ .Values.x | quote }}",
        "x: a/${B:-c}",
        "x: {{ \"}}: [\" }}",
        "x: {{ `}}: [` }}",
    ] {
        let text = format!("{line}\n{group}/v1beta3\nkind: FlowSchema\n{line}\n{REST}");
        let text = match line.starts_with('x') {
            true => text.replacen(&format!("{line}\n"), "", 1),
            false => text,
        };
        let new = run(&text, V1).text;
        assert_eq!(new, Some(text.replace("v1beta3", "v1")), "{text}");
    }
    // An action that does not end.
    let text = format!("{group}/v1beta3\nkind: FlowSchema\nx: {{{{ b\n{REST}");
    assert_eq!(run(&text, V1).text, None);
}
