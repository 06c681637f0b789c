//! Compares the public items of crates with their checked-in listings.
//!
//! `listing [--write] DOCUMENTS FOLDER...`: DOCUMENTS is the folder in which rustdoc wrote JSON, and each FOLDER has a Cargo.toml and a
//! public-api.txt. packaging/public-api runs it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

type Result<T> = std::result::Result<T, String>;

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args().skip(1).collect();
    let write = arguments.first().is_some_and(|first| first == "--write");
    if write {
        arguments.remove(0);
    }
    match run(&arguments, write) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String], write: bool) -> Result<ExitCode> {
    let [documents, folders @ ..] = arguments else {
        return Err("expected [--write] DOCUMENTS FOLDER...".to_owned());
    };
    let mut differ = false;
    for folder in folders {
        let folder = Path::new(folder);
        let document = Path::new(documents)
            .join(name(folder)?)
            .with_extension("json");
        let lines = items(&document)?;
        let listing = folder.join("public-api.txt");
        if write {
            std::fs::write(&listing, lines.join("\n") + "\n")
                .map_err(|error| format!("cannot write {}: {error}", listing.display()))?;
        } else {
            differ |= differs(&listing, &lines)?;
        }
    }
    Ok(match differ {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read {}: {error}", path.display()))
}

/// The name of the library of a package, as rustdoc writes it.
fn name(folder: &Path) -> Result<PathBuf> {
    let manifest = folder.join("Cargo.toml");
    let text = read(&manifest)?;
    let name = text.lines().find_map(|line| line.strip_prefix("name = \""));
    let name = name.ok_or_else(|| format!("{} has no name", manifest.display()))?;
    Ok(name.trim_end_matches('"').replace('-', "_").into())
}

/// Public items without what every type has.
fn items(document: &Path) -> Result<Vec<String>> {
    let builder = public_api::Builder::from_rustdoc_json(document)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true);
    let listed = builder
        .build()
        .map_err(|error| format!("{}: {error}", document.display()))?;
    Ok(listed.items().map(ToString::to_string).collect())
}

/// Prints the lines that only a single listing has.
fn differs(listing: &Path, lines: &[String]) -> Result<bool> {
    let text = match listing.exists() {
        true => read(listing)?,
        false => String::new(),
    };
    let before: BTreeSet<&str> = text.lines().collect();
    let now: BTreeSet<&str> = lines.iter().map(String::as_str).collect();
    for line in before.difference(&now) {
        println!("{}: -{line}", listing.display());
    }
    for line in now.difference(&before) {
        println!("{}: +{line}", listing.display());
    }
    Ok(before != now)
}
