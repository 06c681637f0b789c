//! The files that a migration examines.

use super::{folder, level, migrated, run, write};
use serde_json::Value;
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
    for line in [
        "note[not-checked]: skipped 3 folders of dependencies or build output, the first is ./target (--verbose lists them)\n",
        "note[not-checked]: skipped 2 entries that ignore files name, the first is ./out (--verbose lists them)\n",
    ] {
        assert!(err.contains(line), "{err}");
    }
    let (_, err) = check(&["--verbose"]);
    for line in [
        "note: ./x/node_modules: ignored, as a folder of dependencies or build output\n",
        "note: ./own/g.yaml: ignored, as an ignore file names it\n",
    ] {
        assert!(err.contains(line), "{err}");
    }
    assert!(!err.contains("skipped 3"), "{err}");
    let (files, err) = check(&["--exclude", "charts/old/**", "--exclude", "*.golden.yaml"]);
    assert_eq!(files, "./.hidden/b.yaml ./a.yaml");
    assert!(
        err.contains("skipped 2 entries that globs exclude, the first is ./charts/"),
        "{err}"
    );
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

/// `.gitattributes` marks generated and vendored code, of which each file has one note.
#[test]
fn marks_of_generated_and_vendored_code_are_respected() {
    let folder = folder("marks");
    let uses = "client.FlowcontrolV1beta2()\n".repeat(3);
    for path in ["gen/a.go", "lib/b.go", "own/c.go"] {
        write(&folder, path, &uses);
    }
    write(&folder, "gen/level.yaml", &level("a"));
    let marks = "gen/** linguist-generated\nlib/* linguist-vendored=true\n";
    write(&folder, ".gitattributes", marks);
    let ran = run(&folder, &["migrate", ".", "-o", "json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let files = report["files"].as_array().unwrap().iter();
    let found: Vec<_> = files
        .map(|file| {
            let findings = file["findings"].as_array().unwrap();
            let rule = findings.first().map(|finding| &finding["rule"]);
            (
                file["path"].as_str().unwrap(),
                findings.len(),
                rule.cloned(),
            )
        })
        .collect();
    let rule = |name: &str| Some(Value::from(name));
    assert_eq!(
        found,
        [
            ("./gen/a.go", 1, rule("generated")),
            // A generated object is applied too.
            ("./gen/level.yaml", 0, None),
            ("./lib/b.go", 1, rule("generated")),
            ("./own/c.go", 3, rule("program")),
        ]
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

/// A list of paths has one cause, and a client another one.
#[test]
fn one_note_stands_for_each_cause_in_documentation() {
    let folder = folder("docs-causes");
    let path = "/apis/flowcontrol.apiserver.k8s.io";
    let text = format!(
        "# Paths\n\n```\nGET {path}/v1beta2/flowschemas\nGET {path}/v1beta3/flowschemas\n```\n\n```\nGET {path}/v1beta1\n```\n\n```go\nclient.FlowcontrolV1beta2()\n```\n"
    );
    write(&folder, "notes.md", &text);
    let ran = run(&folder, &["migrate", ".", "-o", "json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = report["files"][0]["findings"].as_array().unwrap();
    let found: Vec<_> = findings
        .iter()
        .map(|finding| {
            assert_eq!(finding["severity"], "note");
            (
                finding["line"].as_u64().unwrap(),
                finding["message"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                4,
                "a request path names flowcontrol.apiserver.k8s.io/v1beta2, and so in 2 other places"
            ),
            (13, "FlowcontrolV1beta2 is a Go client of v1beta2"),
        ]
    );
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

/// Files whose content is not examined, and those of folders that are not: each kind of reason has a group.
#[test]
fn skipped_files_are_explained() {
    let folder = folder("skipped");
    write(&folder, "a.yaml", &level("a"));
    write(&folder, "vendor/b.yaml", &level("b"));
    for index in 0..12 {
        write(&folder, &format!("out/{index}.yaml"), &level("c"));
    }
    write(&folder, ".gitignore", "out/*.yaml\n");
    fs::write(folder.join("chart.tgz"), b"\x1f\x8b").unwrap();
    let names = b"\xff\0flowcontrol.apiserver.k8s.io/v1beta2";
    fs::write(folder.join("server"), names).unwrap();
    fs::write(folder.join("picture.png"), b"\xff\0").unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("link.yaml")).unwrap();
    let ran = run(&folder, &["migrate", ".", "--check"]);
    let lines: Vec<_> = ran
        .err
        .lines()
        .filter(|line| line.contains("skipped "))
        .collect();
    assert_eq!(
        lines,
        [
            "note[not-checked]: skipped 1 folder of dependencies or build output: ./vendor",
            "note[not-checked]: skipped 12 entries that ignore files name, the first is ./out/0.yaml (--verbose lists them)",
            "note[not-checked]: skipped 1 link that is not followed: ./link.yaml",
            "note[not-checked]: skipped 1 archive, which is not unpacked: ./chart.tgz",
            "note[not-checked]: skipped 1 binary file with names of the group: ./server",
        ]
    );
    let verbose = run(&folder, &["migrate", ".", "--check", "-v"]).err;
    for words in [
        "./out/9.yaml: ignored, as an ignore file names it",
        "./link.yaml: a broken link",
        "archives are not checked",
        "the file is binary, and contains names of the group",
    ] {
        assert!(verbose.contains(words), "{words}: {verbose}");
    }
    let groups = |more: &[&str]| {
        let arguments = [&["migrate", ".", "-o", "json"], more].concat();
        let report: Value = serde_json::from_str(&run(&folder, &arguments).out).unwrap();
        let groups = report["skipped"].as_array().unwrap().clone();
        let shown = |group: &Value| {
            let paths = group["paths"].as_array().unwrap().len();
            (
                group["reason"].as_str().unwrap().to_owned(),
                group["count"].as_u64().unwrap(),
                paths,
            )
        };
        groups.iter().map(shown).collect::<Vec<_>>()
    };
    let expected = |paths| {
        [
            ("dependencies", 1, 1),
            ("ignore-file", 12, paths),
            ("link", 1, 1),
            ("archive", 1, 1),
            ("binary", 1, 1),
        ]
        .map(|(reason, count, paths)| (reason.to_owned(), count, paths))
    };
    assert_eq!(groups(&[]), expected(10));
    assert_eq!(groups(&["-v"]), expected(12));
}
