//! Tests go through the public face of a crate: no crate has unit tests. Its manifest says so, because cargo otherwise compiles it once
//! more for them; a test inside would then never run.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// The attributes of tests, and of code for them.
const TESTS: [&str; 3] = ["#[test]", "#[tokio::test", "#[cfg(test)]"];

/// The folders of the workspace's crates.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, members) = manifest.split_once("\nmembers = [").unwrap();
    let (members, _) = members.split_once(']').unwrap();
    let names = members.split('"').skip(1).step_by(2);
    names.map(|name| root.join(name)).collect()
}

/// Whether the manifest turns the unit tests of all its libraries and programs off.
fn has_no_unit_tests(manifest: &str) -> bool {
    let sections = manifest.split("\n[");
    let mut targets =
        sections.filter(|text| text.starts_with("lib]") || text.starts_with("[bin]]"));
    let is_off = |text: &str| text.lines().any(|line| line == "test = false");
    let first = targets.next().is_some_and(is_off);
    first && targets.all(is_off)
}

/// The places of tests in the sources below a folder.
fn tests_in(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_in(&path, found);
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let text = read_to_string(&path).unwrap();
            let lines = text.lines().zip(1..);
            let is_test = |line: &str| TESTS.iter().any(|test| line.trim_start().starts_with(test));
            let places = lines.filter(|(line, _)| is_test(line));
            found.extend(places.map(|(_, number)| format!("{}:{number}", path.display())));
        }
    }
}

#[test]
fn no_crate_has_unit_tests() {
    let mut found = Vec::new();
    for folder in crates() {
        let manifest = read_to_string(folder.join("Cargo.toml")).unwrap();
        let name = folder.display();
        assert!(has_no_unit_tests(&manifest), "{name}: `test = false`");
        tests_in(&folder.join("src"), &mut found);
    }
    assert!(found.is_empty(), "never run: {found:#?}");
}
