//! `migrate --render`, with a program that stands for Helm, and with Helm itself where it is installed.

use super::{Ran, folder, level, migrated};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Renders the templates of a chart: the value of each action is in the file `version` of the chart.
const HELM: &str = r##"#!/bin/sh
[ "$1 $2" = "template release-name" ] || exit 1
case "$*" in *"--kube-version=1."*"--api-versions=flowcontrol.apiserver.k8s.io/v1/FlowSchema"*) ;; *) exit 1 ;; esac
cd "$3" || exit 1
[ -e version ] || { echo 'Error: missing: run `helm dependency build`' >&2; exit 1; }
for file in templates/*.yaml; do
    echo ---
    echo "# Source: name/$file"
    sed "s|{{ .* }}|flowcontrol.apiserver.k8s.io/$(cat version)|" "$file"
done
"##;

struct Chart {
    folder: PathBuf,
}

impl Chart {
    fn new(name: &str, helm: &str) -> Self {
        let chart = Self::of_helm(name);
        let folder = &chart.folder;
        fs::create_dir_all(folder.join("bin")).unwrap();
        let program = folder.join("bin/helm");
        fs::write(&program, helm).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        chart
    }

    /// A chart that the `helm` in the PATH renders.
    fn of_helm(name: &str) -> Self {
        let chart = Self {
            folder: folder(name),
        };
        chart.write("Chart.yaml", "apiVersion: v2\nname: name\nversion: 0.1.0\n");
        chart
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.folder.join("chart").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        let paths = std::env::var_os("PATH").unwrap();
        let mut path = vec![self.folder.join("bin")];
        path.extend(std::env::split_paths(&paths));
        run_in(
            &self.folder,
            arguments,
            &std::env::join_paths(path).unwrap(),
        )
    }
}

fn run_in(folder: &Path, arguments: &[&str], path: &std::ffi::OsStr) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
        .args(["migrate", "chart", "--render"])
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .output();
    Ran::from(output.unwrap())
}

const OBJECT: &str =
    "apiVersion: {{ template \"version\" }}\nkind: FlowSchema\nmetadata: {name: a}\n";

#[test]
fn a_computed_version_is_known_after_rendering() {
    let chart = Chart::new("render", HELM);
    chart.write("templates/a.yaml", OBJECT);
    chart.write("version", "v1");
    let ran = chart.run(&["--check", "-v"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let note = "note[template]: the version of this FlowSchema is computed by the named template version, which is not defined in these files; rendered for Kubernetes 1.37, it is in v1";
    assert!(ran.err.contains(note), "{}", ran.err);
    chart.write("version", "v1beta3");
    let ran = chart.run(&["--check", "--kubernetes", "1.31"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert_eq!(ran.out, "chart/templates/a.yaml\n");
    let warning = "chart/templates/a.yaml:1:13: warning[rendered]: Helm renders FlowSchema \"a\" in v1beta3 for Kubernetes 1.31";
    assert!(ran.err.contains(warning), "{}", ran.err);
}

#[test]
fn the_migrated_chart_is_rendered_and_compared() {
    let chart = Chart::new("render-migrated", HELM);
    let text = format!("# {{{{ x }}}}\n{}", level("a"));
    chart.write("templates/a.yaml", &text);
    chart.write("version", "v1");
    let ran = chart.run(&["--write"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "chart/templates/a.yaml\n"),
        "{ran:?}"
    );
    let path = chart.folder.join("chart/templates/a.yaml");
    assert_eq!(fs::read_to_string(&path).unwrap(), migrated(&text));

    // A chart that looks at its own text renders something else when that changes.
    let other = HELM.replace(
        "echo ---\n",
        "echo ---; grep -q /v1beta2 \"$file\" || { cat other; continue; }\n",
    );
    let chart = Chart::new("render-other", &other);
    chart.write("templates/a.yaml", &level("a"));
    chart.write("version", "");
    chart.write(
        "other",
        &migrated(&level("a")).replace("Shares: 5", "Shares: 7"),
    );
    let ran = chart.run(&["--write"]);
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
    assert!(
        ran.err.contains(
            "error[rendered]: with the migrated templates, Helm renders objects that differ"
        ),
        "{}",
        ran.err
    );
    let path = chart.folder.join("chart/templates/a.yaml");
    assert_eq!(fs::read_to_string(&path).unwrap(), level("a"));
}

#[test]
fn a_chart_that_cannot_be_rendered_was_not_checked() {
    let chart = Chart::new("render-error", HELM);
    chart.write("templates/a.yaml", OBJECT);
    chart.write("charts/sub/Chart.yaml", "name: sub\n");
    chart.write("charts/sub/templates/b.yaml", "kind: Namespace\n");
    chart.write("lib/Chart.yaml", "name: lib\ntype: library\n");
    let ran = chart.run(&["--check"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    // The chart in the folder charts is a part of the outer one, and a library renders nothing.
    assert_eq!(
        ran.err.matches("error[not-checked]").count(),
        1,
        "{}",
        ran.err
    );
    let error = "chart/Chart.yaml:1:1: error[not-checked]: Helm cannot render this chart: missing: run `helm dependency build`";
    assert!(ran.err.contains(error), "{}", ran.err);
}

#[test]
fn without_helm_the_error_tells_what_to_do() {
    let chart = Chart::new("render-none", HELM);
    let empty = chart.folder.join("chart");
    let ran = run_in(&chart.folder, &[], empty.as_os_str());
    assert_eq!((ran.code, ran.out.as_str()), (3, ""), "{ran:?}");
    assert!(
        ran.err.contains("helm, which is not in the PATH"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("`helm template CHART > FILE`"),
        "{}",
        ran.err
    );
}

#[test]
fn helm_itself_renders_and_compares_charts() {
    let version = Command::new("helm").args(["version", "--short"]).output();
    let Some(version) = version.ok().filter(|output| output.status.success()) else {
        eprintln!("not tested: helm is not installed");
        return;
    };
    eprintln!("Helm {}", String::from_utf8_lossy(&version.stdout));

    // A version that only Helm knows.
    let chart = Chart::of_helm("helm");
    let computed = OBJECT.replace(
        "{{ template \"version\" }}",
        "flowcontrol.apiserver.k8s.io/{{ .Values.version | lower }}",
    );
    chart.write("templates/a.yaml", &computed);
    chart.write("values.yaml", "version: V1\n");
    let ran = chart.run(&["--check", "-v"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let note = "rendered for Kubernetes 1.37, it is in v1";
    assert!(ran.err.contains(note), "{}", ran.err);
    chart.write("values.yaml", "version: V1beta3\n");
    let ran = chart.run(&["--check", "--kubernetes", "1.31"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let warning = "warning[rendered]: Helm renders FlowSchema \"a\" in v1beta3 for Kubernetes 1.31";
    assert!(ran.err.contains(warning), "{}", ran.err);
    let values = chart.folder.join("values-v1.yaml");
    fs::write(&values, "version: v1\n").unwrap();
    let ran = chart.run(&["--check", "--values", values.to_str().unwrap()]);
    assert_eq!(ran.code, 0, "{ran:?}");

    // The migrated templates, with the functions and the values of Helm.
    let chart = Chart::of_helm("helm-migrated");
    let text = format!(
        "{{{{- if .Values.fair | default true }}}}\n{}{{{{- end }}}}\n",
        level("{{ .Release.Name }}-a")
    );
    chart.write("templates/a.yaml", &text);
    let ran = chart.run(&["--write"]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (0, "chart/templates/a.yaml\n"),
        "{ran:?}"
    );
    let path = chart.folder.join("chart/templates/a.yaml");
    assert_eq!(fs::read_to_string(&path).unwrap(), migrated(&text));

    let chart = Chart::of_helm("helm-error");
    chart.write("templates/a.yaml", OBJECT);
    let ran = chart.run(&["--check"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let error = "error[not-checked]: Helm cannot render this chart: ";
    assert!(ran.err.contains(error), "{}", ran.err);
    // Helm 3 names the reason in the line of the place, Helm 4 below it.
    let reason = "at <{{template \"version\"}}>: template \"version\" not defined";
    assert!(ran.err.contains(reason), "{}", ran.err);
}
