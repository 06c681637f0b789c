//! The commands of a plan: one for each folder, ready to paste into a shell.

use k8s_flowcontrol::rules::upgrade::Move;
use k8s_flowcontrol_manifests::files::FileUpgrade;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The commands of a step, with comments. Files that a migration would not write are named in a comment.
///
/// `roots` are the folders that were examined completely: only these and their subfolders are given as folders.
pub(super) fn commands(step: Move, files: &[FileUpgrade], roots: &[PathBuf]) -> Vec<String> {
    let mut lines = Vec::new();
    let is_of = |file: &&FileUpgrade| file.moves.contains(&step);
    for needs_foreign_fields in [false, true] {
        let is_of_pass = |file: &&FileUpgrade| {
            // After the first step the file does not contain a field of another version.
            let is_first = file.moves.iter().next() == Some(&step);
            (file.needs_foreign_fields && is_first) == needs_foreign_fields
        };
        let set: Vec<_> = files.iter().filter(is_of).filter(is_of_pass).collect();
        let set: Vec<_> = set.into_iter().filter(|file| !file.is_refused).collect();
        if needs_foreign_fields && !set.is_empty() {
            let comment = "# --foreign-fields live keeps the shares that servers use now, --foreign-fields file uses the shares of the files";
            lines.push(comment.to_owned());
        }
        let option = if needs_foreign_fields {
            " --foreign-fields live"
        } else {
            ""
        };
        for paths in grouped(&set, files, roots) {
            lines.push(format!(
                "kubectl flowcontrol migrate --to-version {} --kubernetes {} --write{option} {}",
                step.to,
                step.on,
                paths.join(" ")
            ));
        }
    }
    let refused = files.iter().filter(is_of).filter(|file| file.is_refused);
    for file in refused {
        lines.push(format!(
            "# something in {} would be lost; see `kubectl flowcontrol migrate --to-version {} {}`",
            file.path,
            step.to,
            quoted(&file.path)
        ));
    }
    lines
}

/// The arguments of each command: a folder if its command changes nothing else, or else the files of a folder.
fn grouped(set: &[&FileUpgrade], all: &[FileUpgrade], roots: &[PathBuf]) -> Vec<Vec<String>> {
    // The number of files with objects in each folder, without the files of the set.
    let mut others: HashMap<&Path, usize> = HashMap::new();
    for file in all.iter().filter(|file| file.objects > 0) {
        for folder in folders(file) {
            *others.entry(folder).or_default() += 1;
        }
    }
    for file in set.iter().filter(|file| file.objects > 0) {
        for folder in folders(file) {
            *others.entry(folder).or_default() -= 1;
        }
    }
    let is_whole = |folder: &Path| {
        let has_others = others.get(folder).is_some_and(|count| *count > 0);
        !has_others && roots.iter().any(|root| folder.starts_with(root))
    };
    let mut commands: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for file in set {
        match folders(file).take_while(|folder| is_whole(folder)).last() {
            Some(folder) => {
                let name = quoted(&folder.display().to_string());
                commands.insert(folder.to_owned(), Vec::from([name]));
            }
            None => {
                let path = Path::new(&file.path);
                let folder = path.parent().unwrap_or(path).to_owned();
                commands.entry(folder).or_default().push(quoted(&file.path));
            }
        }
    }
    commands.into_values().collect()
}

/// The folders around a file, the innermost first.
fn folders(file: &FileUpgrade) -> impl Iterator<Item = &Path> {
    Path::new(&file.path).ancestors().skip(1)
}

/// A path as one word for a shell.
fn quoted(path: &str) -> String {
    let is_plain = path
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-._/+@:".contains(&byte));
    if is_plain && !path.is_empty() {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    }
}
