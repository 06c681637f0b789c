//! Many files at once.

use super::candidates::Candidate;
use super::examine::examine;
use super::replace::{backup_path, keep, replace};
use crate::migrate::findings::{Finding, Outcome, Rule, Severity};
use crate::migrate::settings::Settings;
use crate::source::Source;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A file that was looked at.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) candidate: Candidate,
    /// The text of the file, kept if there is something to report about it.
    pub(crate) source: Arc<Source>,
    pub(crate) outcome: Outcome,
    /// What became of the file.
    pub(crate) status: Status,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nothing has to change.
    Current,
    /// It would change.
    Outdated,
    /// It was changed.
    Changed,
    /// It stays as it is, because of an error.
    Refused,
}

impl Status {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Current => "current",
            Self::Outdated => "outdated",
            Self::Changed => "changed",
            Self::Refused => "refused",
        }
    }
}

/// How files are written.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    /// The folder that takes the old texts.
    pub(crate) backup: Option<PathBuf>,
    pub(crate) working_directory: PathBuf,
}

/// How many files are written at once: a disk takes many together in the time that it takes for one.
const WRITERS: usize = 16;

/// Looks at all files, with every processor. `progress` hears from time to time how many are done.
pub(crate) fn examine_all(
    candidates: Vec<Candidate>,
    settings: Settings,
    progress: impl FnMut(usize),
) -> Vec<Examined> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    each(candidates, workers, progress, |candidate| {
        read_and_examine(candidate, settings)
    })
}

/// Writes the files that change. Ends early, between two files, once `stop` is set.
pub(crate) fn write_all(
    files: Vec<Examined>,
    writing: &Writing,
    stop: &AtomicBool,
    progress: impl FnMut(usize),
) -> Vec<Examined> {
    each(files, WRITERS, progress, |mut file| {
        if file.status == Status::Outdated && !stop.load(Ordering::Relaxed) {
            write(&mut file, writing);
        }
        file
    })
}

fn read_and_examine(candidate: Candidate, settings: Settings) -> Examined {
    let (bytes, mut outcome) = match fs::read(&candidate.real) {
        Ok(bytes) => {
            let outcome = examine(&bytes, &candidate.path, candidate.is_named, settings);
            (bytes, outcome)
        }
        Err(error) => {
            let message = format!("the file cannot be read: {error}");
            let finding = Finding::new(Severity::Error, Rule::Unreadable, 0, message);
            let outcome = Outcome {
                findings: vec![finding],
                ..Outcome::default()
            };
            (Vec::new(), outcome)
        }
    };
    if candidate.is_outside && outcome.text.take().is_some() {
        let message = format!(
            "a link leads to this file, {}, which lies in none of the folders",
            candidate.real.display()
        );
        let finding = Finding::new(Severity::Manual, Rule::CannotEdit, 0, message);
        outcome
            .findings
            .push(finding.help("name the file itself to change it"));
    }
    let status = if outcome.worst() == Some(Severity::Error) {
        Status::Refused
    } else if outcome.text.is_some() {
        Status::Outdated
    } else {
        Status::Current
    };
    let has_news = !(outcome.findings.is_empty() && outcome.documents.is_empty());
    let bytes = if has_news { bytes } else { Vec::new() };
    let (name, is_named) = (candidate.path.display().to_string(), candidate.is_named);
    Examined {
        candidate,
        source: Arc::new(Source::new(name, bytes, is_named)),
        outcome,
        status,
    }
}

fn write(file: &mut Examined, writing: &Writing) {
    let Some(text) = &file.outcome.text else {
        return;
    };
    let real = &file.candidate.real;
    let kept = match &writing.backup {
        Some(folder) => keep_backup(folder, real, &file.source.text, &writing.working_directory),
        None => Ok(()),
    };
    match kept.and_then(|()| replace(real, &file.source.text, text.as_bytes())) {
        Ok(()) => file.status = Status::Changed,
        Err(error) => {
            let message = format!("the file was not changed: {error}");
            let finding = Finding::new(Severity::Error, Rule::NotWritten, 0, message);
            file.outcome.findings.push(finding);
            file.status = Status::Refused;
        }
    }
}

fn keep_backup(
    folder: &Path,
    file: &Path,
    bytes: &[u8],
    working_directory: &Path,
) -> std::io::Result<()> {
    keep(file, bytes, &backup_path(folder, file, working_directory))
}

/// Does `work` for each item, in the order in which they came.
fn each<T: Send, U: Send>(
    items: Vec<T>,
    workers: usize,
    mut progress: impl FnMut(usize),
    work: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let count = items.len();
    let items: Vec<_> = items
        .into_iter()
        .map(|item| Mutex::new(Some(item)))
        .collect();
    let results: Vec<_> = (0..count).map(|_| Mutex::new(None)).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let workers = workers.min(count.max(1));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= count {
                        break;
                    }
                    let item = lock(&items[index]).take();
                    *lock(&results[index]) = item.map(&work);
                    done.fetch_add(1, Ordering::Release);
                }
            });
        }
        while done.load(Ordering::Acquire) < count {
            progress(done.load(Ordering::Relaxed));
            std::thread::park_timeout(Duration::from_millis(if count < 200 { 1 } else { 20 }));
        }
    });
    results
        .into_iter()
        .filter_map(|result| {
            result
                .into_inner()
                .unwrap_or_else(|poisoned| poisoned.into_inner())
        })
        .collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // Nothing panics while it holds one; if it did, the others go on.
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
