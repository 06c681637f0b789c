//! The client's checked-in modules equal the generator's output for our own documents.
//!
//! People review changes of the generator there, and users build them without the generator.
//! `UPDATE_GOLDEN=1 cargo test -p k8s-flowcontrol-codegen` rewrites them, and the list of shared types.

#![allow(clippy::unwrap_used, clippy::panic)]

use k8s_flowcontrol_codegen::{Generated, Generator};
use k8s_flowcontrol_specs::ALL;
use std::path::{Path, PathBuf};

fn generate() -> Generated {
    ALL.iter()
        .try_fold(Generator::new(), |generator, document| {
            generator.document(document.file_name, document.text)
        })
        .and_then(|generator| generator.with_meta().runtime("crate").generate())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a checked-in file with what it should be, or rewrites it.
fn compare(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, text).unwrap();
        return;
    }
    let golden = std::fs::read_to_string(path).unwrap_or_default();
    let line = golden
        .lines()
        .zip(text.lines())
        .position(|(old, new)| old != new);
    assert!(
        golden == text,
        "{} differs from line {} on; see what `UPDATE_GOLDEN=1` changes",
        path.display(),
        line.map_or(golden.lines().count().min(text.lines().count()), |line| {
            line
        }) + 1
    );
}

#[test]
fn generated_modules_are_as_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../types/src/generated");
    let generated = generate();
    let mut names: Vec<&str> = generated
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "meta.rs",
            "mod.rs",
            "v1.rs",
            "v1beta1.rs",
            "v1beta2.rs",
            "v1beta3.rs"
        ]
    );
    for (name, text) in generated.files.iter().filter(|(name, _)| name != "mod.rs") {
        compare(&folder.join(name), text);
    }
}

#[test]
fn the_list_of_shared_types_is_true() {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../types/shared-types.txt");
    compare(&path, &generate().shared);
}

#[test]
fn generating_twice_gives_the_same_text() {
    assert_eq!(generate(), generate());
}
