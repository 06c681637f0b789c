//! Large texts: the work grows as the text does, so these tests end, in many lines and in one.

use k8s_flowcontrol_manifests::{Form, Metrics, Settings, migrate, uses};
use k8s_flowcontrol_types::ApiVersion;

const GROUP: &str = "flowcontrol.apiserver.k8s.io";

/// Beginnings of texts, and parts that follow them many times.
fn parts() -> Vec<(String, String)> {
    let go = "package a\n";
    let object = "kind: FlowSchema\nmetadata: {name: a}\n";
    let both = |condition: &str| {
        format!(
            "{{{{ if {condition} }}}}\napiVersion: {GROUP}/v1beta3\n{{{{ else }}}}\napiVersion: {GROUP}/v1beta2\n{{{{ end }}}}\n"
        )
    };
    [
        // The words of names and paths.
        (go, "FlowSchemaV1beta2".to_owned()),
        (go, "v1beta2FlowSchema_".to_owned()),
        (go, "/flowcontrol/v1beta2".to_owned()),
        (go, "x = v1beta2.FlowSchema{}\n".to_owned()),
        // Strings, quotes without an end, and values that are put together.
        (go, format!("x(\"{GROUP}\", \"v1beta2\")\n")),
        (go, format!("x = \"/apis/{GROUP}/v1beta2\"\n")),
        (go, "\" ' ` \\\" \\' { ${ #{ <%= \\( $( {{ \n".to_owned()),
        (
            go,
            format!("\"{GROUP}/v1beta2\": \"1.29\", \"{GROUP}/v1\"\n"),
        ),
        // Names around a version.
        (
            go,
            "withVersion(\"v1beta2\"); gvr.version = \"v1beta2\"\n".to_owned(),
        ),
        ("flowcontrol:\n", " version: \"v1beta2\"\n".to_owned()),
        // Comments that keep their lines.
        ("", format!("# flowcontrol: keep\na: {GROUP}/v1beta2\n")),
        // Templates.
        (
            "",
            format!("---\napiVersion: {GROUP}/{{{{ .Values.a.version }}}}\n{object}"),
        ),
        (
            "#@ def version():\n#@ return \"flowcontrol.apiserver.k8s.io/v1beta2\"\n#@ end\n",
            format!("---\napiVersion: #@ version()\n{object}"),
        ),
        ("", format!("---\n{}{object}", both(".a"))),
        (
            "",
            format!("{}{object}", both(&format!("has \"{GROUP}/v1beta3\""))),
        ),
        ("", format!("{{{{ if .a }}}}\n{GROUP}/v1beta2\n")),
        ("", format!("{{{{ .a }}}}\n{object}")),
        // Objects.
        ("", format!("---\napiVersion: {GROUP}/v1beta2\n{object}")),
        (
            "",
            "x: apiserver_flowcontrol_request_concurrency_limit\n".to_owned(),
        ),
    ]
    .into_iter()
    .map(|(head, part)| (head.to_owned(), part))
    .collect()
}

/// A time that grows with the square of the number of parts would be minutes.
#[test]
fn many_parts_in_lines_and_in_one_line() {
    let count = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 1_500,
        None => 150,
    };
    let settings = Settings {
        metrics: Metrics::Rename,
        ..Settings::to(ApiVersion::V1)
    };
    let mut is_found = Vec::new();
    for (head, part) in parts() {
        let text = format!("{head}{}", part.repeat(count));
        for text in [text.replace('\n', " "), text] {
            let uses = uses(&text, ApiVersion::V1);
            let migration = migrate(&text, Form::Yaml, settings);
            is_found.push(uses.len() + migration.findings.len() + migration.edits.len() > 0);
            for finding in uses.iter().chain(&migration.findings) {
                assert!(text.is_char_boundary(finding.offset), "{finding:?}");
            }
            if let Some(new) = migration.text {
                assert_eq!(migrate(&new, Form::Yaml, settings).text, None, "{part}");
            }
        }
    }
    // Some have a part of a name only.
    let found = is_found.iter().filter(|found| **found).count();
    assert!(
        found * 5 > is_found.len() * 4,
        "{found} of {}",
        is_found.len()
    );
}
