//! Runs over many files, interrupted runs, and two at once.

use super::{folder, level, migrated, run};
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn a_draft_of_a_run_that_was_killed_is_no_manifest() {
    let folder = folder("draft");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    fs::write(
        folder.join(".a.yaml.1-0.migrate-draft"),
        "apiVersion: flowcontrol.apiserver.k8s.io/v1bet",
    )
    .unwrap();
    let ran = run(&folder, &["migrate", ".", "--write", "--verbose"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.err.contains("a draft of an interrupted run"),
        "{}",
        ran.err
    );
    assert_eq!(
        fs::read_to_string(folder.join("a.yaml")).unwrap(),
        migrated(&level("a"))
    );
}

#[test]
fn hundreds_of_files_are_changed_in_one_run() {
    let folder = folder("many");
    for index in 0..600 {
        let path = folder.join(format!("d{}", index % 7));
        fs::create_dir_all(&path).unwrap();
        fs::write(
            path.join(format!("{index}.yaml")),
            level(&format!("l{index}")),
        )
        .unwrap();
    }
    let ran = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(ran.out.lines().count(), 600);
    assert_eq!(ran.err, "600 files checked, 600 files changed\n");
    let again = run(&folder, &["migrate", ".", "--check"]);
    assert_eq!(
        (again.code, again.err.as_str()),
        (0, "600 files checked, nothing to do\n")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_the_progress() {
    let folder = folder("progress");
    for index in 0..500 {
        fs::write(folder.join(format!("{index}.txt")), "").unwrap();
    }
    let program = env!("CARGO_BIN_EXE_kubectl-flowcontrol");
    // `script` gives a program a terminal.
    let output = Command::new("script")
        .args(["-qec", &format!("'{program}' migrate ."), "/dev/null"])
        .current_dir(&folder)
        .output()
        .unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    assert!(
        out.starts_with("\r\u{1b}[K0 of 500 files checked"),
        "{out:?}"
    );
    assert!(out.contains("\r\u{1b}[K500 files checked"), "{out:?}");
    // Without a terminal, progress lines are omitted.
    assert_eq!(
        run(&folder, &["migrate", "."]).err,
        "500 files checked, nothing to do\n"
    );
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_every_file_whole() {
    let folder = folder("interrupt");
    let path = |index: usize| folder.join(format!("{index}.yaml"));
    let count = if crate::common::tries_all() {
        2000
    } else {
        800
    };
    for index in 0..count {
        fs::write(path(index), level("a")).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
        .args(["migrate", ".", "--write"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Once the first file has changed the run is in the middle of it.
    while fs::read_to_string(path(0)).unwrap() == level("a") && child.try_wait().unwrap().is_none()
    {
        std::thread::yield_now();
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.is_ok());
    let code = child.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 130)), "{code:?}");
    let changed = (0..count)
        .filter(|index| {
            let text = fs::read_to_string(path(*index)).unwrap();
            assert!(
                text == level("a") || text == migrated(&level("a")),
                "{text}"
            );
            text != level("a")
        })
        .count();
    assert!(changed > 0 && (code == Some(130) || changed == count));
    assert_eq!(
        fs::read_dir(&folder).unwrap().count(),
        count,
        "no drafts are left"
    );
}

#[test]
fn two_runs_at_once_lose_nothing() {
    let folder = folder("two-runs");
    let names: Vec<_> = (0..300).map(|index| format!("{index}.yaml")).collect();
    fs::create_dir(folder.join("m")).unwrap();
    for name in &names {
        fs::write(folder.join("m").join(name), level(name)).unwrap();
    }
    let start = || {
        Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
            .args(["migrate", "m", "--write", "--backup", "old"])
            .current_dir(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let runs = [start(), start(), start()];
    for mut run in runs {
        let code = run.wait().unwrap().code();
        // 3: a file of another run was not overwritten.
        assert!(matches!(code, Some(0 | 3)), "{code:?}");
    }
    // The next run handles everything that a run left to another run.
    let ran = run(&folder, &["migrate", "m", "--write", "--backup", "old"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    for name in &names {
        let read = |folder_name: &str| fs::read_to_string(folder.join(folder_name).join(name));
        assert_eq!(read("m").unwrap(), migrated(&level(name)));
        assert_eq!(read("old/m").unwrap(), level(name), "the backup of {name}");
    }
    assert_eq!(fs::read_dir(folder.join("m")).unwrap().count(), names.len());
}
