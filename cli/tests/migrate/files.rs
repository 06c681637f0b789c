//! The files that a migration writes and leaves unchanged.

use super::{fixture, folder, level, migrated, run};
use std::fs;

#[test]
fn without_write_nothing_is_written() {
    let folder = folder("diff");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    let ran = run(&folder, &["migrate", "a.yaml"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let expected = "\
--- a.yaml
+++ a.yaml
@@ -1,10 +1,10 @@
-apiVersion: flowcontrol.apiserver.k8s.io/v1beta2
+apiVersion: flowcontrol.apiserver.k8s.io/v1
 kind: PriorityLevelConfiguration
 metadata:
   name: a
 spec:
   type: Limited
   limited:
-    assuredConcurrencyShares: 5
+    nominalConcurrencyShares: 5
     limitResponse:
       type: Reject
";
    assert_eq!(ran.out, expected);
    assert_eq!(ran.err, "1 file checked, 1 file to change\n");
    assert_eq!(
        fs::read_to_string(folder.join("a.yaml")).unwrap(),
        level("a")
    );
}

#[test]
fn files_are_changed_and_can_be_restored() {
    let folder = folder("write");
    fs::create_dir_all(folder.join("m/sub/.git")).unwrap();
    fs::write(folder.join("m/a.yaml"), level("a")).unwrap();
    fs::write(folder.join("m/sub/b.yml"), level("b")).unwrap();
    fs::write(folder.join("m/sub/.git/c.yaml"), level("c")).unwrap();
    fs::write(folder.join("m/other.yaml"), "kind: Namespace\n").unwrap();
    let arguments = ["migrate", "m", "--write", "--backup", "m/old"];
    let ran = run(&folder, &arguments);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.out, "m/a.yaml\nm/sub/b.yml\n");
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    assert_eq!(read("m/a.yaml"), migrated(&level("a")));
    assert_eq!(read("m/sub/b.yml"), migrated(&level("b")));
    assert_eq!(read("m/sub/.git/c.yaml"), level("c"));
    // The backup has the old files, and is not part of the next run.
    assert_eq!(read("m/old/m/a.yaml"), level("a"));
    let again = run(&folder, &arguments);
    assert_eq!((again.code, again.out.as_str()), (0, ""));
    assert_eq!(read("m/old/m/a.yaml"), level("a"));
    // Back from the backup, and back by migration: the same text.
    let down = run(
        &folder,
        &["migrate", "m/a.yaml", "--to-version", "v1beta2", "--write"],
    );
    assert_eq!(down.code, 0, "{down:?}");
    assert_eq!(read("m/a.yaml"), level("a"));
    fs::copy(folder.join("m/old/m/sub/b.yml"), folder.join("m/sub/b.yml")).unwrap();
    assert_eq!(read("m/sub/b.yml"), level("b"));
    // No drafts are left.
    let hidden = fs::read_dir(folder.join("m")).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with('.')
    });
    assert_eq!(hidden.count(), 0);
}

#[test]
fn a_backup_is_not_overwritten() {
    let folder = folder("backup");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    fs::create_dir(folder.join("old")).unwrap();
    fs::write(folder.join("old/a.yaml"), "precious").unwrap();
    let ran = run(
        &folder,
        &["migrate", "a.yaml", "--write", "--backup", "old"],
    );
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(
        ran.err
            .contains("the backup folder already contains another old/a.yaml"),
        "{}",
        ran.err
    );
    assert_eq!(
        fs::read_to_string(folder.join("a.yaml")).unwrap(),
        level("a")
    );
    assert_eq!(
        fs::read_to_string(folder.join("old/a.yaml")).unwrap(),
        "precious"
    );
}

#[test]
fn an_error_keeps_its_file_and_no_other() {
    let folder = folder("error");
    fs::write(folder.join("a.yaml"), level("a")).unwrap();
    fs::write(folder.join("b.yaml"), fixture("foreign.yaml")).unwrap();
    let ran = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert_eq!(ran.out, "./a.yaml\n");
    assert!(
        ran.err
            .contains("error[foreign-field]: spec.limited.assuredConcurrencyShares"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("./b.yaml:8:5"), "{}", ran.err);
    assert!(
        ran.err.contains(
            "--foreign-fields live writes the current value, nominalConcurrencyShares: 30"
        ),
        "{}",
        ran.err
    );
    assert_eq!(
        fs::read_to_string(folder.join("b.yaml")).unwrap(),
        fixture("foreign.yaml")
    );
    let mended = run(
        &folder,
        &["migrate", ".", "--write", "--foreign-fields", "file"],
    );
    assert_eq!(mended.code, 0, "{mended:?}");
    let text = fs::read_to_string(folder.join("b.yaml")).unwrap();
    assert!(
        text.contains("nominalConcurrencyShares: 9 # copied"),
        "{text}"
    );
}

#[cfg(unix)]
#[test]
fn links_permissions_and_read_only_files() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder("links");
    let mode = |path: &str| {
        fs::metadata(folder.join(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    let set = |path: &str, mode| {
        fs::set_permissions(folder.join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    fs::create_dir_all(folder.join("in")).unwrap();
    fs::write(folder.join("in/a.yaml"), level("a")).unwrap();
    set("in/a.yaml", 0o640);
    symlink("a.yaml", folder.join("in/b.yaml")).unwrap();
    symlink("nowhere", folder.join("in/broken.yaml")).unwrap();
    symlink(".", folder.join("in/loop")).unwrap();
    fs::write(folder.join("outside.yaml"), level("o")).unwrap();
    symlink("../outside.yaml", folder.join("in/c.yaml")).unwrap();
    fs::write(folder.join("in/d.yaml"), level("d")).unwrap();
    set("in/d.yaml", 0o444);
    fs::write(folder.join("in/e.yaml"), level("e")).unwrap();
    fs::hard_link(folder.join("in/e.yaml"), folder.join("e-too.yaml")).unwrap();
    let ran = run(&folder, &["migrate", "in", "--write", "--verbose"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.out, "in/a.yaml\n");
    let read = |path: &str| fs::read_to_string(folder.join(path)).unwrap();
    assert_eq!(read("in/a.yaml"), migrated(&level("a")));
    assert_eq!(mode("in/a.yaml"), 0o640);
    assert!(
        fs::symlink_metadata(folder.join("in/b.yaml"))
            .unwrap()
            .is_symlink()
    );
    assert_eq!(read("outside.yaml"), level("o"));
    assert!(ran.err.contains("this is a link to"), "{}", ran.err);
    assert!(
        ran.err.contains("broken.yaml: a broken link"),
        "{}",
        ran.err
    );
    assert_eq!(read("in/d.yaml"), level("d"));
    assert!(ran.err.contains("the file is read-only"), "{}", ran.err);
    assert_eq!(read("in/e.yaml"), level("e"));
    assert!(ran.err.contains("hard links"), "{}", ran.err);
    // A link that is named is followed, and stays a link.
    let named = run(&folder, &["migrate", "in/c.yaml", "--write"]);
    assert_eq!(named.code, 0, "{named:?}");
    assert_eq!(read("outside.yaml"), migrated(&level("o")));
    assert!(
        fs::symlink_metadata(folder.join("in/c.yaml"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn other_encodings_and_other_files_are_listed() {
    let folder = folder("encodings");
    let utf16: Vec<u8> = [0xFF, 0xFE]
        .into_iter()
        .chain(level("a").encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    fs::write(folder.join("utf16.yaml"), &utf16).unwrap();
    let mut latin1 = level("b").into_bytes();
    latin1.extend(b"# caf\xE9\n");
    fs::write(folder.join("latin1.yaml"), &latin1).unwrap();
    fs::write(
        folder.join("deploy.sh"),
        "kubectl apply -f - <<EOF\napiVersion: flowcontrol.apiserver.k8s.io/v1beta2\nEOF\n",
    )
    .unwrap();
    fs::write(
        folder.join("README.md"),
        "see flowcontrol.apiserver.k8s.io/v1beta2",
    )
    .unwrap();
    fs::write(folder.join("chart.tgz"), [0u8, 1, 2]).unwrap();
    let ran = run(&folder, &["migrate", ".", "--write"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    let others = "2 places in 2 files";
    for part in ["latin1.yaml:11:6", others, "deploy.sh:2:42"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
    let all = run(&folder, &["migrate", ".", "--check", "-v"]).err;
    for place in ["utf16.yaml:1:1", "latin1.yaml:11:6", "deploy.sh:2:42"] {
        assert!(all.contains(place), "{place}: {all}");
    }
    assert!(
        ran.err.contains("3 places to change by hand, 2 notes"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read(folder.join("utf16.yaml")).unwrap(), utf16);
    assert_eq!(fs::read(folder.join("latin1.yaml")).unwrap(), latin1);
    let notes = run(&folder, &["migrate", ".", "--verbose"]);
    assert!(
        notes
            .err
            .contains("documentation mentions flowcontrol.apiserver.k8s.io/v1beta2"),
        "{}",
        notes.err
    );
    assert!(
        notes.err.contains("archives are not checked"),
        "{}",
        notes.err
    );
}
