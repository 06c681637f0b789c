//! A copy of the project, of which a release is made.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The made-up version.
pub(super) const VERSION: &str = "7.8.9";

/// A copy of the project in a separate repository.
pub(super) struct Project {
    pub(super) root: PathBuf,
}

impl Project {
    /// The files of the working tree that `paths` name; without paths, all of them.
    pub(super) fn copy(to: PathBuf, paths: &[&str]) -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        std::fs::create_dir_all(&to).unwrap();
        let project = Self { root: to };
        let script = "git -C \"$0\" ls-files -z --cached --others --exclude-standard -- \"$@\" | \
                      tar -C \"$0\" --null --ignore-failed-read -T - -cf - | tar -xmf -";
        let mut copy = project.command("sh");
        copy.args(["-c", script]).arg(&from).args(paths);
        text(copy);
        project
    }

    /// The same commit in another folder.
    pub(super) fn clone_to(&self, to: PathBuf) -> Self {
        let mut clone = self.command("git");
        clone.args(["clone", "--quiet", "."]).arg(&to);
        text(clone);
        Self { root: to }
    }

    /// The made-up version, in the places that docs/releasing.md names.
    pub(super) fn set_version(&self) {
        self.edit("Cargo.toml", |text| text.replace("0.1.0", VERSION));
        self.edit("CHANGELOG.md", |text| {
            text.replace("## Unreleased", &format!("## {VERSION}"))
        });
    }

    pub(super) fn edit(&self, name: &str, change: impl Fn(&str) -> String) {
        let path = self.root.join(name);
        let before = std::fs::read_to_string(&path).unwrap();
        let after = change(&before);
        assert_ne!(before, after, "{name}");
        std::fs::write(path, after).unwrap();
    }

    pub(super) fn commit(&self) {
        let script = "{ [ -d .git ] || git init -q; } && git add -A && git -c user.name=a -c user.email=a@example.com \
                      -c commit.gpgsign=false commit -q --allow-empty -m made-up --date=@1700000000";
        let mut commit = self.command("sh");
        commit.args(["-c", script]);
        commit.env("GIT_COMMITTER_DATE", "@1700000000 +0000");
        text(commit);
    }

    pub(super) fn command(&self, name: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(name);
        command.current_dir(&self.root);
        // The target folder of the tests that run this is not that of the copy.
        command.env_remove("CARGO_TARGET_DIR");
        command
    }

    /// A release of these targets in the profile for development, without the gate, which runs this test.
    pub(super) fn release(&self, targets: &[&str], target: &Path, folder: &str) -> Command {
        let mut release = self.command(self.root.join("packaging/release"));
        release.args([VERSION, folder]);
        release.env("CARGO_TARGET_DIR", target).env("GATE", "true");
        // The library of Parquet takes a third of the time; a separate test has it.
        release
            .env("TARGETS", targets.join(" "))
            .env("PROFILE", "dev")
            .env("FEATURES", "");
        release.env("CARGO_PROFILE_DEV_DEBUG", "false");
        release
    }
}

pub(super) fn output(mut command: Command) -> Output {
    command.output().unwrap()
}

pub(super) fn text(command: Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(super) fn error(command: Command) -> String {
    let output = output(command);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

pub(super) fn shell(folder: &Path, script: &str) -> String {
    let mut shell = Command::new("bash");
    shell.args(["-euc", script]).current_dir(folder);
    text(shell)
}
