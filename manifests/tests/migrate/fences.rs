//! Manifests in the code fences of Markdown.

use super::V1;
use k8s_flowcontrol_manifests::{Rule, Severity, migrate_fences};

const OBJECT: &str =
    "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n";

fn fence(info: &str, text: &str) -> String {
    format!("```{info}\n{text}```\n")
}

#[test]
fn only_fences_of_manifests_change() {
    let object = |version: &str| OBJECT.replace("v1beta3", version);
    let text = |version: &str| {
        let indented: String = object(version)
            .lines()
            .map(|line| format!("   {line}\r\n"))
            .collect();
        format!(
            "# flowcontrol.apiserver.k8s.io/v1beta3\n{}1. in a list\n   ~~~~ yml title=x\r\n{indented}   ```\r\n   ~~~~\r\n{}{}{}",
            fence("yaml", &object(version)),
            fence(
                "{.JSON}",
                &format!(
                    "{{\"kind\": \"FlowSchema\", \"apiVersion\": \"flowcontrol.apiserver.k8s.io/{version}\", \"metadata\": {{}}}}\n"
                )
            ),
            fence("", &object(version)),
            fence("go", OBJECT),
        )
    };
    let old = text("v1beta3");
    let outcome = migrate_fences(&old, V1);
    // The line ``` in the second fence makes it unreadable.
    let expected = text("v1").replacen(
        "   apiVersion: flowcontrol.apiserver.k8s.io/v1\r",
        "   apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\r",
        1,
    );
    assert_eq!(outcome.text, Some(expected));
    assert_eq!(outcome.objects.len(), 3);
    let [finding, program] = outcome.findings.as_slice() else {
        panic!("two findings: {:?}", outcome.findings)
    };
    // A fence of another language is not changed.
    assert_eq!(
        (program.rule, program.severity),
        (Rule::Mention, Severity::Note)
    );
    assert_eq!(
        (finding.rule, finding.severity),
        (Rule::Unreadable, Severity::Manual)
    );
    // Without that line it changes as well.
    let clean = |version| text(version).replace("   ```\r\n", "");
    assert_eq!(
        migrate_fences(&clean("v1beta3"), V1).text,
        Some(clean("v1"))
    );
}

#[test]
fn an_error_leaves_its_fence_unchanged() {
    let wrong = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: PriorityLevelConfiguration\nmetadata: {name: a}\nspec: {limited: {assuredConcurrencyShares: 7}}\n";
    let text = fence("yaml", wrong) + &fence("yaml", OBJECT) + "```yaml\nno: end\n";
    let outcome = migrate_fences(&text, V1);
    let expected = fence("yaml", wrong)
        + &fence("yaml", &OBJECT.replace("v1beta3", "v1"))
        + "```yaml\nno: end\n";
    assert_eq!(outcome.text, Some(expected));
    assert_eq!(outcome.worst(), Some(Severity::Manual));
    let nothing = migrate_fences("text\n```yaml\na: [\n```\n", V1);
    assert!(nothing.text.is_none() && nothing.findings.is_empty());
}

#[test]
fn a_difference_is_not_an_example() {
    let text = fence(
        "yaml",
        "+ apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n- apiVersion: flowcontrol.apiserver.k8s.io/v1beta1\nkind: FlowSchema\n",
    );
    let outcome = migrate_fences(&text, V1);
    assert!(outcome.text.is_none() && outcome.findings.is_empty());
    // A list alone is not a difference.
    let list = OBJECT.replace('\n', "\n  ");
    let text = fence("yaml", &format!("- {}\n", list.trim_end()));
    assert!(
        migrate_fences(&text, V1).worst().is_some() || migrate_fences(&text, V1).text.is_some()
    );
}

#[test]
fn names_in_blocks_of_other_languages_are_notes() {
    let text = fence(
        "hcl",
        "resource \"k8s_flowcontrol_apiserver_k8s_io_v1beta1_flow_schema\" \"a\" {\n}\n",
    );
    let outcome = migrate_fences(&text, V1);
    assert_eq!(outcome.worst(), Some(Severity::Note));
    // So are mentions beside the objects of an example.
    let text = fence("yaml", "spec:\n  assuredConcurrencyShares: 5\n");
    let outcome = migrate_fences(&text, V1);
    assert_eq!(outcome.worst(), Some(Severity::Note));
    assert_eq!(outcome.findings[0].rule, Rule::Mention);
}

/// The comment would name another version than the object.
#[test]
fn an_example_whose_comment_names_its_version_stays() {
    let request = "# GET /apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/a\n";
    let outcome = migrate_fences(&fence("yaml", &format!("{request}{OBJECT}")), V1);
    assert_eq!(outcome.text, None);
    assert!(outcome.objects.is_empty() && outcome.edits.is_empty());
    assert_eq!(outcome.worst(), Some(Severity::Note));
    let other = fence("yaml", &format!("# an example\n{OBJECT}"));
    assert!(migrate_fences(&other, V1).text.is_some());
}

#[test]
fn callouts_of_asciidoc_are_no_part_of_a_value() {
    let old = "[source,yaml]\n----\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2 <1> <12>\r\nkind: PriorityLevelConfiguration\nmetadata:\n  \
               name: a\nspec:\n  type: Limited\n  limited:\n    assuredConcurrencyShares: 5 <2>\n    limitResponse:\n      type: Reject\t<.>\n----\n<1> Old.\n";
    let outcome = migrate_fences(old, V1);
    let new = old
        .replace("v1beta2", "v1")
        .replace("assuredConcurrencyShares", "nominalConcurrencyShares");
    assert_eq!(outcome.text.as_deref(), Some(new.as_str()));
    assert_eq!(outcome.findings, []);
    let again = migrate_fences(&new, V1);
    assert!(again.text.is_none() && again.findings.is_empty());
}

#[test]
fn examples_that_compare_versions_stay() {
    let level = |version: &str, field: &str, name: &str| {
        format!(
            "```yaml\napiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: PriorityLevelConfiguration\nmetadata:\n  name: {name}\nspec:\n  type: Limited\n  limited:\n    {field}: 5\n    limitResponse:\n      type: Reject\n```\n"
        )
    };
    let old = level("v1beta2", "assuredConcurrencyShares", "a");
    let other = level("v1beta2", "assuredConcurrencyShares", "b");
    for new in ["v1", "v1beta3"] {
        let new = level(new, "nominalConcurrencyShares", "a");
        let outcome = migrate_fences(&format!("Before:\n\n{old}\nAfter:\n\n{new}"), V1);
        assert_eq!(outcome.text, None, "{new}");
        assert_eq!(outcome.worst(), Some(Severity::Note));
        let note = &outcome.findings[0].message;
        assert!(note.contains("another one shows the same object"), "{note}");
        // Another object does not compare anything.
        let outcome = migrate_fences(&format!("{old}{new}{other}"), V1);
        let text = outcome.text.unwrap();
        assert!(text.starts_with(&format!("{old}{new}")), "{text}");
        assert!(text.ends_with(&level("v1", "nominalConcurrencyShares", "b")));
    }
    // The same object twice in one version is not compared, either.
    let twice = migrate_fences(&old.repeat(2), V1);
    let new = level("v1", "nominalConcurrencyShares", "a");
    assert_eq!(twice.text, Some(new.repeat(2)));
}
