//! Backups that would be the originals, files that are too long, and pipes that would block.

use super::{Ran, folder, level, migrated, run};
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
    let plan = ["plan", "--from-release", "1.27", "--to-release", "1.32"];
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
    for command in ["validate", "lint", "seats", "convert"] {
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
        (
            &[
                "plan",
                "--from-release",
                "1.27",
                "--to-release",
                "1.32",
                ".",
            ],
            0,
        ),
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

/// An access control list in the form of the kernel: a named user may read, and the group may do nothing.
#[cfg(target_os = "linux")]
fn access_list() -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] = [
        (1, 6, u32::MAX),
        (2, 4, 12345),
        (4, 0, u32::MAX),
        (0x10, 6, u32::MAX),
        (0x20, 0, u32::MAX),
    ];
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, access, user) in entries {
        list.extend([tag.to_le_bytes(), access.to_le_bytes()].concat());
        list.extend(user.to_le_bytes());
    }
    list
}

#[cfg(target_os = "linux")]
#[test]
fn backups_and_changed_files_keep_access_lists_and_attributes() {
    use rustix::fs::{XattrFlags, getxattr, listxattr, setxattr};
    let folder = folder("attributes");
    let (file, backup) = (folder.join("a.yaml"), folder.join("old/a.yaml"));
    fs::write(&file, level("a")).unwrap();
    let attributes = [
        ("system.posix_acl_access", access_list()),
        ("user.origin", b"a repository".to_vec()),
    ];
    for (name, value) in &attributes {
        match setxattr(&file, *name, value, XattrFlags::empty()) {
            // A file system without attributes has none to lose.
            Err(rustix::io::Errno::NOTSUP) => return,
            set => set.unwrap(),
        }
    }
    // The folder of the backup gives its own list to new files.
    fs::create_dir(folder.join("old")).unwrap();
    let default = "system.posix_acl_default";
    setxattr(
        folder.join("old"),
        default,
        &access_list(),
        XattrFlags::empty(),
    )
    .unwrap();
    let ran = run(
        &folder,
        &["migrate", "a.yaml", "--write", "--backup", "old"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    for path in [&file, &backup] {
        for (name, value) in &attributes {
            let mut buffer = [0; 256];
            let length = getxattr(path, *name, &mut buffer).unwrap();
            assert_eq!(&buffer[..length], value, "{name} of {path:?}");
        }
    }
    // Without its own list, the backup does not take that of the folder.
    let plain = folder.join("plain.yaml");
    fs::write(&plain, level("a")).unwrap();
    let ran = run(
        &folder,
        &["migrate", "plain.yaml", "--write", "--backup", "old"],
    );
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut names = [0; 256];
    let length = listxattr(folder.join("old/plain.yaml"), &mut names).unwrap();
    let names = String::from_utf8_lossy(&names[..length]).into_owned();
    assert!(!names.contains("posix_acl"), "{names}");
}

/// Root may give a file a capability; here, the command runs as root without that right.
#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_attributes_cannot_be_kept_does_not_change() {
    use rustix::fs::{XattrFlags, setxattr};
    use rustix::io::Errno;
    let folder = folder("lost-attributes");
    let file = folder.join("a.yaml");
    fs::write(&file, level("a")).unwrap();
    let mut capability = 0x0200_0000_u32.to_le_bytes().to_vec();
    capability.extend([0; 16]);
    match setxattr(
        &file,
        "security.capability",
        &capability,
        XattrFlags::empty(),
    ) {
        Err(Errno::PERM | Errno::NOTSUP) => {
            eprintln!("skipped: only root has attributes that another user has not");
            return;
        }
        set => set.unwrap(),
    }
    for backup in [&[][..], &["--backup", "old"]] {
        let mut command = Command::new("setpriv");
        command
            .args(["--bounding-set=-setfcap", "--inh-caps=-all"])
            .arg(env!("CARGO_BIN_EXE_kubectl-flowcontrol"))
            .args(["migrate", "a.yaml", "--write"])
            .args(backup)
            .current_dir(&folder)
            .env_remove("KUBECONFIG");
        let Ok(output) = command.output() else {
            eprintln!("skipped: there is no setpriv");
            return;
        };
        let ran = Ran::from(output);
        assert_eq!(ran.code, 3, "{ran:?}");
        let expected = "cannot keep the extended attribute security.capability of the file";
        assert!(ran.err.contains(expected), "{}", ran.err);
        assert_eq!(fs::read_to_string(&file).unwrap(), level("a"));
        let files = fs::read_dir(&folder).unwrap();
        let names: Vec<_> = files.map(|entry| entry.unwrap().file_name()).collect();
        assert!(
            names.iter().all(|name| name == "a.yaml" || name == "old"),
            "{names:?}"
        );
    }
    assert_eq!(fs::read_dir(folder.join("old")).unwrap().count(), 0);
}
