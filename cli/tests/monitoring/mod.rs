//! Rules and dashboards: their files, and their check by `promtool` of Prometheus.

use crate::common::{Folder, code, run, stderr, stdout};
use k8s_flowcontrol::Release;
use serde_json::Value;
use std::process::{Command, Output};

/// The tests of rules that fire and of rules that do not.
const FIRING: &str = include_str!("../fixtures/monitoring/firing.yaml");
const QUIET: &str = include_str!("../fixtures/monitoring/quiet.yaml");
const BEFORE_1_26: &str = include_str!("../fixtures/monitoring/before-1.26.yaml");

/// Runs `promtool`; `None` where it is not installed.
fn promtool(arguments: &[&str]) -> Option<Output> {
    match Command::new("promtool").args(arguments).output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("skipped: promtool of Prometheus does not run: {error}");
            None
        }
    }
}

fn assert_agrees(output: &Output) {
    let text = stdout(output) + &stderr(output);
    assert!(output.status.success(), "{text}");
}

/// Writes the rules and the dashboard of a release to a folder.
fn write(folder: &Folder, release: &str) -> (String, String) {
    let to = folder.path(&format!("{release}/"));
    let output = run(&[
        "monitoring",
        "--out",
        &to,
        "--kubernetes",
        release,
        "--force",
    ]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let files = ["flowcontrol-rules.yaml", "flowcontrol-dashboard.json"];
    let [rules, dashboard] = files.map(|name| format!("{to}{name}"));
    assert_eq!(
        stderr(&output),
        format!("wrote {rules}\nwrote {dashboard}\n")
    );
    (rules, dashboard)
}

#[test]
fn promtool_accepts_the_rules_and_the_queries_of_the_dashboard() {
    let folder = Folder::new();
    for release in Release::all() {
        let (rules, dashboard) = write(&folder, &release.to_string());
        let Some(output) = promtool(&["check", "rules", "--lint=all", "--lint-fatal", &rules])
        else {
            return;
        };
        assert_agrees(&output);
        let dashboard: Value = serde_json::from_slice(&std::fs::read(dashboard).unwrap()).unwrap();
        let mut text = "groups:\n- name: dashboard\n  rules:\n".to_owned();
        for panel in dashboard["panels"].as_array().unwrap() {
            let Some(expression) = panel["targets"][0]["expr"].as_str() else {
                continue;
            };
            // Grafana replaces its variables before Prometheus sees a query.
            let expression = expression.replace("$__rate_interval", "5m");
            let expression = serde_json::to_string(&expression).unwrap();
            text += &format!(
                "  - record: panel:{}\n    expr: {expression}\n",
                panel["id"]
            );
        }
        let queries = folder.file(&format!("queries-{release}.yaml"), text);
        assert_agrees(&promtool(&["check", "rules", &queries]).unwrap());
    }
}

#[test]
fn alerts_fire_when_they_should() {
    let folder = Folder::new();
    for (release, name, test) in [
        ("1.31", "firing", FIRING),
        ("1.31", "quiet", QUIET),
        ("1.25", "before-1.26", BEFORE_1_26),
    ] {
        let (rules, _) = write(&folder, release);
        let rules = serde_json::to_string(&[rules]).unwrap();
        let file = folder.file(
            &format!("{name}.yaml"),
            format!("rule_files: {rules}\n{test}"),
        );
        let Some(output) = promtool(&["test", "rules", &file]) else {
            return;
        };
        assert_agrees(&output);
    }
}

/// The limits of a real server with 600 seats and 27 deleted levels, whose series add up to 3,531 seats.
#[test]
fn a_full_server_with_recorded_deleted_levels_is_saturated() {
    let recorded = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../analysis/tests/fixtures/metrics/deleted-levels.txt"
    ));
    let Ok(recorded) = recorded else {
        // The published package does not contain the recording.
        return;
    };
    let mut test = "tests:\n- interval: 1m\n  input_series:\n".to_owned();
    let in_use = [("workload-low", 400), ("system", 160), ("met-28-r0", 0)];
    let in_use = in_use.map(|(level, seats)| {
        format!("apiserver_flowcontrol_current_executing_seats{{flow_schema=\"x\",priority_level=\"{level}\"}} {seats}")
    });
    let series = recorded.lines().filter(|line| !line.starts_with('#'));
    for line in series.chain(in_use.iter().map(String::as_str)) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        let series = series.replace('{', "{instance=\"a\",");
        test += &format!("  - series: '{series}'\n    values: {value}x60\n");
    }
    test += "  promql_expr_test:
  - expr: group by (alertname, instance) (ALERTS{alertstate=\"firing\"})
    eval_time: 30m
    exp_samples:
    - labels: '{alertname=\"FlowControlServerSaturated\",instance=\"a\"}'
      value: 1
  - expr: instance:apiserver_flowcontrol_seats:max
    eval_time: 30m
    exp_samples:
    - labels: 'instance:apiserver_flowcontrol_seats:max{instance=\"a\"}'
      value: 600
";
    let folder = Folder::new();
    let (rules, _) = write(&folder, "1.36");
    let rules = serde_json::to_string(&[rules]).unwrap();
    let file = folder.file("deleted.yaml", format!("rule_files: {rules}\n{test}"));
    if let Some(output) = promtool(&["test", "rules", &file]) {
        assert_agrees(&output);
    }
}

#[test]
fn the_output_is_the_same_each_time() {
    for format in ["rules", "prometheus-rule", "dashboard", "config-map"] {
        let arguments = [
            "monitoring",
            "--out",
            "-",
            "--format",
            format,
            "--kubernetes",
            "1.33",
        ];
        let (first, second) = (run(&arguments), run(&arguments));
        assert_eq!(code(&first), 0, "{}", stderr(&first));
        assert!(!first.stdout.is_empty());
        assert_eq!(first.stdout, second.stdout, "{format}");
    }
}

#[test]
fn objects_hold_the_rules_and_the_dashboard() {
    let read = |format| {
        let output = run(&["monitoring", "--out", "-", "--format", format]);
        let text = stdout(&output);
        match format {
            "dashboard" => text,
            _ => k8s_flowcontrol_text::yaml_to_json(text.as_bytes()).unwrap(),
        }
    };
    let value = |format| serde_json::from_str::<Value>(&read(format)).unwrap();
    let object = value("prometheus-rule");
    assert_eq!(object["apiVersion"], "monitoring.coreos.com/v1");
    assert_eq!(object["kind"], "PrometheusRule");
    assert_eq!(object["spec"], value("rules"));
    let object = value("config-map");
    assert_eq!(object["metadata"]["labels"]["grafana_dashboard"], "1");
    let data = object["data"]["k8s-flowcontrol.json"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(data).unwrap(),
        value("dashboard")
    );
}

#[test]
fn the_name_of_a_file_decides_its_form() {
    let folder = Folder::new();
    let (rules, dashboard) = (folder.path("a.yml"), folder.path("b.json"));
    let output = run(&["monitoring", "--out", &rules, "--out", &dashboard]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    assert!(read(&rules).starts_with("# Written by `kubectl flowcontrol monitoring`"));
    assert!(serde_json::from_str::<Value>(&read(&dashboard)).unwrap()["panels"].is_array());
    let other = folder.path("c.txt");
    let output = run(&["monitoring", "--out", &other]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--format"), "{}", stderr(&output));
    let output = run(&["monitoring", "--out", &other, "--matchers", "job=api"]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("label matchers"),
        "{}",
        stderr(&output)
    );
    // Prometheus would reject the file.
    let output = run(&["monitoring", "--out", &rules, "--matchers", "job=~\"api(\""]);
    assert_eq!(code(&output), 2);
    let said = "for '--matchers <MATCHERS>': `job=~\"api(\"`: the regular expression `api(` is invalid at character 4: unclosed group";
    assert!(stderr(&output).contains(said), "{}", stderr(&output));
}

#[test]
fn files_are_replaced_only_by_force() {
    let folder = Folder::new();
    for (name, foreign) in [
        ("rules.yaml", "groups: []\n"),
        ("d.json", "{\"uid\": \"own\"}\n"),
    ] {
        let path = folder.file(name, foreign);
        let output = run(&["monitoring", "--out", &path]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("--force"), "{}", stderr(&output));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign);
        assert_eq!(code(&run(&["monitoring", "--out", &path, "--force"])), 0);
        assert_ne!(std::fs::read_to_string(&path).unwrap(), foreign);
    }
}
