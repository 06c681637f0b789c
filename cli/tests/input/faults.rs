//! Faults of files and objects: each is found, and hides nothing else.

use crate::common::{Folder, code, run, stderr, stdout};
use serde_json::{Value, json};

fn level(name: &str, limited: &str) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: {name}}}\n\
         spec:\n  type: Limited\n  limited:\n{limited}    limitResponse: {{type: Reject}}\n---\n"
    )
}

/// The exit code of `lint`, and rule, path and line of each finding in JSON and in SARIF.
fn findings(arguments: &[&str]) -> (i32, Vec<(String, String, u64)>) {
    let output = run(&[&["lint", "-o", "json"], arguments].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let findings: Vec<_> = (report["findings"].as_array().unwrap().iter())
        .map(|finding| {
            let line = finding["line"].as_u64().unwrap();
            (text(&finding["rule"]), text(&finding["path"]), line)
        })
        .collect();
    let sarif = run(&[&["lint", "-o", "sarif"], arguments].concat());
    assert_eq!(code(&sarif), code(&output));
    let log: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<_> = results
        .iter()
        .map(|result| text(&result["ruleId"]))
        .collect();
    let expected: Vec<_> = findings.iter().map(|(rule, ..)| rule.clone()).collect();
    assert_eq!(rules, expected);
    (code(&output), findings)
}

fn finding(rule: &str, path: &str, line: u64) -> (String, String, u64) {
    (rule.into(), path.into(), line)
}

#[test]
fn fields_and_objects_without_an_effect_are_findings() {
    let folder = Folder::new();
    let unused = |line| finding("unused-level", "metadata.name", line);
    let shares = "spec.limited.assuredConcurrencyShares";
    let unknown = folder.file("a.yaml", level("a", "    assuredConcurrencyShares: 9\n"));
    let found = [finding("unknown-field", shares, 7), unused(3)];
    assert_eq!(findings(&["-f", &unknown]), (1, found.to_vec()));
    let found = findings(&["-f", &unknown, "--fail-on", "error"]);
    assert_eq!(found.0, 0);
    let table = run(&["lint", "-f", &unknown]);
    assert!(stdout(&table).starts_with("warning[unknown-field]: "));
    assert_eq!(stderr(&table), "1 object: 0 errors, 1 warning, 1 note\n");

    // Only the last of two objects counts, and so do its faults.
    let twice = level("a", "    bogus: 1\n") + &level("a", "");
    let twice = folder.file("twice.yaml", twice);
    let found = [finding("duplicate-object", "metadata.name", 12), unused(12)];
    assert_eq!(findings(&["-f", &twice]), (1, found.to_vec()));

    let lend = "    lendablePercent: 5\n";
    let repeated = folder.file("repeated.yaml", level("a", &lend.repeat(2)));
    let path = "spec.limited.lendablePercent";
    let found = [finding("duplicate-field", path, 8), unused(3)];
    assert_eq!(findings(&["-f", &repeated]), (1, found.to_vec()));

    let list = "kind: List\napiVersion: v1\nitems:\n- apiVersion: flowcontrol.apiserver.k8s.io/v1\n  kind: PriorityLevelConfiguration\n  \
        metadata: {name: a}\n  spec:\n    type: Limited\n    limited:\n      bogus: 1\n      bogus: 2\n      limitResponse: {type: Reject}\n";
    let list = folder.file("list.yaml", list);
    let (_, found) = findings(&["-f", &list]);
    let faults: Vec<_> = found
        .iter()
        .map(|(rule, path, _)| (rule.as_str(), path.as_str()))
        .collect();
    let path = "spec.limited.bogus";
    assert_eq!(
        faults[..2],
        [("duplicate-field", path), ("unknown-field", path)]
    );
}

#[test]
fn losses_of_the_conversion_to_v1_are_findings() {
    let folder = Folder::new();
    let annotation = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
    let old = |shares: u32| {
        level("a", &format!("    nominalConcurrencyShares: {shares}\n"))
            .replace("/v1\n", "/v1beta3\n")
            .replace(
                "{name: a}",
                &format!("{{name: a, annotations: {{{annotation}: \"\"}}}}"),
            )
    };
    let lossy = folder.file("lossy.yaml", old(5));
    let path = format!("metadata.annotations[{annotation}]");
    let (exit, found) = findings(&["-f", &lossy]);
    assert_eq!(
        (exit, &found[0]),
        (1, &finding("conversion-loss", &path, 3))
    );
    let table = run(&["lint", "-f", &lossy]);
    // The finding is the only word about it.
    assert_eq!(stderr(&table), "1 object: 0 errors, 1 warning, 1 note\n");
    assert_eq!(findings(&["-f", &lossy, "--fail-on", "error"]).0, 0);
    // Other commands warn.
    let seats = stderr(&run(&["seats", "-f", &lossy]));
    assert_eq!(
        seats.matches("it only keeps zero shares").count(),
        1,
        "{seats}"
    );

    let zero = folder.file("zero.yaml", old(0));
    let (_, found) = findings(&["-f", &zero]);
    assert!(
        found.iter().all(|(rule, ..)| rule != "conversion-loss"),
        "{found:?}"
    );
}

#[test]
fn objects_that_a_server_rejects_are_named() {
    let folder = Folder::new();
    let limited = "    nominalConcurrencyShares: -5\n    lendablePercent: 150\n";
    let invalid = folder.file("a.yaml", level("a", limited));
    let path = "spec.limited.nominalConcurrencyShares";
    let (exit, found) = findings(&["-f", &invalid]);
    assert_eq!((exit, &found[0]), (1, &finding("invalid-object", path, 7)));
    let rules = found.iter().filter(|(rule, ..)| rule == "invalid-object");
    assert_eq!(rules.count(), 1);
    let old = level("a", limited).replace("/v1\n", "/v1beta3\n");
    let old = folder.file("old.yaml", old);
    for file in [&invalid, &old] {
        for command in [
            &["seats"][..],
            &["simulate", "--load", "examples/load.yaml"],
        ] {
            let output = run(&[command, &["-f", file]].concat());
            let said = stderr(&output);
            let warning = "warning: PriorityLevelConfiguration \"a\": a server rejects this object: \
                 spec.limited.nominalConcurrencyShares: Invalid value: -5: must be a non-negative integer\n";
            assert_eq!(said.matches("a server rejects").count(), 1, "{said}");
            assert!(said.contains(warning), "{said}");
            assert!(
                said.contains("= help: `kubectl flowcontrol validate`"),
                "{said}"
            );
        }
    }
    let valid = folder.file("b.yaml", level("b", "    nominalConcurrencyShares: 5\n"));
    assert!(!stderr(&run(&["seats", "-f", &valid])).contains("rejects"));
}

#[test]
fn a_broken_file_does_not_hide_the_findings_of_others() {
    let folder = Folder::new();
    let good = folder.file("all/a.yaml", level("a", ""));
    folder.file(
        "all/b.yaml",
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: FlowSchema\nmetadata: [\n",
    );
    let all = folder.path("all");
    let missing = folder.path("missing.yaml");
    let arguments = ["-f", &missing, "-f", &all];
    let (exit, found) = findings(&arguments);
    assert_eq!(
        (exit, found),
        (3, vec![finding("unused-level", "metadata.name", 3)])
    );
    let said = stderr(&run(&[&["lint"], &arguments[..]].concat()));
    for expected in [
        "1 object: 0 errors, 0 warnings, 1 note\n",
        &format!("error: cannot read {missing}: "),
        "b.yaml:3:12\n",
        "error: cannot read 1 object\n",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    // A part of the objects would give other numbers.
    let seats = run(&["seats", "-f", &missing, "-f", &good]);
    assert_eq!((code(&seats), stdout(&seats)), (3, String::new()));
}

/// Root reads every folder.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_does_not_hide_the_others() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    folder.file("a.yaml", level("a", ""));
    folder.file("secret/b.yaml", level("b", ""));
    let mode = |mode| {
        let path = folder.path("secret");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0);
    if std::fs::read_dir(folder.path("secret")).is_ok() {
        return;
    }
    for command in ["validate", "lint"] {
        let output = run(&[command, "-f", &folder.path(""), "-R"]);
        let (found, said) = (stdout(&output), stderr(&output));
        assert_eq!(code(&output), 3, "{command}: {said}");
        assert!(found.contains("a.yaml:"), "{command}: {found}");
        assert!(said.contains("error: cannot read the folder "), "{said}");
    }
    mode(0o755);
}

#[test]
fn the_mistake_is_named_and_not_the_version_alone() {
    let folder = Folder::new();
    let head = |kind: &str| {
        format!("apiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nkind: {kind}\nmetadata: ")
    };
    let misspelt = head("Flowschema") + "{name: a}\nspec: {}\n";
    let current = misspelt.replace("v1beta2", "v1");
    let template = format!(
        "{{{{- if .Values.x }}}}\n{}{{name: a}}\n{{{{- end }}}}\n",
        head("FlowSchema")
    );
    let rendered = "= help: render templates first, as in `helm template CHART | kubectl flowcontrol validate -f -`\n";
    for (text, expected) in [
        (
            head("FlowSchema") + "[a\nspec: {}\n",
            &["error[BadRequest]: yaml: line 3: did not find expected ',' or ']'\n"][..],
        ),
        (
            misspelt,
            &[
                "`Flowschema` is not a kind",
                "= help: did you mean `kind: FlowSchema`?\n",
            ],
        ),
        (current, &["= help: did you mean `kind: FlowSchema`?\n"]),
        (template, &["did not find expected node content", rendered]),
    ] {
        let file = folder.file("a.yaml", text);
        let output = run(&["validate", "-f", &file]);
        let found = stdout(&output);
        assert_eq!(code(&output), 1, "{found}");
        for expected in expected {
            assert!(found.contains(expected), "{expected}: {found}");
        }
        assert!(
            !found.contains("could not find the requested resource"),
            "{found}"
        );
    }
    // The answer for programs is the server's.
    let file = folder.file("a.yaml", head("FlowSchema") + "[a\n");
    let output = run(&["validate", "-o", "json", "-f", &file]);
    let verdict: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(verdict["status"]["code"], json!(404));
}

#[test]
fn every_file_that_cannot_be_read_is_named() {
    let folder = Folder::new();
    let good = folder.file("good.yaml", level("a", ""));
    let missing = ["first.yaml", "second.yaml"].map(|name| folder.path(name));
    let [first, second] = &missing;
    for command in ["seats", "lint"] {
        let output = run(&[command, "-f", first, "-f", &good, "-f", second]);
        assert_eq!(code(&output), 3);
        for name in &missing {
            let error = format!("error: cannot read {name}: ");
            assert!(stderr(&output).contains(&error), "{}", stderr(&output));
        }
    }
}
