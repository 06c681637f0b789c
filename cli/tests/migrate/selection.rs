//! The files that a migration examines.

use super::{folder, level, migrated, run, write};
use std::fs;

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
