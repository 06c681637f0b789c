//! What holds for every manifest in every style.

use super::style::{Tape, render};
use super::{ForeignFieldPolicy, Settings, findings, migrate, to};
use k8s_flowcontrol_manifests::{Form, Severity};
use k8s_flowcontrol_text::{parse_json_values, parse_yaml_documents, to_value};
use k8s_flowcontrol_types::convert::{Lossy, PRESERVE_ZERO_ANNOTATION, shape_tree};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Release};
use proptest::prelude::*;
use serde_json::{Value, json};

fn version() -> impl Strategy<Value = ApiVersion> {
    prop::sample::select(ApiVersion::ALL.to_vec())
}

fn shares_name(version: ApiVersion) -> &'static str {
    if version < ApiVersion::V1Beta3 {
        "assuredConcurrencyShares"
    } else {
        "nominalConcurrencyShares"
    }
}

prop_compose! {
    fn level()(
        version in version(),
        name in "[a-z]{1,6}",
        shares in prop::option::of(prop_oneof![Just(0), 1..200]),
        annotated in any::<bool>(),
        labels in prop::collection::btree_map("[a-z]{1,4}", "[a-z \"'#:*]{0,6}", 0..3),
        lendable in prop::option::of(0..100),
        queues in any::<bool>(),
        extra in prop::option::of("[a-z]{1,5}"),
    ) -> Value {
        let mut level = json!({
            "apiVersion": version.api_version(),
            "kind": "PriorityLevelConfiguration",
            "metadata": {"name": name},
            "spec": {"type": "Limited", "limited": {}},
        });
        if !labels.is_empty() {
            level["metadata"]["labels"] = json!(labels);
        }
        if annotated && version == ApiVersion::V1Beta3 {
            level["metadata"]["annotations"] = json!({PRESERVE_ZERO_ANNOTATION: "", "team": "a"});
        }
        let limited = &mut level["spec"]["limited"];
        if let Some(shares) = shares {
            limited[shares_name(version)] = json!(shares);
        }
        if let Some(lendable) = lendable.filter(|_| version > ApiVersion::V1Beta1) {
            limited["lendablePercent"] = json!(lendable);
        }
        limited["limitResponse"] = if queues {
            json!({"type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}})
        } else {
            json!({"type": "Reject"})
        };
        if let Some(extra) = extra {
            level["spec"]["unknown"] = json!([extra]);
        }
        level
    }
}

prop_compose! {
    fn schema()(version in version(), name in "[a-z]{1,6}", precedence in 1..9999) -> Value {
        json!({
            "apiVersion": version.api_version(),
            "kind": "FlowSchema",
            "metadata": {"name": name},
            "spec": {
                "matchingPrecedence": precedence,
                "priorityLevelConfiguration": {"name": "workload-low"},
                "rules": [{"subjects": [{"kind": "Group", "group": {"name": "*"}}]}],
            },
        })
    }
}

fn other() -> impl Strategy<Value = Value> {
    Just(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b"}}))
}

fn documents() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(prop_oneof![4 => level(), 1 => schema(), 1 => other()], 1..4)
}

fn read(text: &str) -> Vec<Value> {
    let text = text.trim_start_matches('\u{feff}');
    let json = parse_json_values(text.as_bytes());
    let documents = match json.error {
        None => json.documents,
        Some(_) => {
            let yaml = parse_yaml_documents(text.as_bytes());
            assert_eq!(yaml.error, None, "{text}");
            yaml.documents
        }
    };
    documents
        .iter()
        .map(|document| to_value(document.tree.root()).unwrap())
        .collect()
}

fn converted(document: &Value, to: ApiVersion) -> Value {
    let kind = document["kind"].as_str().unwrap().parse();
    let Some(from) = ApiVersion::ALL
        .iter()
        .copied()
        .find(|version| document["apiVersion"] == version.api_version())
    else {
        return document.clone();
    };
    let kind = VersionedKind::new(kind.unwrap(), from, Release::NEWEST);
    let shape = shape_tree(document.clone(), kind, to);
    Lossy::parts(shape).0
}

/// The lines of a text that are not in another one, which has the others in the same order. A comma at the end of
/// a line belongs to the next field.
fn own_lines(text: &str, other: &str) -> Vec<String> {
    let [text, other] =
        [text, other].map(|text| text.replace(",\n", "\n").replace(",\r\n", "\r\n"));
    similar::TextDiff::from_lines(text.as_str(), other.as_str())
        .iter_all_changes()
        .filter(|change| change.tag() == similar::ChangeTag::Delete)
        .map(|change| change.value().to_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn the_result_says_what_the_conversion_says(
        documents in documents(),
        choices in prop::collection::vec(any::<u8>(), 16..200),
        to in version(),
    ) {
        let text = render(&documents, &mut Tape::new(&choices));
        prop_assert_eq!(&read(&text), &documents, "the renderer is wrong: {}", text);
        let settings = Settings { allow_loss: true, foreign_fields: Some(ForeignFieldPolicy::File), ..super::to(to) };
        let outcome = migrate(&text, Form::Yaml, settings);
        let grave: Vec<_> = findings(&outcome, &text);
        prop_assert!(grave.is_empty(), "{:?}\n{}", outcome.findings, text);
        let new = outcome.text.clone().unwrap_or_else(|| text.clone());
        let expected: Vec<_> = documents.iter().map(|document| converted(document, to)).collect();
        prop_assert_eq!(read(&new), expected, "{}\n{}", text, new);

        // Nothing else has changed.
        for line in own_lines(&text, &new) {
            let words = ["apiVersion", "ConcurrencyShares", "preserve-zero", "annotations", "metadata", "limited", "lendablePercent"];
            let is_expected = words.iter().any(|word| line.contains(word));
            // A text without a line break at its end, whose last line may go, or a text without many lines.
            let is_last = !line.ends_with('\n')
                || new.ends_with(line.trim_end_matches(['\r', '\n']))
                || line.len() + 8 > text.len();
            // A blank line goes with the annotation below it.
            let annotations = |text: &str| text.matches(PRESERVE_ZERO_ANNOTATION).count();
            let is_blank = line.trim().is_empty() && annotations(&new) < annotations(&text);
            prop_assert!(is_expected || is_last || is_blank, "{line:?} is gone\n{text}\n{new}");
        }
        for comment in ["# about", "# why: it's {so}"] {
            let count = text.matches(comment).count();
            prop_assert_eq!(new.matches(comment).count(), count, "{}\n{}", text, new);
        }
        prop_assert_eq!(text.contains("\r\n"), new.contains("\r\n"));
        prop_assert_eq!(text.starts_with('\u{feff}'), new.starts_with('\u{feff}'));

        // A second run has nothing to do.
        let again = migrate(&new, Form::Yaml, settings);
        prop_assert_eq!(again.text, None, "{}", new);
    }

    #[test]
    fn down_and_up_again_gives_the_same_text(
        documents in prop::collection::vec(prop_oneof![level(), schema()], 1..3),
        choices in prop::collection::vec(any::<u8>(), 16..200),
        by in version(),
    ) {
        let documents: Vec<_> = documents.iter().map(|document| converted(document, ApiVersion::V1)).collect();
        let has_lost = documents.iter().any(|document| document["spec"]["limited"].get("lendablePercent").is_some());
        // v1beta1 does not have this field, and its absence has a meaning, too.
        prop_assume!(by > ApiVersion::V1Beta1 || !has_lost);
        let text = render(&documents, &mut Tape::new(&choices));
        let down = migrate(&text, Form::Yaml, to(by));
        if down.worst() == Some(Severity::Error) {
            // v1beta2 cannot express zero shares: nothing is changed.
            prop_assert!(by < ApiVersion::V1Beta3 && down.text.is_none());
            return Ok(());
        }
        let down = down.text.unwrap_or_else(|| text.clone());
        let up = migrate(&down, Form::Yaml, to(ApiVersion::V1));
        prop_assert_eq!(up.text.unwrap_or_else(|| down.clone()), text, "by way of\n{}", down);
    }

    #[test]
    fn any_text_is_read_or_refused(
        text in "(apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\n|kind: PriorityLevelConfiguration\n|spec: |limited: |assuredConcurrencyShares: |[-?:,{}&*!|>'\"%@a1 \n\t#~<]){0,12}",
        to in version(),
    ) {
        for form in [Form::Yaml, Form::Json, Form::Template] {
            let settings = Settings { allow_loss: true, ..super::to(to) };
            let outcome = migrate(&text, form, settings);
            if let Some(new) = outcome.text {
                prop_assert_ne!(new, text.clone());
            }
        }
    }
}
