//! The files that a migration examines, the list of findings, and git.

use super::{Ran, fixtures, folder, level, migrated, run};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn ignored_files_and_dependencies_are_not_examined() {
    let folder = folder("ignored");
    for path in [
        "a.yaml",
        ".hidden/b.yaml",
        "vendor/c.yaml",
        "x/node_modules/d.yaml",
        "target/e.yaml",
        "out/f.yaml",
        "own/g.yaml",
        "charts/old/h.yaml",
        "charts/i.golden.yaml",
    ] {
        write(&folder, path, &level("a"));
    }
    fs::write(folder.join(".gitignore"), "out/\n").unwrap();
    fs::write(folder.join(".flowcontrolignore"), "own/*.yaml\n").unwrap();
    let check = |more: &[&str]| {
        let arguments = [&["migrate", ".", "--check"], more].concat();
        let ran = run(&folder, &arguments);
        let files: Vec<_> = ran.out.lines().map(str::to_owned).collect();
        (files.join(" "), ran.err)
    };
    let (files, err) = check(&[]);
    assert_eq!(
        files,
        "./.hidden/b.yaml ./a.yaml ./charts/i.golden.yaml ./charts/old/h.yaml"
    );
    assert!(err.contains(", 5 entries ignored (--verbose"), "{err}");
    let (_, err) = check(&["--verbose"]);
    assert!(err.contains("note: ./x/node_modules: ignored"), "{err}");
    let (files, err) = check(&["--exclude", "charts/old/**", "--exclude", "*.golden.yaml"]);
    assert_eq!(files, "./.hidden/b.yaml ./a.yaml");
    assert!(err.contains(", 7 entries ignored"), "{err}");
    // The ignore file is ours: it holds without git's, too.
    let (files, _) = check(&["--no-ignore"]);
    assert_eq!(files.split(' ').count(), 8, "{files}");
    assert!(!files.contains("own/"), "{files}");
    // A named folder is examined, and a named file if no glob excludes it.
    let ran = run(&folder, &["migrate", "vendor", "out/f.yaml", "--check"]);
    assert_eq!(ran.out, "vendor/c.yaml\nout/f.yaml\n");
    let ran = run(
        &folder,
        &[
            "migrate",
            "a.yaml",
            "out/f.yaml",
            "--check",
            "--exclude",
            "out",
        ],
    );
    assert_eq!(ran.out, "a.yaml\n");
    let ran = run(&folder, &["migrate", ".", "--exclude", "{a"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(
        ran.err.contains("the glob of --exclude is invalid"),
        "{}",
        ran.err
    );
}

#[test]
fn named_files_that_are_no_manifests_are_treated_as_in_a_folder() {
    let folder = folder("named");
    let mention = "flowcontrol.apiserver.k8s.io/v1beta2";
    write(&folder, "notes.md", &format!("# {mention}\n\n{{ a: [\n"));
    write(
        &folder,
        "main.go",
        "import \"k8s.io/api/flowcontrol/v1beta2\"\n",
    );
    write(&folder, "x.ts", "new FlowcontrolApiserverV1beta3Api()\n");
    write(
        &folder,
        "main.tf",
        &format!("\"apiVersion\" = \"{mention}\"\n{{{{\n"),
    );
    write(&folder, "other.go", "package main {{\n\t:\n");
    for (name, code, words) in [
        ("notes.md", 0, "1 note"),
        (
            "main.go",
            1,
            "main.go:1:9: warning[program]: k8s.io/api/flowcontrol/v1beta2 is a Go package",
        ),
        (
            "x.ts",
            1,
            "FlowcontrolApiserverV1beta3Api is a client class of v1beta3",
        ),
        ("main.tf", 1, "main.tf:1:"),
        ("other.go", 0, "nothing to do"),
    ] {
        let ran = run(&folder, &["migrate", name, "--write"]);
        assert_eq!(ran.code, code, "{name}: {ran:?}");
        assert!(ran.err.contains(words), "{name}: {}", ran.err);
    }
}

#[test]
fn the_manifests_of_documentation_change_on_request() {
    let folder = folder("docs");
    let text = |level: &str| format!("# Levels\n\n```yaml\n{level}```\n");
    write(&folder, "notes.md", &text(&level("a")));
    let ran = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = run(&folder, &["migrate", ".", "--docs", "--write"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "./notes.md\n"), "{ran:?}");
    let new = fs::read_to_string(folder.join("notes.md")).unwrap();
    assert_eq!(new, text(&migrated(&level("a"))));
}

#[test]
fn findings_are_lines_with_the_advice_at_the_end() {
    let folder = folder("lines");
    for name in ["a.go", "b.go"] {
        let text = "FlowcontrolV1beta2()\n".repeat(3);
        fs::write(folder.join(name), text).unwrap();
    }
    let ran = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!((ran.code, ran.out.as_str()), (1, "./a.go\n./b.go\n"));
    let mut expected = String::new();
    for name in ["a", "b"] {
        for line in 1..=3 {
            expected.push_str(&format!(
                "./{name}.go:{line}:1: warning[program]: FlowcontrolV1beta2 is a Go client of v1beta2\n"
            ));
        }
    }
    expected.push_str("help[program]: use the client of v1, with a library version that has it (6 places)\n2 files checked, 6 places to change by hand\n");
    assert_eq!(ran.err, expected);
    let ran = run(&folder, &["migrate", ".", "-o", "json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(report["files"][0]["status"], "manual");
    assert_eq!(report["summary"]["manualFiles"], 2);
    let ran = run(&folder, &["migrate", ".", "-v"]);
    assert!(ran.err.contains("1 | FlowcontrolV1beta2()"), "{}", ran.err);
}

#[test]
fn a_reason_stands_before_the_diff() {
    let folder = folder("reason");
    let text = level("a").replace("Shares: 5", "Shares: 0");
    fs::write(folder.join("a.yaml"), &text).unwrap();
    let ran = run(&folder, &["migrate", "a.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = "# line 8: spec.limited.assuredConcurrencyShares: 0 becomes 30: 0 means the default of 30 in the old version, and no shares in v1\n--- a.yaml\n";
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

/// Runs git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

fn apply(folder: &Path, patch: &str, options: &[&str]) -> std::process::ExitStatus {
    let file = folder.join("changes.patch");
    fs::write(&file, patch).unwrap();
    let status = Command::new("git")
        .arg("apply")
        .args(options)
        .arg("changes.patch")
        .current_dir(folder)
        .env("GIT_CEILING_DIRECTORIES", folder.parent().unwrap())
        .status();
    fs::remove_file(&file).unwrap();
    status.unwrap()
}

#[test]
fn files_with_uncommitted_changes_are_not_written() {
    let folder = folder("dirty");
    for name in ["clean.yaml", "dirty ü.yaml", "sub/staged.yaml"] {
        write(&folder, name, &level("a"));
    }
    git(&folder, &["init", "-q"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "first"]);
    write(&folder, "dirty ü.yaml", &level("b"));
    write(&folder, "sub/staged.yaml", &level("c"));
    git(&folder, &["add", "sub"]);
    write(&folder, "new.yaml", &level("d"));
    write(&folder, ".gitignore", "ignored.yaml\n");
    write(&folder, "ignored.yaml", &level("e"));
    let ran = run(&folder, &["migrate", ".", "ignored.yaml", "--write"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.out, "./clean.yaml\nignored.yaml\n");
    for name in ["dirty ü.yaml", "new.yaml", "sub/staged.yaml"] {
        let message = format!(
            "./{name}:1:1: error[not-written]: the file has changes that are not committed"
        );
        assert!(ran.err.contains(&message), "{name}: {}", ran.err);
    }
    assert!(
        ran.err.contains("or use --allow-dirty (3 places)"),
        "{}",
        ran.err
    );
    // Reading does not require clean files.
    assert_eq!(run(&folder, &["migrate", ".", "--check"]).code, 1);
    let ran = run(&folder, &["migrate", ".", "--write", "--allow-dirty"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out.lines().count(), 3, "{}", ran.out);
}

/// Everything in a repository that names a program: each would leave a mark.
#[cfg(unix)]
#[test]
fn no_program_that_a_folder_names_runs() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder("hostile-git");
    let mark = folder.join("mark");
    let program = folder.join("program");
    let script = format!("#!/bin/sh\necho \"$0 $*\" >>'{}'\ncat\n", mark.display());
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.display().to_string();

    let tree = folder.join("tree");
    for repository in ["sub", "."] {
        let repository = tree.join(repository);
        write(&repository, "level.yaml", &level("a"));
        write(&repository, "included.yaml", &level("a"));
        git(&repository, &["init", "-q"]);
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "-qm", "first"]);
        // Of the same length, so that git compares contents.
        write(&repository, "level.yaml", &level("b"));
        write(&repository, "included.yaml", &level("b"));
        let attributes = "*.yaml filter=x diff=x\nincluded.yaml filter=y\n";
        write(&repository, ".gitattributes", attributes);
        let git_folder = repository.join(".git");
        let named = |name: &str| {
            format!("[filter \"{name}\"]\n\tclean = {program} {name}\n\tsmudge = {program}\n")
        };
        let config = format!(
            "[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\thooksPath = .git/own-hooks\n\tsshCommand = {program}\n\
             \tgitProxy = {program}\n\tworktree = ..\n[diff \"x\"]\n\ttextconv = {program}\n\tcommand = {program}\n\
             [credential]\n\thelper = !{program}\n[alias]\n\tstatus = !{program}\n\tconfig = !{program}\n\
             [include]\n\tpath = included\n[extensions]\n\tworktreeConfig = true\n\tpartialClone = origin\n\
             [remote \"origin\"]\n\turl = ext::{program}\n\tpromisor = true\n[pager]\n\tstatus = {program}\n{}",
            named("x")
        );
        let old = fs::read_to_string(git_folder.join("config")).unwrap();
        fs::write(
            git_folder.join("config"),
            old.replace("= 0", "= 1") + &config,
        )
        .unwrap();
        fs::write(git_folder.join("included"), named("y")).unwrap();
        fs::write(git_folder.join("config.worktree"), named("y")).unwrap();
        for hook in ["post-index-change", "pre-commit", "fsmonitor-watchman"] {
            for hooks in ["hooks", "own-hooks"] {
                fs::create_dir_all(git_folder.join(hooks)).unwrap();
                fs::copy(&program, git_folder.join(hooks).join(hook)).unwrap();
            }
        }
    }

    let global = folder.join("global");
    fs::write(
        &global,
        format!("[filter \"x\"]\n\tclean = {program}\n\trequired = true\n"),
    )
    .unwrap();
    let migrate = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"));
        command.args(["migrate", ".", "--write"]).current_dir(&tree);
        command.env("GIT_CONFIG_GLOBAL", &global).output().unwrap()
    };
    let ran = migrate();
    let marks = fs::read_to_string(&mark).unwrap_or_default();
    assert_eq!(marks, "", "{}", String::from_utf8_lossy(&ran.stderr));
    let err = String::from_utf8_lossy(&ran.stderr);
    assert!(
        err.contains("./level.yaml:1:1: error[not-written]: the file has changes"),
        "{err}"
    );

    // An object that git would fetch.
    let objects = tree.join(".git/objects");
    fs::rename(&objects, folder.join("objects")).unwrap();
    fs::create_dir_all(&objects).unwrap();
    let err = String::from_utf8_lossy(&migrate().stderr).into_owned();
    assert!(
        err.contains("git cannot tell whether the file has changes"),
        "{err}"
    );
    assert!(!mark.exists(), "{}", fs::read_to_string(&mark).unwrap());

    // The programs do run for git itself.
    fs::remove_dir_all(&objects).unwrap();
    fs::rename(folder.join("objects"), &objects).unwrap();
    let _ = Command::new("git")
        .arg("status")
        .current_dir(&tree)
        .output();
    let marks = fs::read_to_string(&mark).unwrap();
    for live in ["program x\n", "program y\n", "program 2 ", "own-hooks/"] {
        assert!(marks.contains(live), "{live}: {marks}");
    }
}

#[test]
fn a_patch_is_applied_by_git() {
    let folder = folder("patch");
    let crlf = level("c").replace('\n', "\r\n");
    let cut = level("d").trim_end().to_owned();
    for (name, text) in [
        ("sub/a b.yaml", level("a")),
        ("c.yaml", crlf),
        ("d.yaml", cut),
    ] {
        write(&folder, name, &text);
    }
    let patch = run(&folder, &["migrate", ".", "sub/a b.yaml", "--patch"]);
    assert_eq!(patch.code, 0, "{patch:?}");
    assert!(
        patch
            .out
            .contains("--- a/sub/a b.yaml\n+++ b/sub/a b.yaml\n"),
        "{}",
        patch.out
    );
    assert!(apply(&folder, &patch.out, &[]).success(), "{}", patch.out);
    let Ran { code, out, .. } = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!((code, out.as_str()), (0, ""));
    let text = fs::read_to_string(folder.join("c.yaml")).unwrap();
    assert_eq!(text, migrated(&level("c")).replace('\n', "\r\n"));
    // An empty patch for files that are up to date.
    fs::copy(fixtures().join("policy.yaml"), folder.join("p.yaml")).unwrap();
    let patch = run(&folder, &["migrate", ".", "--patch"]);
    assert_eq!((patch.code, patch.out.as_str()), (1, ""));
}

/// A folder of so many small files, a few of which have to change.
fn huge(count: usize) {
    let folder = folder(&format!("huge-{count}"));
    for index in 0..count {
        let text = match index % (count / 10) {
            0 => level("a"),
            _ => format!("kind: ConfigMap\napiVersion: v1\nmetadata: {{name: c-{index}}}\n"),
        };
        fs::write(folder.join(format!("{index}.yaml")), text).unwrap();
    }
    let ran = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let text = fs::read_to_string(folder.join("0.yaml")).unwrap();
    assert_eq!(text, migrated(&level("a")));
    let ran = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_with_thousands_of_files() {
    huge(2_000);
}

#[test]
#[ignore = "takes a minute"]
fn a_folder_with_a_hundred_thousand_files() {
    huge(100_000);
}
