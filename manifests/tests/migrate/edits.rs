//! The files of the corpus, and their migrated forms.

use super::{ForeignFieldPolicy, Settings, V1, clean, findings, run, to};
use k8s_flowcontrol_manifests::{Form, Rule, Severity};
use k8s_flowcontrol_types::ApiVersion;

macro_rules! corpus {
    ($name:literal) => {
        include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/fixtures/",
            $name
        ))
    };
}

/// The lines that differ, old and new, of two texts with the same number of lines.
fn changed<'a>(old: &'a str, new: &'a str) -> Vec<(&'a str, &'a str)> {
    assert_eq!(old.lines().count(), new.lines().count(), "{new}");
    old.lines()
        .zip(new.lines())
        .filter(|(old, new)| old != new)
        .collect()
}

#[test]
fn only_what_must_change_changes() {
    let text = corpus!("level.yaml");
    let expected = [
        (
            "apiVersion: flowcontrol.apiserver.k8s.io/v1beta2   # until the upgrade",
            "apiVersion: flowcontrol.apiserver.k8s.io/v1   # until the upgrade",
        ),
        (
            "    assuredConcurrencyShares: 20 # seats, roughly",
            "    nominalConcurrencyShares: 20 # seats, roughly",
        ),
        (
            "apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta2'",
            "apiVersion: 'flowcontrol.apiserver.k8s.io/v1'",
        ),
    ];
    assert_eq!(changed(text, &clean(text, V1)), expected);
}

#[test]
fn every_style_is_kept() {
    let text = corpus!("styles.yaml");
    let new = clean(text, V1);
    let lines: Vec<_> = changed(text, &new)
        .into_iter()
        .map(|(_, new)| new)
        .collect();
    let expected = [
        "\"apiVersion\": \"flowcontrol.apiserver.k8s.io/v1\"",
        "        \"nominalConcurrencyShares\" :",
        "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: PriorityLevelConfiguration, metadata: {name: flow},",
        "  spec: {type: Limited, limited: {limitResponse: {type: Reject}, nominalConcurrencyShares: 7 } } }",
        ": flowcontrol.apiserver.k8s.io/v1",
        "    ? nominalConcurrencyShares",
        "  flowcontrol.apiserver.k8s.io/v1",
    ];
    assert_eq!(lines, expected);
    let down = clean(&new, to(ApiVersion::V1Beta2));
    assert_eq!(clean(&down, V1), new);
}

#[test]
fn line_endings_and_byte_order_mark_stay() {
    let text = corpus!("crlf-bom.yaml");
    assert!(
        text.starts_with('\u{feff}') && text.contains("\r\n"),
        "git has changed the file"
    );
    let expected = text.replace("v1beta2", "v1").replace(
        "assuredConcurrencyShares: 0",
        "nominalConcurrencyShares: 30",
    );
    assert_eq!(clean(text, V1), expected);
}

#[test]
fn an_anchor_is_changed_once_for_all_that_use_it() {
    let text = corpus!("anchors.yaml");
    let expected = text
        .replace(
            "flowcontrol.apiserver.k8s.io/v1beta2",
            "flowcontrol.apiserver.k8s.io/v1",
        )
        .replace("assured", "nominal");
    assert_eq!(clean(text, V1), expected);
}

#[test]
fn an_anchor_that_something_else_uses_is_left_alone() {
    let text = corpus!("anchors-shared.yaml");
    let outcome = run(text, V1);
    assert_eq!(outcome.text, None);
    assert_eq!(findings(&outcome, text)[0].0, Rule::CannotEdit);
}

#[test]
fn a_zero_gets_its_annotation_and_loses_it_again() {
    let text = corpus!("zero.yaml");
    let down = clean(text, to(ApiVersion::V1Beta3));
    let expected = text.replace("/v1\n", "/v1beta3\n").replace(
        "  name: jail # nobody gets in\n",
        "  name: jail # nobody gets in\n  annotations:\n    flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: \"\"\n",
    );
    assert_eq!(down, expected);
    assert_eq!(clean(&down, V1), text);

    let text = corpus!("pretty.json");
    let down = clean(text, to(ApiVersion::V1Beta3));
    assert!(down.contains("\"name\": \"zero\",\n\t\t\t\t\"annotations\": {\n\t\t\t\t\t\"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares\": \"\"\n\t\t\t\t}\n"), "{down}");
    let up = clean(&down, V1);
    assert_eq!(up, text.replace("k8s.io/v1beta3", "k8s.io/v1"));
}

#[test]
fn comments_stay_when_their_line_goes() {
    let text = corpus!("annotated.yaml");
    let new = clean(text, V1);
    assert!(
        new.contains("    # keeps the zero\n    # since 1.29\n    team: a\n"),
        "{new}"
    );
    assert!(new.contains("    nominalConcurrencyShares: 0\n"), "{new}");
}

#[test]
fn json_keeps_its_form() {
    let text = corpus!("compact.json");
    let expected = text.replace("v1beta2", "v1").replace("assured", "nominal");
    assert_eq!(clean(text, V1), expected);
    let text = corpus!("lines.jsonl");
    let expected = text
        .replace("k8s.io/v1beta2", "k8s.io/v1")
        .replace("assured", "nominal");
    assert_eq!(clean(text, V1), expected);
}

#[test]
fn every_duplicate_of_a_key_gets_the_new_name() {
    for text in [corpus!("duplicates.yaml"), corpus!("duplicates.json")] {
        let expected = text
            .replace("k8s.io/v1beta2", "k8s.io/v1")
            .replace("assured", "nominal");
        assert_eq!(clean(text, V1), expected);
    }
}

#[test]
fn the_last_applied_annotation_goes_along() {
    let text = corpus!("last-applied.yaml");
    let outcome = run(text, V1);
    let new = outcome.text.clone().unwrap();
    assert!(new.contains("{\"apiVersion\":\"flowcontrol.apiserver.k8s.io/v1\",\"kind\""));
    assert!(new.contains("\"limited\":{\"nominalConcurrencyShares\":15,"));
    // The history is not ours to change: it is a note.
    assert!(new.contains("f:assuredConcurrencyShares"));
    assert_eq!(findings(&outcome, text), []);
    let notes: Vec<_> = outcome
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(notes, [Rule::ManagedFields]);

    // In JSON the annotation is a string with escapes.
    let value = serde_json::json!({
        "apiVersion": "flowcontrol.apiserver.k8s.io/v1beta2",
        "kind": "PriorityLevelConfiguration",
        "metadata": {"name": "a", "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration":
                "{\"apiVersion\":\"flowcontrol.apiserver.k8s.io/v1beta2\",\"kind\":\"PriorityLevelConfiguration\",\"metadata\":{\"name\":\"a\"},\"spec\":{\"limited\":{\"assuredConcurrencyShares\":15}}}\n"
        }},
        "spec": {"limited": {"assuredConcurrencyShares": 15}},
    });
    let text = value.to_string();
    let expected = text
        .replace("k8s.io/v1beta2", "k8s.io/v1")
        .replace("assured", "nominal");
    assert_eq!(clean(&text, V1), expected);
}

/// A text in a string changes as it does alone, and the string keeps its style.
#[test]
fn the_last_applied_annotation_keeps_its_style() {
    let level = "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: a\n";
    let json = "{\"apiVersion\": \"flowcontrol.apiserver.k8s.io/v1\", \"kind\": \"PriorityLevelConfiguration\", \"metadata\": {\"name\": \"it's\"},\n \"spec\": {\"limited\": {\"nominalConcurrencyShares\": 0}}}";
    let yaml = format!("{level}spec:\n  limited:\n    nominalConcurrencyShares: 0\n");
    let double = |text: &str| serde_json::to_string(text).unwrap();
    let single = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let literal = |text: &str| format!("|\n      {}", text.trim_end().replace('\n', "\n      "));
    let one_line = json.replace('\n', "");
    let outer = |string: &str, version: &str| {
        format!("{level}  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: {string}\n").replace("/v1\nkind", &format!("/{version}\nkind"))
    };
    let v1beta3 = to(ApiVersion::V1Beta3);
    for (inner, style) in [
        (json, &double as &dyn Fn(&str) -> String),
        (&one_line, &double),
        (&one_line, &single),
        (json, &literal),
        (&yaml, &literal),
    ] {
        let text = outer(&style(inner), "v1");
        let inner = clean(inner, v1beta3);
        assert!(inner.contains("v1beta3-preserve-zero"), "{inner}");
        let expected = outer(&style(&inner), "v1beta3");
        assert_eq!(run(&text, v1beta3).text, Some(expected), "{text}");
    }
    // A folded string may break its lines elsewhere after a change.
    let folded = format!(">\n      {}", one_line.replace(", ", ",\n      "));
    let outcome = run(&outer(&folded, "v1"), v1beta3);
    assert_eq!(outcome.text, Some(outer(&folded, "v1beta3")));
    let rules: Vec<_> = outcome.findings.iter().map(|found| found.rule).collect();
    assert_eq!(rules, [Rule::LastApplied]);
}

#[test]
fn a_manifest_in_a_string_is_listed() {
    let text = corpus!("embedded.yaml");
    let outcome = run(text, V1);
    assert_eq!(outcome.text, None);
    let expected = [(Rule::Embedded, 7), (Rule::Embedded, 14)];
    assert_eq!(findings(&outcome, text), expected);
    assert_eq!(
        outcome.findings[0].path.as_deref(),
        Some("data[level.yaml]")
    );
}

#[test]
fn kustomize_patches_follow() {
    let text = corpus!("overlay/kustomization.yaml");
    let expected = text
        .replace("k8s.io/v1beta2", "k8s.io/v1")
        .replace("version: v1beta2", "version: v1")
        .replace("assured", "nominal");
    assert_eq!(clean(text, V1), expected);
    let text = corpus!("overlay/shares.yaml");
    assert_eq!(clean(text, V1), text.replace("assured", "nominal"));

    // A zero has a different meaning in v1, so a person must review it.
    let text = corpus!("overlay/patch.json");
    let outcome = super::migrate(text, Form::Json, V1);
    assert_eq!(findings(&outcome, text), [(Rule::Patch, 3)]);
    let new = outcome.text.unwrap();
    assert!(new.contains("\"test\", \"path\": \"/spec/limited/nominalConcurrencyShares\""));
    assert!(new.contains("\"replace\", \"path\": \"/spec/limited/assuredConcurrencyShares\""));
}

#[test]
fn argo_cd_ignores_the_new_field() {
    let text = corpus!("argo.yaml");
    let outcome = run(text, V1);
    assert_eq!(findings(&outcome, text), [(Rule::Mention, 13)]);
    let new = outcome.text.unwrap();
    assert!(new.contains("- /spec/limited/nominalConcurrencyShares\n"));
    assert!(new.contains("- .spec.limited.nominalConcurrencyShares\n"));
}

#[test]
fn what_is_not_understood_is_listed() {
    let text = corpus!("policy.yaml");
    assert_eq!(findings(&run(text, V1), text), [(Rule::Mention, 10)]);
    let text = corpus!("chart/values.yaml");
    let outcome = run(text, V1);
    assert_eq!(findings(&outcome, text), [(Rule::Mention, 3)]);
    assert!(
        outcome
            .findings
            .iter()
            .any(|found| found.rule == Rule::Comment && found.severity == Severity::Note)
    );
    let text = corpus!("tabs.yaml");
    assert_eq!(findings(&run(text, V1), text), [(Rule::Unreadable, 4)]);
    let text = corpus!("version.yaml");
    assert_eq!(findings(&run(text, V1), text), [(Rule::UnknownVersion, 1)]);
}

#[test]
fn helm_templates_are_changed_where_the_text_says_enough() {
    let text = corpus!("chart/templates/schema.yaml");
    assert_eq!(clean(text, V1), text.replace("v1beta3", "v1"));

    let text = corpus!("chart/templates/level.yaml");
    let outcome = run(text, V1);
    assert_eq!(
        findings(&outcome, text),
        [(Rule::Template, 8), (Rule::Template, 34)]
    );
    let new = outcome.text.unwrap();
    let lines: Vec<_> = changed(text, &new)
        .into_iter()
        .map(|(_, new)| new)
        .collect();
    assert_eq!(
        lines,
        [
            "apiVersion: flowcontrol.apiserver.k8s.io/v1",
            "    nominalConcurrencyShares: 25"
        ]
    );
    // Zero means the same in v1beta2 and v1beta3: the value may come from anywhere.
    let down = run(text, to(ApiVersion::V1Beta3));
    assert_eq!(findings(&down, text), [(Rule::Template, 34)]);
    // A user who knows that the values do not contain a zero can declare it.
    let outcome = run(
        text,
        Settings {
            allow_loss: true,
            ..V1
        },
    );
    assert!(
        outcome
            .text
            .unwrap()
            .contains("nominalConcurrencyShares: {{ .Values.shares }}")
    );
}

#[test]
fn templates_that_ask_the_cluster_are_left_to_people() {
    let text = corpus!("chart/templates/capabilities.yaml");
    let outcome = run(text, V1);
    assert_eq!(outcome.text, None);
    assert_eq!(findings(&outcome, text), [(Rule::CapabilityCheck, 1)]);
    assert_eq!(
        outcome.findings[0].message,
        "the branches of this template do not cover v1: v1beta3 in line 2 (Kubernetes 1.26 to 1.31), v1beta2 in line 4 (Kubernetes up to 1.25 and from 1.32 on; not served: from 1.32 on)"
    );

    let text = corpus!("chart/templates/_helpers.tpl");
    let outcome = super::migrate(text, Form::Template, V1);
    let lines: Vec<_> = findings(&outcome, text)
        .into_iter()
        .map(|(_, line)| line)
        .collect();
    assert_eq!(lines, [2]);
}

#[test]
fn fields_of_another_version_are_mended_as_told() {
    let text = corpus!("foreign.yaml");
    for version in ApiVersion::ALL.iter().copied() {
        let outcome = run(text, to(version));
        assert_eq!(
            findings(&outcome, text),
            [(Rule::ForeignField, 8)],
            "{version}"
        );
        assert!(outcome.text.is_none());
    }
    let mended = |mend, settings| {
        clean(
            text,
            Settings {
                foreign_fields: Some(mend),
                ..settings
            },
        )
    };
    let live = mended(ForeignFieldPolicy::Live, V1);
    assert!(live.contains("    nominalConcurrencyShares: 30 # copied from an older file\n"));
    let file = mended(ForeignFieldPolicy::File, V1);
    assert!(file.contains("    nominalConcurrencyShares: 9 # copied from an older file\n"));
    let same = mended(ForeignFieldPolicy::File, to(ApiVersion::V1Beta3));
    assert_eq!(same, text.replace("assured", "nominal"));
    let down = mended(ForeignFieldPolicy::Live, to(ApiVersion::V1Beta2));
    assert!(down.contains("    assuredConcurrencyShares: 30 # copied from an older file\n"));
}

#[test]
fn every_document_is_judged_by_itself() {
    let anchored = include_str!("../fixtures/anchors-shared.yaml");
    let level = corpus!("level.yaml");
    let documents: Vec<_> = (0..400)
        .map(|index| if index % 4 == 0 { level } else { anchored })
        .collect();
    let text = documents.join("---\n");
    let outcome = run(&text, V1);
    // The same finding in every document with the anchor, and the same change in every other one.
    let one = run(anchored, V1);
    assert!(one.text.is_none() && !one.findings.is_empty());
    assert_eq!(outcome.findings.len(), 300 * one.findings.len());
    let changed = clean(level, V1);
    let expected = text.replace(level, &changed);
    assert_eq!(outcome.text, Some(expected));
}
