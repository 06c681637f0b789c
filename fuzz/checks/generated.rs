//! Documents for the whole generator: its output is Rust, as Kubernetes' types and as plain ones, with and without constraints. A sample is
//! compiled with warnings denied.
//!
//! `COMPILE_EVERY=N` compiles one of N documents; by default one of 100, and none with 0. The crate of types is taken from the folder of
//! this program, or from `TYPES_DEPS`, a folder `deps` of a build by the same compiler.

use k8s_flowcontrol_codegen::{Error, Generated, Generator};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

pub(crate) fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let number = input.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    for plain in [false, true] {
        let Ok(generated) = generate(text, plain, false) else {
            continue;
        };
        assert_rust(&generated);
        if every().is_some_and(|every| number.is_multiple_of(every)) {
            compile(&generated, number);
        }
        // An error is possible here: a bound that is not a number has no meaning.
        if let Ok(generated) = generate(text, plain, true) {
            assert_rust(&generated);
        }
    }
    let explained = Generator::new().plain().document("d", text);
    if let Ok(found) = explained.and_then(|generator| generator.explain()) {
        assert!(found.iter().all(|one| !one.place.is_empty()));
    }
}

fn generate(text: &str, plain: bool, validate: bool) -> Result<Generated, Error> {
    let mut generator = Generator::new().missing_as_json();
    if plain {
        generator = generator.plain();
    }
    if validate {
        generator = generator.validate();
    }
    generator.document("d", text)?.generate()
}

fn assert_rust(generated: &Generated) {
    for (name, text) in &generated.files {
        if let Err(error) = syn::parse_file(text) {
            panic!("{name} is not Rust: {error}\n{text}");
        }
    }
}

/// How many documents are read for each that is compiled.
fn every() -> Option<u64> {
    static EVERY: OnceLock<u64> = OnceLock::new();
    let read = || match std::env::var("COMPILE_EVERY") {
        Ok(every) => every.parse().expect("COMPILE_EVERY is a number"),
        Err(_) => 100,
    };
    Some(*EVERY.get_or_init(read)).filter(|every| *every > 0)
}

/// Compiles the modules as a library.
fn compile(generated: &Generated, number: u64) {
    let folder = std::env::temp_dir().join(format!("k8s-flowcontrol-generated-{}-{number}", std::process::id()));
    let modules = folder.join("generated");
    std::fs::create_dir_all(&modules).expect("a folder for the modules");
    for (name, text) in &generated.files {
        std::fs::write(modules.join(name), text).expect("a file for a module");
    }
    let root = folder.join("lib.rs");
    std::fs::write(&root, "#![deny(warnings)]\npub mod generated;\n").expect("a file for the library");
    let types = types();
    let output = rustc(&root, &folder, types).output().expect("the compiler runs");
    assert!(
        output.status.success(),
        "does not compile: {}\n{:?}",
        String::from_utf8_lossy(&output.stderr),
        generated.files
    );
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

fn rustc(root: &Path, out: &Path, types: &Path) -> Command {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--crate-name", "sample"])
        .arg("--out-dir")
        .arg(out)
        .arg("--extern")
        .arg(format!("k8s_flowcontrol_types={}", types.display()))
        .arg("-L")
        .arg(format!("dependency={}", types.parent().unwrap_or(types).display()))
        .arg(root);
    rustc
}

/// The newest build of the crate of types that the compiler can read.
fn types() -> &'static Path {
    static TYPES: OnceLock<PathBuf> = OnceLock::new();
    TYPES.get_or_init(|| {
        let own = || {
            let program = std::env::current_exe().expect("this program has a path");
            program.parent().map(Path::to_path_buf).unwrap_or_default()
        };
        let deps = std::env::var_os("TYPES_DEPS").map_or_else(own, PathBuf::from);
        let entries = std::fs::read_dir(&deps).expect("the folder of the built crates");
        let mut found: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                let name = name.unwrap_or_default();
                name.starts_with("libk8s_flowcontrol_types-") && name.ends_with(".rlib")
            })
            .collect();
        found.sort_by_key(|path| path.metadata().and_then(|file| file.modified()).ok());
        let folder = std::env::temp_dir().join(format!("k8s-flowcontrol-types-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for a sample");
        let root = folder.join("lib.rs");
        std::fs::write(&root, "pub use k8s_flowcontrol_types::List;").expect("a file for a sample");
        let is_readable = |path: &&PathBuf| {
            let output = rustc(&root, &folder, path).output();
            output.is_ok_and(|output| output.status.success())
        };
        let types = found.iter().rev().find(is_readable).cloned();
        let _ = std::fs::remove_dir_all(&folder);
        types.unwrap_or_else(|| panic!("no crate of types in {}: build k8s-flowcontrol-types", deps.display()))
    })
}
