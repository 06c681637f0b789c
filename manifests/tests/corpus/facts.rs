//! The facts in `fixtures/facts.tsv`: what places in public repositories need.

use super::examined;
use k8s_flowcontrol_manifests::files::Examined;
use k8s_flowcontrol_manifests::{Metrics, Rule, Severity, removed_metrics, uses};
use k8s_flowcontrol_types::ApiVersion;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

const FACTS: &str = include_str!("../fixtures/facts.tsv");

/// The change that a place needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Rewrite,
    Note,
    Nothing,
    /// Nothing at its line, and at most one note for the file.
    File,
}

/// A place, and what it needs.
#[derive(Debug)]
struct Fact {
    repository: &'static str,
    path: &'static str,
    commit: &'static str,
    line: usize,
    form: &'static str,
    verdict: Verdict,
    name: &'static str,
}

fn facts() -> Vec<Fact> {
    let lines = FACTS.lines().filter(|line| !line.starts_with('#'));
    let fact = |line: &'static str| {
        let columns: Vec<_> = line.split('\t').collect();
        let [repository, path, commit, number, form, verdict, name] = columns[..] else {
            panic!("seven columns: {line}");
        };
        Fact {
            repository,
            path,
            commit,
            line: number.parse().unwrap(),
            form,
            verdict: match verdict {
                "rewrite" => Verdict::Rewrite,
                "note" => Verdict::Note,
                "nothing" => Verdict::Nothing,
                "file" => Verdict::File,
                other => panic!("{other}"),
            },
            name,
        }
    };
    lines.map(fact).collect()
}

#[test]
fn the_facts_are_of_many_repositories_and_forms() {
    let facts = facts();
    let repositories: BTreeSet<_> = facts.iter().map(|fact| fact.repository).collect();
    let forms: BTreeSet<_> = facts.iter().map(|fact| fact.form).collect();
    // One name stands for all that the search did not give.
    assert!(repositories.len() > 60, "{}", repositories.len());
    let named = facts.iter().filter(|fact| fact.repository != "-").count();
    assert!(named >= 300, "{named}");
    assert!(forms.len() >= 15, "{forms:?}");
    let mut places = BTreeSet::new();
    for fact in &facts {
        let is_repository = fact
            .repository
            .split('/')
            .filter(|part| !part.is_empty())
            .count()
            == 2;
        assert!(is_repository || fact.repository == "-", "{fact:?}");
        // Lines count in a part of the file.
        let commit = fact.commit.trim_end_matches('~');
        let is_commit = commit.len() > 10 && commit.chars().all(|c| c.is_ascii_hexdigit());
        assert!(is_commit || commit == "-", "{fact:?}");
        assert!(!fact.name.is_empty() && fact.name.len() <= 110, "{fact:?}");
        // A whole file has one line number: 0.
        assert!(fact.line > 0 || fact.verdict == Verdict::File, "{fact:?}");
        assert!(
            places.insert((fact.repository, fact.path, fact.line)),
            "{fact:?}"
        );
    }
}

/// Where the name alone shows what a program or a query needs.
#[test]
fn names_that_show_what_they_need() {
    let mut checked = 0;
    for fact in facts() {
        let is_named = match fact.form {
            "metrics" | "alerts" => !removed_metrics(fact.name, Metrics::List).is_empty(),
            "go" | "java" | "terraform" | "rust" if fact.name.contains("v1beta") => {
                !uses(fact.name, ApiVersion::V1).is_empty()
            }
            _ => continue,
        };
        // Whether a place is a comment or the name of a file, a name alone does not show.
        let is_metric = matches!(fact.form, "metrics" | "alerts");
        // The name of a recording rule contains that of its metric.
        let is_own = fact.name.contains(':') || fact.name.ends_with("_overwrite");
        let is_history = fact.path.contains("CHANGELOG") || is_own;
        match fact.verdict {
            Verdict::Note | Verdict::Rewrite if fact.name != "v1beta3" => {
                assert!(is_named, "{fact:?}")
            }
            Verdict::Nothing if !is_history && is_metric => {
                assert!(!is_named, "{fact:?}");
            }
            _ => continue,
        }
        checked += 1;
    }
    assert!(checked > 60, "{checked}");
}

/// The outcome for the facts of a form.
#[derive(Clone, Copy, Default)]
struct Measured {
    places: usize,
    needed: usize,
    found: usize,
    /// Findings that nothing needs: each may lead to a wrong change.
    other: usize,
    /// Files with a `file` fact that have more than one finding.
    noisy: usize,
    /// Changes of lines that need none.
    wrong: usize,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = |part: usize, of: usize| match of {
            0 => String::new(),
            of => format!("{:.1} %", 100.0 * part as f64 / of as f64),
        };
        let Self {
            places,
            needed,
            found,
            other,
            noisy,
            wrong,
        } = self;
        let (recall, precision) = (share(*found, *needed), share(*found, found + other));
        write!(
            f,
            "{places} | {needed} | {found} | {other} | {recall} | {precision} | {noisy} | {wrong}"
        )
    }
}

/// Measures the facts on the files themselves, which are not in this repository: `FACTS_FOLDER` has them as
/// `OWNER/NAME/PATH`, and excerpts as `excerpt/PATH`.
#[test]
#[ignore = "needs the files of other repositories in FACTS_FOLDER"]
fn recall_and_precision_of_each_form() {
    let folder = std::env::var_os("FACTS_FOLDER").unwrap();
    let folder = Path::new(&folder);
    let files = examined(folder);
    let files: BTreeMap<_, _> = files
        .iter()
        .map(|file| {
            (
                file.candidate.path.strip_prefix(folder).unwrap().to_owned(),
                file,
            )
        })
        .collect();
    let facts = facts();
    let mut of_files: BTreeMap<_, Vec<&Fact>> = BTreeMap::new();
    for fact in &facts {
        let root = if fact.repository == "-" {
            "excerpt"
        } else {
            fact.repository
        };
        of_files
            .entry(Path::new(root).join(fact.path))
            .or_default()
            .push(fact);
    }
    let mut forms: BTreeMap<&str, Measured> = BTreeMap::new();
    let mut all = Measured::default();
    let mut absent = 0;
    for (path, facts) in of_files {
        // A run may have a part of the files.
        if !folder.join(&path).is_file() {
            absent += facts.len();
            continue;
        }
        let measured = measure(&path, files.get(&path).copied(), &facts);
        for sum in [forms.entry(facts[0].form).or_default(), &mut all] {
            sum.places += measured.places;
            sum.needed += measured.needed;
            sum.found += measured.found;
            sum.other += measured.other;
            sum.noisy += measured.noisy;
            sum.wrong += measured.wrong;
        }
    }
    println!(
        "| form | places | need something | found | others named | recall | precision | noisy files | wrong changes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (form, measured) in forms {
        println!("| {form} | {measured} |");
    }
    println!("| all | {all} |");
    println!("{absent} places are in files that are not there");
    assert!(all.found * 100 >= all.needed * 98);
    assert!(all.other * 100 <= (all.found + all.other) * 5);
    assert_eq!(all.wrong, 0);
}

fn measure(path: &Path, file: Option<&Examined>, facts: &[&Fact]) -> Measured {
    let mut named: BTreeMap<usize, Vec<(Severity, String)>> = BTreeMap::new();
    let mut changed = BTreeSet::new();
    let mut stands_for_metrics = false;
    let mut findings = 0;
    if let Some(file) = file {
        findings = file.outcome.findings.len();
        for finding in &file.outcome.findings {
            let line = file.source.position(finding.offset).line;
            stands_for_metrics |=
                finding.rule == Rule::Metric && finding.message.contains(", and so in ");
            let entry = named.entry(line).or_default();
            entry.push((finding.severity, finding.to_string()));
        }
        for object in &file.outcome.objects {
            for change in &object.changes {
                changed.insert(file.source.position(change.offset).line);
            }
            // An object that cannot be changed is listed with its version.
            if object.from.as_deref() != Some("flowcontrol.apiserver.k8s.io/v1") {
                let line = file.source.position(object.offset).line;
                let what = (Severity::Note, "an object in another version".to_owned());
                named.entry(line).or_default().push(what);
            }
        }
    }
    let mut measured = Measured {
        places: facts.len(),
        ..Measured::default()
    };
    let mut needed = BTreeSet::new();
    for fact in facts {
        if !matches!(fact.verdict, Verdict::Note | Verdict::Rewrite) {
            continue;
        }
        needed.insert(fact.line);
        let is_found = named.contains_key(&fact.line)
            || changed.contains(&fact.line)
            || stands_for_metrics && fact.form == "metrics";
        measured.needed += 1;
        measured.found += usize::from(is_found);
        if !is_found {
            println!("missed {}:{} {}", path.display(), fact.line, fact.name);
        }
    }
    for line in changed.iter().filter(|line| !needed.contains(line)) {
        measured.wrong += 1;
        println!("changed {}:{line}", path.display());
    }
    let others = named.iter().filter(|(line, _)| !needed.contains(line));
    let loud = others.flat_map(|(line, found)| found.iter().map(move |found| (line, found)));
    let loud: Vec<_> = loud
        .filter(|(_, (severity, _))| *severity > Severity::Note)
        .collect();
    let is_file = facts.iter().any(|fact| fact.verdict == Verdict::File);
    measured.noisy = usize::from(is_file && findings > 1);
    // One finding may stand for a file.
    let allowed = usize::from(is_file);
    measured.other = loud.len().saturating_sub(allowed);
    for (line, (_, what)) in loud.iter().skip(allowed) {
        println!("other {}:{line} {what}", path.display());
    }
    if measured.noisy > 0 {
        println!("noisy {}: {findings} findings", path.display());
    }
    measured
}
