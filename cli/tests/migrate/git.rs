//! Folders of git: uncommitted changes, programs that a folder names, and patches.

use super::{Ran, apply, fixtures, folder, level, migrated, run, write};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs git in a folder.
fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(arguments)
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
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
            "./{name}:1:1: error[not-written]: the file has changes that are not committed; \
             help: commit or stash the changes, or use --allow-dirty\n"
        );
        assert!(ran.err.contains(&message), "{name}: {}", ran.err);
    }
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
    // A line for YAML, but not for git.
    let returned = format!("# a\r# b\n{}", level("e"));
    // The reason for the change of a value stands in the patch.
    let zero = level("f").replace("Shares: 5", "Shares: 0");
    for (name, text) in [
        ("sub/a b.yaml", level("a")),
        ("c.yaml", crlf),
        ("d.yaml", cut),
        ("e.yaml", returned),
        ("f.yaml", zero),
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
    let reason = "\n# ./f.yaml:8: spec.limited.assuredConcurrencyShares: 0 becomes 30: ";
    assert!(patch.out.contains(reason), "{}", patch.out);
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
