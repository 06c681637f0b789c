//! Outputs: colors, SARIF, charts, completion scripts, and outputs that cannot be written.

use crate::common::{Folder, code, program, run, stderr, stdout};
use serde_json::Value;

#[test]
fn color_is_for_terminals_and_for_who_asks() {
    let validate = ["validate", "-f", "examples/mistakes.yaml"];
    assert!(!stdout(&run(&validate)).contains('\u{1b}'));
    let colored = run(&[["--color", "always"].as_slice(), &validate].concat());
    assert!(stdout(&colored).contains('\u{1b}'));
}

#[test]
fn sarif_names_its_version_its_rules_and_the_place() {
    let output = run(&["lint", "-f", "examples/mistakes.yaml", "-o", "sarif"]);
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let result = &run["results"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["id"] == result["ruleId"]));
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "examples/mistakes.yaml");
    assert_eq!(place["region"]["startLine"], 7);
}

#[test]
fn sarif_has_paths_as_references() {
    let folder = Folder::new();
    let mistakes = include_str!("../../examples/mistakes.yaml");
    let absolute = folder.file("a b/ü.yaml", mistakes);
    folder.file("x:y", mistakes);
    for (path, expected) in [
        ("./a b/ü.yaml", "a%20b/%C3%BC.yaml"),
        ("a b/../x:y", "a%20b/../x%3Ay"),
        (
            &absolute,
            &format!("file://{}", absolute.replace("a b/ü", "a%20b/%C3%BC")),
        ),
    ] {
        let mut lint = program();
        lint.current_dir(folder.path(""));
        lint.args(["lint", "-f", path, "-o", "sarif"]);
        let log: Value = serde_json::from_slice(&lint.output().unwrap().stdout).unwrap();
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], expected, "{log}");
    }
}

#[test]
fn a_chart_is_written_for_browsers() {
    let folder = Folder::new();
    let file = folder.path("seats.svg");
    let name = "a<&\"b";
    let level = folder.file(
        "level.yaml",
        format!("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata: {{name: '{name}'}}\nspec: {{type: Limited, limited: {{limitResponse: {{type: Reject}}}}}}\n"),
    );
    let output = run(&["seats", "-f", &level, "--svg", &file]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("a&lt;&amp;&quot;b") && !svg.contains("a<&"));
}

#[test]
fn every_shell_is_completed() {
    // The scripts of the others ask the program for the words.
    for (shell, word) in [
        ("bash", "__complete"),
        ("elvish", "validate"),
        ("fish", "__complete"),
        ("powershell", "validate"),
        ("zsh", "__complete"),
    ] {
        let script = run(&["completion", shell]);
        assert_eq!(code(&script), 0);
        assert!(stdout(&script).contains(word), "{shell}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    for arguments in [
        &["--help"][..],
        &["help", "seats"],
        &["--version"],
        &["seats"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = program();
        command.args(arguments).stdout(full.unwrap());
        let output = command.output().unwrap();
        assert_eq!(code(&output), 3, "{arguments:?}");
        let text = stderr(&output);
        assert!(text.contains("cannot write the output"), "{text}");
    }
}
