//! `--check`, the forms for programs, and invalid arguments.

use super::{fixtures, folder, level, run};
use serde_json::Value;
use std::fs;

#[test]
fn check_fails_on_everything_that_is_not_in_the_wanted_version() {
    let folder = folder("check");
    let check = |text: &str| {
        fs::write(folder.join("a.yaml"), text).unwrap();
        run(&folder, &["migrate", ".", "--check"])
    };
    let outdated = check(&level("a"));
    assert_eq!((outdated.code, outdated.out.as_str()), (1, "./a.yaml\n"));
    assert_eq!(
        fs::read_to_string(folder.join("a.yaml")).unwrap(),
        level("a")
    );
    for (name, code) in [
        ("embedded.yaml", 1),
        ("policy.yaml", 1),
        ("chart/values.yaml", 1),
        ("version.yaml", 3),
        ("tabs.yaml", 3),
        ("foreign.yaml", 4),
    ] {
        let text = fs::read_to_string(fixtures().join(name)).unwrap();
        let ran = check(&text);
        assert_eq!(
            (ran.code, ran.out.as_str()),
            (code, "./a.yaml\n"),
            "{name}: {ran:?}"
        );
        assert!(ran.err.contains("./a.yaml:"), "{name}: {}", ran.err);
    }
    let current = check(&super::migrated(&level("a")));
    assert_eq!((current.code, current.out.as_str()), (0, ""));
    assert_eq!(check("kind: Namespace\n").code, 0);
}

#[test]
fn json_has_every_document_and_finding() {
    let folder = folder("json");
    fs::write(folder.join("a.yaml"), level("a") + "---\nkind: Namespace\n").unwrap();
    fs::copy(fixtures().join("foreign.yaml"), folder.join("b.yaml")).unwrap();
    let ran = run(&folder, &["migrate", ".", "--check", "-o", "json"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["schemaVersion"], 1);
    assert_eq!(report["to"], "flowcontrol.apiserver.k8s.io/v1");
    let file = &report["files"][0];
    assert_eq!(
        (&file["path"], &file["status"]),
        (&"./a.yaml".into(), &"outdated".into())
    );
    let document = &file["documents"][0];
    assert_eq!(document["name"], "a");
    assert_eq!(
        document["apiVersion"],
        "flowcontrol.apiserver.k8s.io/v1beta2"
    );
    assert_eq!(document["changes"][1]["line"], 8);
    assert_eq!(
        document["server"]["before"]["limited"]["nominalConcurrencyShares"],
        5
    );
    assert_eq!(document["server"]["before"], document["server"]["after"]);
    let finding = &report["files"][1]["findings"][0];
    assert_eq!(finding["rule"], "foreign-field");
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&8.into(), &5.into())
    );
    assert_eq!(report["summary"]["outdated"], 1);
    assert_eq!(report["summary"]["refused"], 1);
    assert_eq!(report["summary"]["skipped"], 1);
}

#[test]
fn sarif_points_at_lines() {
    let folder = folder("sarif");
    fs::write(folder.join("a b.yaml"), level("a")).unwrap();
    fs::copy(fixtures().join("foreign.yaml"), folder.join("c.yaml")).unwrap();
    let ran = run(&folder, &["migrate", ".", "--check", "-o", "sarif"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["version"], "2.1.0");
    let run = &report["runs"][0];
    assert_eq!(run["properties"]["schemaVersion"], 1);
    let results = run["results"].as_array().unwrap();
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        assert!(
            rules.iter().any(|rule| rule["id"] == result["ruleId"]),
            "{result}"
        );
    }
    let place = |index: usize| &results[index]["locations"][0]["physicalLocation"];
    assert_eq!(results[0]["ruleId"], "outdated");
    assert_eq!(place(0)["artifactLocation"]["uri"], "a%20b.yaml");
    assert_eq!(results[1]["ruleId"], "foreign-field");
    assert_eq!(results[1]["level"], "error");
    assert_eq!(place(1)["region"]["startLine"], 8);
}

#[test]
fn the_command_line_refuses_what_makes_no_sense() {
    let folder = folder("usage");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    let cases: [(&[&str], i32, &str); 8] = [
        (&["migrate"], 2, "<PATH>..."),
        (
            &["migrate", "a.yaml", "--write", "--check"],
            2,
            "cannot be used with",
        ),
        (&["migrate", "a.yaml", "--backup", "b"], 2, "--write"),
        (
            &["migrate", "a.yaml", "--check", "--backup", "b"],
            2,
            "cannot be used with",
        ),
        (
            &["migrate", "a.yaml", "--patch", "--allow-dirty"],
            2,
            "cannot be used with",
        ),
        (
            &["migrate", "a.yaml", "--to-version", "v2"],
            2,
            "expected v1, v1beta3, v1beta2 or v1beta1",
        ),
        (
            &[
                "migrate",
                "a.yaml",
                "--to-version",
                "v1beta2",
                "--kubernetes",
                "1.29",
            ],
            2,
            "Kubernetes 1.29 does not serve v1beta2\nhint: it serves v1 and v1beta3: use --to-version v1",
        ),
        (&["migrate", "nowhere"], 3, "cannot read nowhere"),
    ];
    for (arguments, code, words) in cases {
        let ran = run(&folder, arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        assert!(ran.err.contains(words), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn the_whole_corpus_goes_up_and_down() {
    let folder = folder("corpus");
    copy(&fixtures(), &folder);
    let up = run(
        &folder,
        &["migrate", ".", "--write", "--foreign-fields", "live"],
    );
    assert_eq!(
        up.code, 3,
        "tabs.yaml and version.yaml are errors: {}",
        up.err
    );
    let again = run(&folder, &["migrate", ".", "--foreign-fields", "live"]);
    assert_eq!(again.out, "", "a second run has nothing to change");
    // v1beta3 is the newest version before v1, and everything has a form in it.
    let down = run(
        &folder,
        &["migrate", ".", "--to-version", "v1beta3", "--write"],
    );
    assert!(!down.err.contains("error[loss]"), "{}", down.err);
    let up = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!(up.out, down.out, "what went down goes up");
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
