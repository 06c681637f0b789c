//! Backups that would be the originals, files that are too long, and pipes that would block.

use super::{folder, level, migrated, run};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The length of a sparse file that would not fit into memory.
const HUGE: u64 = 3 << 30;

fn sparse(path: &Path, length: u64) -> File {
    let file = File::create(path).unwrap();
    file.set_len(length).unwrap();
    file
}

#[test]
fn a_backup_folder_that_holds_the_files_is_refused() {
    let folder = folder("backup-holds");
    fs::create_dir_all(folder.join("m/sub")).unwrap();
    fs::write(folder.join("m/sub/a.yaml"), level("a")).unwrap();
    let here = folder.to_str().unwrap();
    for (paths, backup) in [
        (".", "."),
        (".", "new/.."),
        ("m", "."),
        ("m", "m"),
        ("m/sub", "m"),
        ("m", here),
        ("m/sub/a.yaml", "."),
        ("m/sub/a.yaml", here),
    ] {
        let ran = run(&folder, &["migrate", paths, "--write", "--backup", backup]);
        assert_eq!(ran.code, 2, "{paths} {backup}: {ran:?}");
        assert!(ran.err.contains("nothing was written"), "{}", ran.err);
        assert!(ran.err.contains("hint: name another folder"), "{}", ran.err);
        assert_eq!(ran.out, "");
        let text = fs::read_to_string(folder.join("m/sub/a.yaml")).unwrap();
        assert_eq!(text, level("a"), "{paths} {backup}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_backup_folder_that_links_to_the_files_is_refused() {
    use std::os::unix::fs::symlink;
    let folder = folder("backup-links");
    for name in ["m", "by-folder", "by-file", "by-other"] {
        fs::create_dir_all(folder.join(name)).unwrap();
    }
    fs::write(folder.join("m/a.yaml"), level("a")).unwrap();
    fs::write(folder.join("m/b.yaml"), level("a")).unwrap();
    symlink(".", folder.join("here")).unwrap();
    symlink("../m", folder.join("by-folder/m")).unwrap();
    fs::create_dir(folder.join("by-file/m")).unwrap();
    symlink("../../m/a.yaml", folder.join("by-file/m/a.yaml")).unwrap();
    // The backup of one file would be another file, which changes too.
    fs::create_dir(folder.join("by-other/m")).unwrap();
    symlink("../../m/b.yaml", folder.join("by-other/m/a.yaml")).unwrap();
    for backup in ["here", "by-folder", "by-file", "by-other"] {
        let ran = run(&folder, &["migrate", "m", "--write", "--backup", backup]);
        assert_eq!(ran.code, 2, "{backup}: {ran:?}");
        assert!(ran.err.contains("nothing was written"), "{}", ran.err);
        for name in ["m/a.yaml", "m/b.yaml"] {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            assert_eq!(text, level("a"), "{backup}");
        }
    }
}

#[cfg(unix)]
#[test]
fn backups_and_changed_files_keep_the_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("modes");
    for mode in [0o600, 0o640, 0o664] {
        let name = format!("{mode:o}.yaml");
        fs::write(folder.join(&name), level("a")).unwrap();
        fs::set_permissions(folder.join(&name), fs::Permissions::from_mode(mode)).unwrap();
        let ran = run(&folder, &["migrate", &name, "--write", "--backup", "old"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        for (path, text) in [
            (folder.join(&name), migrated(&level("a"))),
            (folder.join("old").join(&name), level("a")),
        ] {
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            let found = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{path:?}");
        }
    }
}

#[test]
fn a_huge_file_of_a_folder_is_skipped_and_a_named_one_is_an_error() {
    let folder = folder("huge");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    sparse(&folder.join("big.yaml"), HUGE);
    let why = "it has 3221225472 bytes (3072 MiB), more than the limit of 64 MiB";
    let ran = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "./a.yaml\n"), "{ran:?}");
    let note = format!("note[not-checked]: the file was skipped: {why}");
    assert!(ran.err.contains(&note), "{}", ran.err);
    assert!(ran.err.contains("./big.yaml"), "{}", ran.err);
    let plan = ["plan", "--from", "1.27", "--to", "1.32"];
    let ran = run(&folder, &[&plan[..], &["."]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let note = format!("note: ./big.yaml: the file was skipped: {why}");
    assert!(ran.err.contains(&note), "{}", ran.err);
    // A file that the user asks for is not skipped.
    let ran = run(&folder, &["migrate", "big.yaml"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.err.contains(why), "{}", ran.err);
    let ran = run(&folder, &[&plan[..], &["big.yaml"]].concat());
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.out.contains(why), "{}", ran.out);
    for command in ["validate", "lint", "limits", "convert"] {
        for file in ["big.yaml", "."] {
            let ran = run(&folder, &[command, "-f", file]);
            assert_eq!(ran.code, 3, "{command} {file}: {ran:?}");
            assert!(ran.err.contains(why), "{command} {file}: {}", ran.err);
        }
    }
}

#[cfg(unix)]
#[test]
fn pipes_sockets_and_devices_of_a_folder_are_not_opened() {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    let folder = folder("pipes");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    let made = Command::new("mkfifo")
        .arg(folder.join("pipe.yaml"))
        .status();
    assert!(made.unwrap().success());
    symlink("pipe.yaml", folder.join("link.yaml")).unwrap();
    symlink("/dev/zero", folder.join("zero.yaml")).unwrap();
    // The path of a socket must be short.
    let socket = std::env::temp_dir().join(format!("kf-{}.yaml", std::process::id()));
    let listener = UnixListener::bind(&socket).unwrap();
    fs::rename(&socket, folder.join("socket.yaml")).unwrap();
    for (arguments, code) in [
        (&["migrate", ".", "--check"][..], 1),
        (&["plan", "--from", "1.27", "--to", "1.32", "."], 0),
        (&["validate", "-f", ".", "--kubernetes", "1.27"], 0),
        (&["lint", "-f", ".", "--kubernetes", "1.27"], 0),
    ] {
        let ran = run(&folder, arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
    }
    for name in ["pipe.yaml", "link.yaml", "zero.yaml", "socket.yaml"] {
        let ran = run(&folder, &["migrate", name]);
        assert_eq!(ran.code, 3, "{name}: {ran:?}");
        let why = "neither a file nor a folder";
        assert!(ran.err.contains(why), "{name}: {}", ran.err);
    }
    drop(listener);
}

#[cfg(unix)]
#[test]
fn a_stream_without_end_is_an_error() {
    let zero = || Stdio::from(File::open("/dev/zero").unwrap());
    for (arguments, input) in [
        (["validate", "-f", "-"], zero()),
        (["validate", "-f", "/dev/zero"], Stdio::null()),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
            .args(arguments)
            .stdin(input)
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{err}");
        assert!(err.contains("longer than the limit of 64 MiB"), "{err}");
    }
}

#[test]
fn a_line_of_an_audit_log_is_bounded() {
    let folder = folder("audit");
    let mut log = sparse(&folder.join("audit.log"), 65 << 20);
    log.seek(SeekFrom::End(0)).unwrap();
    let event = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","stage":"ResponseComplete","verb":"get","user":{"username":"eve"},"objectRef":{"resource":"flowschemas","apiGroup":"flowcontrol.apiserver.k8s.io","apiVersion":"v1beta2"},"responseStatus":{"code":200}}"#;
    write!(log, "\n{event}\n").unwrap();
    let arguments = [
        "scan",
        "--audit-log",
        "audit.log",
        "--kubeconfig",
        "missing",
    ];
    let ran = run(&folder, &arguments);
    let skipped = "audit.log:1: skipped 1 line without an audit event";
    assert!(ran.err.contains(skipped), "{}", ran.err);
    assert!(ran.out.contains("eve"), "{}", ran.out);
}
