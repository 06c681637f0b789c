//! The small forms in `tests/forms`: the lines that need attention are found, and few others.

mod facts;
mod odd;

use k8s_flowcontrol_manifests::files::{Examined, Selection, collect, examine_all};
use k8s_flowcontrol_manifests::{Form, Metrics, Settings, migrate, migrate_fences, uses};
use k8s_flowcontrol_types::ApiVersion;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A folder in memory, where the system has such: the tests write and remove five thousand files, which takes longer on a disk than all else.
fn folder() -> TempDir {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
    folder.unwrap()
}

/// The files of a form with the lines that need attention.
type Forms = BTreeMap<String, BTreeSet<usize>>;

/// The numbers of marked lines, of marked lines that are found, and of other lines that are named.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    marked: usize,
    found: usize,
    other: usize,
}

#[test]
fn marked_lines_of_all_forms_are_found() {
    let mut all = Counts::default();
    for name in ["programs", "manifests", "documents", "unseen"] {
        let (counts, report) = measure(name);
        println!("{name}: {counts:?}\n{report}");
        all.marked += counts.marked;
        all.found += counts.found;
        all.other += counts.other;
    }
    assert!(all.found * 100 >= all.marked * 98, "{all:?}");
    assert!(all.other * 100 <= all.marked * 5, "{all:?}");
}

#[test]
fn a_list_of_versions_and_generated_code_have_one_note() {
    let folder = folder();
    let forms = written("noise", folder.path());
    for file in examined(folder.path()) {
        let name = name_in(folder.path(), &file);
        assert!(forms.contains_key(&name));
        let findings = &file.outcome.findings;
        assert!(findings.len() <= 1, "{name}: {findings:?}");
        assert_eq!(file.outcome.text, None, "{name}");
    }
}

/// Cut and repeated forms, and texts of marks only: nothing panics.
#[test]
fn broken_programs_do_not_panic() {
    for name in ["programs", "manifests", "documents", "unseen", "noise"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/forms/{name}.txt"));
        let text = fs::read_to_string(path).unwrap();
        for step in (0..text.len()).step_by(607) {
            let end = (step + 450).min(text.len());
            if let Some(part) = text.get(step..end) {
                let _ = uses(part, ApiVersion::V1);
                let _ = migrate(part, Form::Yaml, Settings::to(ApiVersion::V1));
            }
        }
    }
    let group = "flowcontrol.apiserver.k8s.io";
    for mark in [
        "{{", "${", "<%", "#@ ", "a:", "\"", "'", "\\(", "=", "(", "x=", "ü/", "v1", "$a.", "%s",
        "V1beta2.",
    ] {
        let text = format!(
            "{group}/{}\n{group} {}",
            mark.repeat(500),
            mark.repeat(2_000)
        );
        let _ = uses(&text, ApiVersion::V1);
        let _ = migrate(&text, Form::Yaml, Settings::to(ApiVersion::V1));
        let _ = migrate_fences(&text, Settings::to(ApiVersion::V1));
    }
}

fn measure(name: &str) -> (Counts, String) {
    let folder = folder();
    let forms = written(name, folder.path());
    let mut named: BTreeMap<String, BTreeMap<usize, String>> = BTreeMap::new();
    for file in examined(folder.path()) {
        let lines = named.entry(name_in(folder.path(), &file)).or_default();
        for finding in &file.outcome.findings {
            let line = file.source.position(finding.offset).line;
            lines.insert(line, finding.to_string());
        }
        for change in file
            .outcome
            .objects
            .iter()
            .flat_map(|object| &object.changes)
        {
            let line = file.source.position(change.offset).line;
            lines.insert(line, change.what.clone());
        }
    }
    let mut counts = Counts::default();
    let mut report = String::new();
    for (file, marked) in forms {
        let named = named.remove(&file).unwrap_or_default();
        counts.marked += marked.len();
        for line in &marked {
            match named.contains_key(line) {
                true => counts.found += 1,
                false => report.push_str(&format!("missed {file}:{line}\n")),
            }
        }
        for (line, what) in named.iter().filter(|(line, _)| !marked.contains(line)) {
            // A note needs nothing to be done, and is not shown by default.
            let is_note = what.starts_with("note[");
            counts.other += usize::from(!is_note);
            let kind = if is_note { "note" } else { "other" };
            report.push_str(&format!("{kind} {file}:{line}: {what}\n"));
        }
    }
    (counts, report)
}

/// Writes the forms of a file into a folder.
fn written(name: &str, folder: &Path) -> Forms {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/forms/{name}.txt"));
    let text = fs::read_to_string(path).unwrap();
    let mut forms = Forms::new();
    let mut contents: BTreeMap<String, String> = BTreeMap::new();
    let mut current = None;
    for line in text.lines().skip(2) {
        if let Some(path) = line.strip_prefix("=== ") {
            current = Some(path.to_owned());
            forms.insert(path.to_owned(), BTreeSet::new());
            continue;
        }
        let Some(path) = current.as_ref().filter(|_| !line.is_empty()) else {
            continue;
        };
        let content = contents.entry(path.clone()).or_default();
        content.push_str(&line[1..]);
        content.push('\n');
        if line.starts_with('>') {
            let number = content.lines().count();
            forms.get_mut(path).unwrap().insert(number);
        }
    }
    for (path, content) in contents {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    forms
}

fn examined(folder: &Path) -> Vec<Examined> {
    let selection = Selection::new(&[], false).unwrap();
    let found = collect(&[folder.to_owned()], None, &selection).unwrap();
    let settings = Settings {
        metrics: Metrics::Note,
        ..Settings::to(ApiVersion::V1)
    };
    examine_all(found.files, settings, true, |_| {})
}

fn name_in(folder: &Path, file: &Examined) -> String {
    let path = file.candidate.path.strip_prefix(folder).unwrap();
    path.display().to_string()
}
