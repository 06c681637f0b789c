//! Files that change during a migration, and paths to other things than files.

use super::{examined, level, write};
use k8s_flowcontrol_manifests::Rule;
use k8s_flowcontrol_manifests::files::{Examined, Status, input, write_all};
use k8s_flowcontrol_types::ApiVersion;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// A folder with objects to change, examined.
fn folder(files: usize) -> (tempfile::TempDir, PathBuf, Vec<Examined>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for number in 0..files {
        write(&root, &format!("{number:03}.yaml"), &old());
    }
    let files = examined(&root, ApiVersion::V1);
    (folder, root, files)
}

fn old() -> String {
    level(5).replace("/v1\n", "/v1beta3\n")
}

fn replace(files: Vec<Examined>) -> Vec<Examined> {
    write_all(files, None, &AtomicBool::new(false), |_| {})
}

/// The ways in which another program changes a file.
fn changes() -> [fn(&Path); 4] {
    fn longer(path: &Path) {
        fs::write(path, old() + "# more\n").unwrap();
    }
    fn same_length(path: &Path) {
        let modified = fs::metadata(path).unwrap().modified().unwrap();
        fs::write(path, old().replace("name: a", "name: b")).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        file.set_modified(modified).unwrap();
    }
    fn same_text(path: &Path) {
        let other = path.with_extension("other");
        fs::write(&other, old()).unwrap();
        fs::rename(other, path).unwrap();
    }
    fn pipe(path: &Path) {
        let other = path.with_extension("other");
        let made = std::process::Command::new("mkfifo").arg(&other).status();
        if made.is_ok_and(|status| status.success()) {
            fs::rename(other, path).unwrap();
        } else {
            longer(path);
        }
    }
    [longer, same_length, same_text, pipe]
}

#[test]
fn a_file_that_changes_after_it_was_read_is_kept() {
    for (number, change) in changes().into_iter().enumerate() {
        let (_folder, root, files) = folder(1);
        let path = root.join("000.yaml");
        change(&path);
        let changed = fs::symlink_metadata(&path).unwrap();
        let text = changed.is_file().then(|| fs::read(&path).unwrap());
        let files = replace(files);
        assert_eq!(files[0].status, Status::Refused, "{number}");
        let finding = files[0]
            .outcome
            .findings
            .iter()
            .find(|found| found.rule == Rule::NotWritten);
        let message = &finding.unwrap().message;
        assert!(
            message.contains(
                "another program changed the file during the migration; run the command again"
            ),
            "{message}"
        );
        let after = fs::symlink_metadata(&path).unwrap();
        assert_eq!(after.file_type(), changed.file_type(), "{number}");
        assert_eq!(
            after.modified().unwrap(),
            changed.modified().unwrap(),
            "{number}"
        );
        assert_eq!(
            after.is_file().then(|| fs::read(&path).unwrap()),
            text,
            "{number}"
        );
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1, "{number}");
    }
}

/// Whenever another program gives a file its text, the file has this text in the end.
#[test]
fn a_file_that_changes_while_it_is_replaced_has_the_other_text() {
    let (_folder, root, files) = folder(256);
    let paths: Vec<_> = files
        .iter()
        .map(|file| file.candidate.real.clone())
        .collect();
    let other = old() + "# other\n";
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for path in &paths {
                let draft = path.with_extension("other");
                fs::write(&draft, &other).unwrap();
                fs::rename(draft, path).unwrap();
            }
        });
        replace(files);
    });
    for path in &paths {
        assert_eq!(
            fs::read_to_string(path).unwrap(),
            other,
            "{}",
            path.display()
        );
    }
    assert_eq!(fs::read_dir(&root).unwrap().count(), paths.len());
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let (_folder, root, _) = folder(1);
    let path = root.join("000.yaml");
    for mode in [0o640, 0o755] {
        fs::write(&path, old()).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let files = replace(examined(&root, ApiVersion::V1));
        assert_eq!(files[0].status, Status::Changed);
        let now = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(now & 0o777, mode);
        assert_eq!(fs::read_to_string(&path).unwrap(), level(5));
        assert_eq!(fs::read_dir(&root).unwrap().count(), 1);
    }
}

/// The user may name an endless file; a search finds only regular files.
#[cfg(unix)]
#[test]
fn only_regular_files_are_read_and_nothing_blocks() {
    for path in ["/dev/zero", "/dev/tty", "/tmp"] {
        let error = input::read_regular(Path::new(path)).unwrap_err();
        assert!(matches!(error, input::ReadError::Io(_)), "{path}");
    }
    let endless = input::read_named(Path::new("/dev/zero")).unwrap_err();
    assert_eq!(endless.to_string(), "it is longer than the limit of 64 MiB");
}
