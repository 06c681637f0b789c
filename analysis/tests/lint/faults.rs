//! Findings about objects as they are written: faults of the text, and names that several objects have.

use super::objects::{found, level, pods, schema, schema_findings, user};
use k8s_flowcontrol_analysis::lint::{Configuration, Fault, FaultKind, Severity, lint};
use k8s_flowcontrol_types::{Kind, Release};
use serde_json::json;

#[test]
fn faults_of_the_text_are_findings() {
    let shares = "spec.limited.assuredConcurrencyShares";
    let fault = |path: &str, what| {
        Fault::new(
            Kind::PriorityLevelConfiguration,
            "l".into(),
            path.into(),
            what,
        )
    };
    // The exempt stanza has one name of the field in every version.
    let exempt = "spec.exempt.assuredConcurrencyShares";
    let faults = [
        fault(exempt, FaultKind::UnknownField),
        fault(shares, FaultKind::UnknownField),
        fault("spec.limitd", FaultKind::UnknownField),
        fault("spec.type", FaultKind::DuplicateField),
        fault("spec", FaultKind::Invalid("a reason".into())),
        fault("metadata", FaultKind::Loss("removed".into())),
    ];
    let levels = [level("l", json!({}))];
    let configuration = Configuration::cluster(&[], &levels, Release::NEWEST);
    let of = |configuration| {
        let mut findings = lint(configuration);
        findings.retain(|finding| finding.rule != "unused-level");
        findings
    };
    assert_eq!(of(&configuration), []);
    let findings = of(&configuration.faults(&faults));
    assert_eq!(
        found(&findings),
        [
            ("invalid-object", "spec"),
            ("conversion-loss", "metadata"),
            ("unknown-field", exempt),
            ("unknown-field", "spec.limitd"),
            ("unknown-field", shares),
            ("duplicate-field", "spec.type"),
        ]
    );
    assert!(findings[0].message.ends_with(": a reason"));
    assert!(findings[2].help.starts_with("correct the name"));
    assert!(findings[4].help.contains("nominalConcurrencyShares since"));
    assert_eq!(findings[0].severity, Severity::Error);
    assert_eq!(findings[1].severity, Severity::Warning);
}

#[test]
fn objects_with_the_same_name_are_found() {
    let schema = |name| schema(name, user("u"), pods(), json!({}));
    let findings = schema_findings(&[schema("a"), schema("a"), schema("a")]);
    assert_eq!(found(&findings), [("duplicate-object", "metadata.name")]);
    let mut others = [schema("a"), schema("b"), schema("c")];
    for (index, other) in others.iter_mut().enumerate() {
        other.spec.matching_precedence = Some(1000 + i32::try_from(index).unwrap());
        other.spec.rules[0].subjects[0].user.as_mut().unwrap().name = format!("u{index}");
    }
    assert_eq!(schema_findings(&others), []);
}
