//! The findings as lines, and their advice.

use super::{apply, folder, level, migrated, run, write};
use serde_json::Value;
use std::fs;

#[test]
fn places_with_the_same_advice_are_one_line() {
    let folder = folder("lines");
    for name in ["a.go", "b.go"] {
        let text = "FlowcontrolV1beta2()\n".repeat(3);
        fs::write(folder.join(name), text).unwrap();
    }
    let ran = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "./a.go\n./b.go\n"));
    let group = "./a.go:1:1: warning[program]: FlowcontrolV1beta2 is a Go client of v1beta2 (6 places in 2 files, --verbose lists all); \
                 help: use the client of v1, with a library version that has it\n";
    let summary = "2 files checked, 6 places to change by hand\n";
    assert_eq!(ran.err, format!("{group}{summary}"));
    let ran = run(&folder, &["migrate", ".", "-o", "json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["files"][0]["status"], "manual");
    assert_eq!(report["summary"]["manualFiles"], 2);
    let ran = run(&folder, &["migrate", ".", "-v"]);
    assert!(ran.err.contains("1 | FlowcontrolV1beta2()"), "{}", ran.err);
    for name in ["a", "b"] {
        for line in 1..=3 {
            let place = format!("./{name}.go:{line}:1");
            assert!(ran.err.contains(&place), "{place}\n{}", ran.err);
        }
    }
    // Another advice is another group, and a single place is without a number.
    let flag = "server --runtime-config=flowcontrol.apiserver.k8s.io/v1beta2=true\n";
    fs::write(folder.join("c.sh"), flag).unwrap();
    let ran = run(&folder, &["migrate", ".", "--check"]);
    let line = "./c.sh:1:54: warning[program]: a --runtime-config flag names flowcontrol.apiserver.k8s.io/v1beta2; \
                help: remove the version from the flag: newer servers do not have it\n";
    let summary = "3 files checked, 7 places to change by hand\n";
    assert_eq!(ran.err, format!("{group}{line}{summary}"));
}

#[test]
fn each_error_is_a_line() {
    let folder = folder("errors");
    for name in ["a", "b"] {
        let text = level(name)
            .replace("v1beta2", "v1")
            .replace("assuredConcurrencyShares: 5", "nominalConcurrencyShares: 0");
        fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
    }
    let ran = run(&folder, &["migrate", ".", "--to-version", "v1beta2"]);
    let lines: Vec<_> = ran.err.lines().collect();
    let [first, second, _summary] = lines[..] else {
        panic!("{}", ran.err);
    };
    for (line, name) in [(first, "a"), (second, "b")] {
        let place = format!("./{name}.yaml:8:");
        assert!(line.starts_with(&place), "{line}");
        assert!(line.contains("error[loss]:"), "{line}");
        assert!(line.contains("; help: "), "{line}");
    }
}

#[test]
fn a_reason_stands_before_the_diff() {
    let folder = folder("reason");
    let text = level("a").replace("Shares: 5", "Shares: 0");
    fs::write(folder.join("a.yaml"), &text).unwrap();
    let ran = run(&folder, &["migrate", "a.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = "# a.yaml:8: spec.limited.assuredConcurrencyShares: 0 becomes 30: 0 means the default of 30 in the old version, and no shares in v1\n--- a.yaml\n";
    assert!(ran.out.starts_with(line), "{}", ran.out);
    // It does not disturb programs that apply the diff.
    assert!(apply(&folder, &ran.out, &["-p0"]).success());
    let new = fs::read_to_string(folder.join("a.yaml")).unwrap();
    assert_eq!(new, migrated(&text).replace("Shares: 0", "Shares: 30"));
}

#[test]
fn a_computed_version_names_the_definition() {
    let folder = folder("helper");
    let chart = |helper: &str| {
        write(&folder, "chart/Chart.yaml", "name: chart\n");
        write(&folder, "chart/templates/_helpers.tpl", helper);
        let object = "apiVersion: {{ include \"chart.version\" . }}\nkind: FlowSchema\nmetadata:\n  name: a\n";
        write(&folder, "chart/templates/a.yaml", object);
        run(&folder, &["migrate", "chart", "--check"])
    };
    let old = "{{/* c */}}\n{{- define \"chart.version\" -}}\nflowcontrol.apiserver.k8s.io/v1beta3\n{{- end }}\n";
    let ran = chart(old);
    let message = "chart/templates/a.yaml:1:13: warning[template]: the version of this FlowSchema is computed by the named template chart.version in chart/templates/_helpers.tpl:2";
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.err.contains(message), "{}", ran.err);
    assert!(ran.err.contains("helm template CHART"), "{}", ran.err);
    let ran = chart(&old.replace("v1beta3", "v1"));
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let ran = chart("");
    assert!(
        ran.err.contains("which is not defined in these files"),
        "{}",
        ran.err
    );
}
