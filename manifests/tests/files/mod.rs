//! The files of a folder, as a program migrates them.

mod dependencies;
mod reasons;
mod replace;

use k8s_flowcontrol_manifests::files::{
    Backups, Examined, FileUpgrade, Selection, Status, collect, conflict, examine_all, write_all,
};
use k8s_flowcontrol_manifests::{Remedy, Rule, Settings, Severity};
use k8s_flowcontrol_rules::upgrade::Plan;
use k8s_flowcontrol_types::ApiVersion;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

fn level(shares: u32) -> String {
    format!(
        "apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind: PriorityLevelConfiguration\nmetadata:\n  name: a\nspec:\n  type: Limited\n  limited:\n    nominalConcurrencyShares: {shares}\n    limitResponse:\n      type: Reject\n"
    )
}

/// Writes a file, and the folders around it.
fn write(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The files of a folder, or a named file, examined for another version.
fn examined(path: &Path, to: ApiVersion) -> Vec<Examined> {
    let selection = Selection::new(&[], false).unwrap();
    let found = collect(&[path.to_owned()], None, &selection).unwrap();
    examine_all(found.files, Settings::to(to), false, |_| {})
}

#[test]
fn a_folder_is_migrated_with_backups() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
    write("good.yaml", &level(5));
    write("lossy.yaml", &level(0));
    write("other.yaml", "kind: Pod\n");
    write("left-out.yaml", &level(5));
    let selection = Selection::new(&["left-out.yaml".to_owned()], false).unwrap();
    let collected = |path: &Path| collect(&[path.to_owned()], None, &selection);
    assert!(
        collected(&root.join("missing"))
            .unwrap_err()
            .to_string()
            .starts_with("cannot read ")
    );
    let found = collected(&root).unwrap();
    assert_eq!(found.files.len(), 3);
    assert!(Selection::new(&["{".to_owned()], false).is_err());

    let settings = Settings::to(ApiVersion::V1Beta2);
    let mut seen = 0;
    let files = examine_all(found.files, settings, false, |done| seen = done);
    assert!(seen <= 3);
    let backups = Backups {
        folder: root.join("old"),
        working_directory: root.clone(),
    };
    assert_eq!(conflict(&files, &backups), None);
    // A run that was stopped changes nothing.
    let stopped = AtomicBool::new(true);
    let files = write_all(files, Some(&backups), &stopped, |_| {});
    assert_eq!(
        fs::read_to_string(root.join("good.yaml")).unwrap(),
        level(5)
    );
    let files = write_all(files, Some(&backups), &AtomicBool::new(false), |_| {});
    let states: Vec<_> = files.iter().map(|file| file.status).collect();
    assert_eq!(states, [Status::Changed, Status::Refused, Status::Current]);
    let finding = &files[1].outcome.findings[0];
    assert_eq!(finding.rule, Rule::Loss);
    assert!(matches!(finding.help, Some(Remedy::AcceptLoss { .. })));
    assert_eq!(files[1].source.position(finding.offset).line, 8);
    let new = fs::read_to_string(root.join("good.yaml")).unwrap();
    assert!(new.contains("v1beta2") && new.contains("assuredConcurrencyShares: 5"));
    assert_eq!(
        fs::read_to_string(root.join("old/good.yaml")).unwrap(),
        level(5)
    );
    assert_eq!(
        fs::read_to_string(root.join("lossy.yaml")).unwrap(),
        level(0)
    );
    assert!(!root.join("old/lossy.yaml").exists());
}

/// Tests of other versions need objects in them, and name the files so.
#[test]
fn test_data_that_is_named_for_its_version_stays() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let old = level(5).replace("/v1\n", "/v1beta3\n");
    for name in [
        "fixtures/level-v1beta3.yaml",
        "test_data/v1beta3/level.yaml",
        "test-data/level-v1beta2.yaml",
        "levels/level-v1beta3.yaml",
    ] {
        write(&root, name, &old);
    }
    let files = examined(&root, ApiVersion::V1);
    let changed = files.iter().filter(|file| file.status == Status::Outdated);
    let changed: Vec<_> = changed
        .map(|file| file.candidate.path.strip_prefix(&root).unwrap().to_owned())
        .collect();
    assert_eq!(
        changed,
        [
            "levels/level-v1beta3.yaml",
            "test-data/level-v1beta2.yaml",
            "test_data/v1beta3/level.yaml"
        ]
        .map(std::path::PathBuf::from)
    );
    let kept = files
        .iter()
        .find(|file| file.status == Status::Current)
        .unwrap();
    assert_eq!(kept.outcome.findings.len(), 1);
    assert_eq!(kept.outcome.findings[0].rule, Rule::Generated);
    // The file itself may be meant.
    let named = examined(&root.join("fixtures/level-v1beta3.yaml"), ApiVersion::V1);
    assert_eq!(named[0].status, Status::Outdated);
}

#[test]
fn an_upgrade_says_what_each_file_needs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let write = |name: &str, text: String| fs::write(root.join(name), text).unwrap();
    write("a-old.yaml", level(5).replace("/v1\n", "/v1beta3\n"));
    write("b-new.yaml", level(5));
    // v1beta3 does not read shares at all, while v1beta2 had them under another name.
    write("c-foreign.yaml", level(5).replace("/v1\n", "/v1beta2\n"));
    write("d-other.yaml", "kind: Pod\n".to_owned());
    // References to objects, in a version or by a field.
    write("kustomization.yaml", "patches:\n- path: p.yaml\n  target: {group: flowcontrol.apiserver.k8s.io, version: v1beta2, kind: FlowSchema}\n".to_owned());
    write("z-argo.yaml", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  ignoreDifferences:\n  - group: flowcontrol.apiserver.k8s.io\n    kind: PriorityLevelConfiguration\n    jsonPointers: [/spec/limited/assuredConcurrencyShares]\n".to_owned());
    let plan = Plan::new("1.28".parse().unwrap(), "1.32".parse().unwrap());
    let selection = Selection::new(&[], false).unwrap();
    let mut files = collect(&[root.to_owned()], None, &selection).unwrap().files;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let upgrades = FileUpgrade::of_all(files, plan);
    let upgrades: Vec<_> = upgrades.into_iter().filter_map(Result::unwrap).collect();
    let steps = |index: usize| -> Vec<String> {
        let moves = upgrades[index].moves.iter();
        moves.map(ToString::to_string).collect()
    };
    assert_eq!(upgrades.len(), 5);
    let last = "from v1beta3 to v1 on Kubernetes 1.29, before 1.32";
    assert_eq!(steps(0), [last]);
    assert_eq!((upgrades[0].objects, upgrades[0].not_before), (1, None));
    assert!(!upgrades[0].needs_foreign_fields && !upgrades[0].is_refused);
    assert_eq!(upgrades[1].not_before, Some(29));
    assert!(upgrades[1].moves.is_empty());
    let first = "from v1beta2 to v1beta3 on Kubernetes 1.28, before 1.29";
    assert_eq!(steps(2), [first, last]);
    assert_eq!(
        (upgrades[3].objects, steps(3)),
        (0, vec![first.into(), last.into()])
    );
    assert_eq!((upgrades[4].objects, steps(4)), (0, vec![first.into()]));
    assert!(upgrades[2].needs_foreign_fields && !upgrades[2].is_refused);
    assert!(
        upgrades[2].findings[0]
            .message
            .contains("nominalConcurrencyShares")
    );
}

#[test]
fn an_upgrade_moves_each_reference_from_its_own_version() {
    let of = |text: &str, from: &str| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("kustomization.yaml"), text).unwrap();
        let selection = Selection::new(&[], false).unwrap();
        let found = collect(&[folder.path().to_owned()], None, &selection).unwrap();
        let plan = Plan::new(from.parse().unwrap(), "1.32".parse().unwrap());
        let upgrades = FileUpgrade::of_all(found.files, plan).into_iter();
        let upgrades = upgrades.filter_map(Result::unwrap);
        let moves = upgrades.flat_map(|upgrade| upgrade.moves);
        moves.map(|step| step.to_string()).collect()
    };
    let target = |version: &str| {
        format!(
            "patches:\n- path: p.yaml\n  target: {{group: flowcontrol.apiserver.k8s.io, version: {version}, kind: FlowSchema}}\n"
        )
    };
    let first = "from v1beta1 to v1beta2 on Kubernetes 1.25, before 1.26";
    let second = "from v1beta2 to v1beta3 on Kubernetes 1.26, before 1.29";
    let last = "from v1beta3 to v1 on Kubernetes 1.29, before 1.32";
    for (version, steps) in [
        ("v1", [].as_slice()),
        ("v1beta3", &[last]),
        ("v1beta2", &[second, last]),
        ("v1beta1", &[first, second, last]),
    ] {
        assert_eq!(of(&target(version), "1.25"), steps, "{version}");
    }
    let alpha = "from v1alpha1 to v1beta2 on Kubernetes 1.25, before 1.21";
    assert_eq!(of(&target("v1alpha1"), "1.25"), [alpha, second, last]);
    // The versions of one file differ, and one of them is that of an object.
    let rest = target("v1beta2").replace("patches:\n", "");
    let mixed = target("v1beta3") + &rest;
    assert_eq!(
        of(&mixed, "1.27"),
        [second.replace("1.26", "1.27"), last.into()]
    );
    let object = "apiVersion: flowcontrol.apiserver.k8s.io/v1beta3\nkind: FlowSchema\nmetadata: {name: a}\n---\n";
    let mixed = format!("{object}{}", target("v1beta2"));
    assert_eq!(
        of(&mixed, "1.28"),
        [second.replace("1.26", "1.28"), last.into()]
    );
    // A patch that moves past a version has no other step for its field.
    let patch = "patches:\n- patch: |-\n    apiVersion: flowcontrol.apiserver.k8s.io/v1beta1\n    kind: PriorityLevelConfiguration\n    metadata: {name: a}\n    spec: {limited: {assuredConcurrencyShares: 5}}\n";
    let overdue = "from v1beta1 to v1beta3 on Kubernetes 1.26, before 1.26";
    assert_eq!(of(patch, "1.26"), [overdue, last]);
}

/// The name of a value is that of the old field, and the template writes it to the new one.
#[test]
fn a_value_that_a_template_writes_to_the_field_needs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let write = |name: &str, text: &str| write(&root, name, text);
    write("chart/Chart.yaml", "name: chart\n");
    let template = level(5).replace(
        "Shares: 5",
        "Shares: {{ .Values.a.assuredConcurrencyShares }}",
    );
    write("chart/templates/level.yaml", &template);
    let values = "a:\n  assuredConcurrencyShares: 5\nb:\n  assuredConcurrencyShares: 5\n";
    write("chart/values.yaml", values);
    write("values.yaml", "a:\n  assuredConcurrencyShares: 5\n");
    let examined = examined(&root, ApiVersion::V1);
    let findings = |name: &str| -> Vec<_> {
        let mut files = examined.iter();
        let file = files.find(|file| file.candidate.real == root.join(name));
        let findings = file.unwrap().outcome.findings.iter();
        findings.map(|finding| finding.severity).collect()
    };
    let (note, manual) = (Severity::Note, Severity::Manual);
    assert_eq!(findings("chart/templates/level.yaml"), [note]);
    assert_eq!(findings("chart/values.yaml"), [note, manual]);
    assert_eq!(findings("values.yaml"), [manual]);
}

/// A program in Go may import parts of the library of API servers without starting one.
#[test]
fn a_module_without_a_server_that_uses_flow_control_has_a_note_for_the_library() {
    let severity_with = |programs: &[(&str, &str)], texts: &[(&str, &str)]| {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, text: &str| write(&root, name, text);
        write(
            "app/go.mod",
            "module app\n\nrequire k8s.io/apiserver v0.28.4\n",
        );
        write("app/tool/go.mod", "module tool\n");
        for (name, package) in programs {
            write(name, &format!("package a\n\nimport \"{package}\"\n"));
        }
        for (name, text) in texts {
            write(name, text);
        }
        let files = examined(&root, ApiVersion::V1);
        let findings = files.iter().flat_map(|file| &file.outcome.findings);
        findings.map(|finding| finding.severity).collect::<Vec<_>>()
    };
    let severity = |programs: &[(&str, &str)]| severity_with(programs, &[]);
    let filters = ("app/pkg/a.go", "k8s.io/apiserver/pkg/endpoints/filters");
    let options = ("app/cmd/b.go", "k8s.io/apiserver/pkg/server/options");
    let elsewhere = ("other/c.go", "k8s.io/apiserver/pkg/server");
    assert_eq!(severity(&[filters]), [Severity::Note]);
    assert_eq!(severity(&[filters, elsewhere]), [Severity::Note]);
    // A module within it.
    let tool = ("app/tool/d.go", "k8s.io/apiserver/pkg/server");
    let parts = ("app/tool/d.go", "k8s.io/apiserver/pkg/endpoints/filters");
    assert_eq!(severity(&[filters, tool]), [Severity::Note]);
    assert_eq!(severity(&[parts]), [Severity::Manual]);
    assert_eq!(severity(&[filters, options]), [Severity::Manual]);
    // A library of another name starts it.
    let webhook = (
        "app/main.go",
        "github.com/cert-manager/cert-manager/pkg/acme/webhook/cmd",
    );
    assert_eq!(severity(&[filters, webhook]), [Severity::Manual]);
    // What needs the library is not known: its programs are not here, or import nothing of it.
    let other = ("app/main.go", "example.com/server");
    assert_eq!(severity(&[other]), [Severity::Manual]);
    assert_eq!(severity(&[]), [Severity::Manual]);
    assert_eq!(severity(&[elsewhere]), [Severity::Manual]);
    // The server runs without priority and fairness.
    let gate = "args: [--secure-port=1, '--feature-gates=A=true,APIPriorityAndFairness=false']\n";
    let flag = "exec server --enable-priority-and-fairness=false\n";
    let field = "package b\n\nfunc f() { o.Features.EnablePriorityAndFairness = false }\n";
    for (text, expected) in [
        (("app/deploy.yaml", gate), Severity::Note),
        (("app/run.sh", flag), Severity::Note),
        (("app/cmd/options.go", field), Severity::Note),
        (("app/README.md", gate), Severity::Manual),
        (("app/cmd/options_test.go", field), Severity::Manual),
        (("other/deploy.yaml", gate), Severity::Manual),
        (("app/tool/deploy.yaml", gate), Severity::Manual),
    ] {
        assert_eq!(severity_with(&[options], &[text]), [expected], "{text:?}");
    }
}
