//! Examining and writing many files in parallel.

use super::candidates::Candidate;
use super::examine::examine;
use super::replace::{backup_path, keep, replace};
use crate::source::Source;
use k8s_flowcontrol_manifests::{Finding, Migration, Rule, Settings, Severity};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A file with the outcome of its migration.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) candidate: Candidate,
    /// The text of the file, kept if there is something to report about it.
    pub(crate) source: Arc<Source>,
    pub(crate) outcome: Migration,
    /// The state of the file.
    pub(crate) status: Status,
}

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// No changes are needed.
    Current,
    /// Changes are needed.
    Outdated,
    /// The changes are written.
    Changed,
    /// The file is not changed because of an error.
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

/// The options for writing files.
#[derive(Clone, Debug)]
pub(crate) struct Writing {
    /// The folder for backups.
    pub(crate) backup: Option<PathBuf>,
    pub(crate) working_directory: PathBuf,
}

/// The number of files written in parallel: a disk syncs many files in the time of one.
const WRITERS: usize = 16;

/// Examines all files on all processors. `progress` is called with the number of finished files.
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

/// Writes the changed files. Stops between two files when `stop` is set.
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
            let outcome = Migration {
                findings: vec![finding],
                ..Migration::default()
            };
            (Vec::new(), outcome)
        }
    };
    if candidate.is_outside && outcome.text.take().is_some() {
        let message = format!(
            "this is a link to {}, which is outside of the given folders",
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
    let has_news = !(outcome.findings.is_empty() && outcome.objects.is_empty());
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

/// Runs `work` for each item; the results are in the order of the items.
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
    // No code panics while it holds a lock; if it did, the other workers could continue.
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}
