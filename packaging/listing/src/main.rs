//! Compares the public items of crates with their checked-in listings, and looks for the examples of the most used ones.
//!
//! `listing [--write] DOCUMENTS MOST_USED FOLDER...`: DOCUMENTS is the folder in which rustdoc wrote JSON, MOST_USED a file with the paths of items that
//! must have an example, and each FOLDER has a Cargo.toml and a public-api.txt. packaging/public-api runs it.

use public_api::PublicItem;
use serde_json::Value;
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
    let [documents, most_used, folders @ ..] = arguments else {
        return Err("expected [--write] DOCUMENTS MOST_USED FOLDER...".to_owned());
    };
    let text = read(Path::new(most_used))?;
    let mut wanted: BTreeSet<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let mut fails = false;
    for folder in folders {
        let folder = Path::new(folder);
        let document = Path::new(documents)
            .join(name(folder)?)
            .with_extension("json");
        let items = items(&document)?;
        let listing = folder.join("public-api.txt");
        let lines: Vec<_> = items.iter().map(ToString::to_string).collect();
        if write {
            std::fs::write(&listing, lines.join("\n") + "\n")
                .map_err(|error| format!("cannot write {}: {error}", listing.display()))?;
        } else {
            fails |= differs(&listing, &lines)?;
        }
        let without = without_example(&document, &items, &mut wanted)?;
        for path in &without {
            eprintln!(
                "{path}: this is one of the most used items, but its documentation has no example"
            );
        }
        fails |= !without.is_empty();
    }
    for path in &wanted {
        eprintln!(
            "{most_used}: {path} is not a public item: remove the line, or name the item as its crate does"
        );
    }
    fails |= !wanted.is_empty();
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
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
fn items(document: &Path) -> Result<Vec<PublicItem>> {
    let builder = public_api::Builder::from_rustdoc_json(document)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true);
    let listed = builder
        .build()
        .map_err(|error| format!("{}: {error}", document.display()))?;
    Ok(listed.into_items().collect())
}

/// Prints the lines that only one of the listings has.
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

/// The most used items of a crate whose documentation has no program. The items that were found are removed from `wanted`.
fn without_example(
    document: &Path,
    items: &[PublicItem],
    wanted: &mut BTreeSet<&str>,
) -> Result<Vec<String>> {
    let json: Value = serde_json::from_str(&read(document)?)
        .map_err(|error| format!("{}: {error}", document.display()))?;
    let mut without = Vec::new();
    for item in items {
        let path = path(&item.to_string());
        let Some(path) = path.filter(|path| wanted.remove(path.as_str())) else {
            continue;
        };
        let docs = json["index"][item.id().0.to_string()]["docs"].as_str();
        if !docs.is_some_and(has_program) {
            without.push(path);
        }
    }
    Ok(without)
}

/// The path in a line like `pub fn a::B<T>::c(…)`, without what is in angle brackets: `a::B::c`.
fn path(line: &str) -> Option<String> {
    let keywords = [
        "async", "const", "enum", "fn", "macro", "struct", "trait", "type", "union", "unsafe",
    ];
    let mut words = line.strip_prefix("pub ")?.split_inclusive(' ').peekable();
    // A field, a variant and a module have no place among the most used items.
    keywords.contains(&words.peek()?.trim_end()).then_some(())?;
    while words
        .next_if(|word| keywords.contains(&word.trim_end()))
        .is_some()
    {}
    let rest: String = words.collect();
    let (mut path, mut depth, mut before) = (String::new(), 0, ' ');
    for character in rest.chars() {
        match character {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            '(' | ' ' | '!' if depth == 0 => break,
            _ if depth == 0 => path.push(character),
            _ => {}
        }
        before = character;
    }
    Some(path.trim_end_matches(':').to_owned())
}

/// Whether a documentation has a program: a block of Rust.
fn has_program(docs: &str) -> bool {
    let rust = ["", "rust", "no_run", "rust,no_run", "should_panic"];
    let mut is_open = false;
    docs.lines().any(|line| {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            return false;
        };
        is_open = !is_open;
        is_open && rust.contains(&language.trim())
    })
}
