//! Errors of a migration and their messages.

use super::{ForeignFieldPolicy, Settings, V1, clean, findings, run, to};
use k8s_flowcontrol_manifests::{Form, Migration, Rule, Severity, migrate};
use k8s_flowcontrol_types::ApiVersion;

fn level(version: &str, limited: &str) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/{version}\nkind: PriorityLevelConfiguration\nmetadata: {{name: a}}\nspec:\n  type: Limited\n  limited: {{{limited}}}\n"
    )
}

fn only(outcome: &Migration) -> (Rule, &str, &str) {
    let [finding] = outcome.findings.as_slice() else {
        panic!("one finding: {:?}", outcome.findings)
    };
    (
        finding.rule,
        finding.path.as_deref().unwrap_or_default(),
        &finding.message,
    )
}

#[test]
fn a_zero_that_cannot_be_said_is_an_error() {
    let text = level("v1", "nominalConcurrencyShares: 0");
    let outcome = run(&text, to(ApiVersion::V1Beta2));
    assert_eq!(outcome.text, None);
    let (rule, path, message) = only(&outcome);
    assert_eq!(
        (rule, path),
        (Rule::Loss, "spec.limited.nominalConcurrencyShares")
    );
    assert_eq!(message, "0 shares become 30: v1beta2 cannot express 0");
    let accepted = Settings {
        allow_loss: true,
        ..to(ApiVersion::V1Beta2)
    };
    assert_eq!(
        clean(&text, accepted),
        level("v1beta2", "assuredConcurrencyShares: 0")
    );
}

#[test]
fn accepted_losses_are_told_with_their_reasons() {
    let accepted = |version| Settings {
        allow_loss: true,
        ..to(version)
    };
    let outcome = run(
        &level("v1", "nominalConcurrencyShares: 0"),
        accepted(ApiVersion::V1Beta2),
    );
    let told: Vec<_> = outcome.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "note[loss]: spec.limited.nominalConcurrencyShares: 0 shares become 30: v1beta2 cannot express 0"
        ]
    );
    let text = level("v1", "nominalConcurrencyShares: 5, lendablePercent: 50");
    let outcome = run(&text, accepted(ApiVersion::V1Beta1));
    let [finding] = outcome.findings.as_slice() else {
        panic!("{outcome:?}");
    };
    assert_eq!(
        (finding.severity, finding.rule),
        (Severity::Note, Rule::Loss)
    );
    assert_eq!(
        finding.path.as_deref(),
        Some("spec.limited.lendablePercent")
    );
    // Nothing is lost.
    let outcome = run(
        &level("v1", "nominalConcurrencyShares: 5"),
        accepted(ApiVersion::V1Beta2),
    );
    assert!(outcome.findings.is_empty());
}

#[test]
fn results_can_be_printed() {
    let outcome = run(&level("v1beta2", "assuredConcurrencyShares: 0"), V1);
    assert_eq!(
        outcome.objects[0].to_string(),
        "PriorityLevelConfiguration \"a\" (flowcontrol.apiserver.k8s.io/v1beta2)
  apiVersion: flowcontrol.apiserver.k8s.io/v1beta2 becomes flowcontrol.apiserver.k8s.io/v1
  spec.limited.assuredConcurrencyShares is renamed to nominalConcurrencyShares
  spec.limited.assuredConcurrencyShares: 0 becomes 30 (0 means the default of 30 in the old version, and no shares in v1)"
    );
    let outcome = run(
        &level("v1", "nominalConcurrencyShares: 0"),
        to(ApiVersion::V1Beta2),
    );
    assert_eq!(
        outcome.findings[0].to_string(),
        "error[loss]: spec.limited.nominalConcurrencyShares: 0 shares become 30: v1beta2 cannot express 0"
    );
    // The help is beside the text, so that a program can print each once.
    assert_eq!(
        outcome.findings[0].help.as_ref().unwrap().to_string(),
        "give the level at least 1 share, keep a version with zero shares, or accept the loss with allow_loss; the file then has 0, which means 30 in v1beta2"
    );
}

#[test]
fn the_name_of_a_template_is_told_as_written() {
    let text = level("v1beta2", "assuredConcurrencyShares: 5")
        .replace("{name: a}", "\n  name: {{ .Release.Name }}-lvl");
    let outcome = migrate(&text, Form::Template, V1);
    assert_eq!(
        outcome.objects[0].name.as_deref(),
        Some("{{ .Release.Name }}-lvl")
    );
}

#[test]
fn what_comes_to_mean_something_is_an_error() {
    let text = level(
        "v1beta1",
        "assuredConcurrencyShares: 5, lendablePercent: 50",
    );
    let outcome = run(&text, V1);
    let (rule, path, _) = only(&outcome);
    assert_eq!((rule, path), (Rule::Loss, "spec.limited.lendablePercent"));
    let mended = |mend| {
        clean(
            &text,
            Settings {
                foreign_fields: Some(mend),
                ..V1
            },
        )
    };
    assert_eq!(
        mended(ForeignFieldPolicy::Live),
        level("v1", "nominalConcurrencyShares: 5")
    );
    assert_eq!(
        mended(ForeignFieldPolicy::File),
        level("v1", "nominalConcurrencyShares: 5, lendablePercent: 50")
    );
}

#[test]
fn what_an_older_release_does_not_know_is_an_error() {
    let text = level(
        "v1beta3",
        "nominalConcurrencyShares: 5, lendablePercent: 50",
    );
    let down = to(ApiVersion::V1Beta1);
    let (rule, path, message) = {
        let outcome = run(&text, down);
        let (rule, path, message) = only(&outcome);
        (rule, path.to_owned(), message.to_owned())
    };
    assert_eq!(
        (rule, path.as_str()),
        (Rule::Loss, "spec.limited.lendablePercent")
    );
    assert!(message.contains("1.26"), "{message}");
    let accepted = Settings {
        allow_loss: true,
        ..down
    };
    assert_eq!(
        clean(&text, accepted),
        level("v1beta1", "assuredConcurrencyShares: 5")
    );
}

#[test]
fn two_names_for_the_shares_are_an_error() {
    let text = level(
        "v1beta2",
        "assuredConcurrencyShares: 5, nominalConcurrencyShares: 7",
    );
    assert_eq!(findings(&run(&text, V1), &text), [(Rule::ForeignField, 6)]);
    let mended = clean(
        &text,
        Settings {
            foreign_fields: Some(ForeignFieldPolicy::File),
            ..V1
        },
    );
    assert_eq!(mended, level("v1", "nominalConcurrencyShares: 5"));
    // The same twice is the same.
    let text = level(
        "v1beta2",
        "assuredConcurrencyShares: 5, nominalConcurrencyShares: 5",
    );
    assert_eq!(clean(&text, V1), level("v1", "nominalConcurrencyShares: 5"));
}

#[test]
fn a_zero_means_the_default_up_to_v1beta3() {
    let text = level("v1beta3", "nominalConcurrencyShares: 0");
    assert_eq!(
        clean(&text, V1),
        level("v1", "nominalConcurrencyShares: 30")
    );
    assert_eq!(
        clean(&text, to(ApiVersion::V1Beta1)),
        level("v1beta1", "assuredConcurrencyShares: 0")
    );
    let text = level("v1beta2", "");
    assert_eq!(clean(&text, V1), level("v1", ""));
}

#[test]
fn an_annotation_without_effect_is_not_lost_silently() {
    let text = level("v1beta3", "nominalConcurrencyShares: 5").replace(
        "{name: a}",
        "{name: a, annotations: {flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares: \"\"}}",
    );
    let outcome = run(&text, V1);
    let (rule, path, _) = only(&outcome);
    assert_eq!(rule, Rule::Loss);
    assert!(path.starts_with("metadata.annotations["));
    let accepted = clean(
        &text,
        Settings {
            allow_loss: true,
            ..V1
        },
    );
    assert_eq!(accepted, level("v1", "nominalConcurrencyShares: 5"));
}

#[test]
fn an_error_in_one_document_keeps_the_whole_file() {
    let good = level("v1beta3", "nominalConcurrencyShares: 5");
    let bad = level("v1", "nominalConcurrencyShares: 0");
    let outcome = run(&format!("{good}---\n{bad}"), to(ApiVersion::V1Beta2));
    assert_eq!(outcome.text, None);
    assert_eq!(outcome.objects.len(), 2);
}

#[test]
fn a_report_has_what_a_server_holds_before_and_after() {
    let outcome = run(&level("v1beta2", "assuredConcurrencyShares: 0"), V1);
    let (before, after) = outcome.objects[0].server.clone().unwrap();
    assert_eq!(before["spec"]["limited"]["nominalConcurrencyShares"], 30);
    assert_eq!(before, after);
}
