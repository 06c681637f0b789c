//! Examining and writing many files in parallel.

use super::across::find_across;
use super::backup::Backups;
use super::candidates::Candidate;
use super::causes::find_causes;
use super::examine::{Examination, examine_file};
use super::examined::{Examined, Status};
use super::git::Dirty;
use super::helpers::{find_helpers, may_define, settle_values};
use super::input::ReadError;
use super::replace::Original;
use super::servers::settle_servers;
use super::skipped::SkipReason;
use crate::source::Source;
use crate::{Finding, Migration, Remedy, Rule, Settings, Severity};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The number of files written in parallel: a disk syncs many files in the time of one.
const WRITERS: usize = 16;

/// Examines all files on all processors; `has_docs` includes the code fences of Markdown. `progress` is called with the
/// number of finished files.
pub fn examine_all(
    candidates: Vec<Candidate>,
    settings: Settings,
    has_docs: bool,
    progress: impl FnMut(usize),
) -> Vec<Examined> {
    // A definition may be in a file without anything to report.
    let templates = candidates.iter().filter(|file| may_define(&file.real));
    let templates: Vec<_> = templates.cloned().collect();
    let mut files = in_parallel(candidates, progress, |candidate| {
        read_and_examine(candidate, settings, has_docs)
    });
    find_helpers(&mut files, &templates, settings.to);
    find_across(&mut files, settings);
    settle_values(&mut files);
    settle_servers(&mut files);
    find_causes(&mut files, settings.to);
    files.iter_mut().for_each(Examined::judge);
    files
}

/// Marks the files to change that have uncommitted changes: they are not written.
pub fn keep_dirty(files: &mut [Examined]) {
    let outdated = |file: &&Examined| file.status == Status::Outdated;
    let real = files.iter().filter(outdated);
    let dirty = Dirty::of(real.map(|file| file.candidate.real.as_path()));
    for file in files {
        let reason = dirty.reason(&file.candidate.real);
        let (Status::Outdated, Some(reason)) = (file.status, reason) else {
            continue;
        };
        let finding = Finding::new(Severity::Error, Rule::NotWritten, 0, reason);
        let finding = finding.help(Remedy::Commit);
        file.outcome.findings.push(finding);
        file.status = Status::Refused;
    }
}

/// The first file to change whose backup would be a file to change.
pub fn conflict<'a>(files: &'a [Examined], backups: &Backups) -> Option<&'a Path> {
    let originals = files
        .iter()
        .filter(|file| file.status == Status::Outdated && file.identity.is_some())
        .map(|file| file.candidate.real.as_path());
    let originals: Vec<_> = originals.collect();
    let conflict = backups.conflict(&originals)?;
    let file = files.iter().find(|file| file.candidate.real == conflict)?;
    Some(&file.candidate.path)
}

/// Writes the changed files, after a backup of each. Stops between two files when `stop` is set.
pub fn write_all(
    files: Vec<Examined>,
    backups: Option<&Backups>,
    stop: &AtomicBool,
    progress: impl FnMut(usize),
) -> Vec<Examined> {
    each(files, WRITERS, progress, |mut file| {
        if file.status == Status::Outdated && !stop.load(Ordering::Relaxed) {
            write(&mut file, backups);
        }
        file
    })
}

fn read_and_examine(candidate: Candidate, settings: Settings, has_docs: bool) -> Examined {
    let mut is_too_long = None;
    let examination = examine_file(&candidate, settings, has_docs).unwrap_or_else(|error| {
        let finding = match error {
            ReadError::TooLong(_) if !candidate.is_named => {
                is_too_long = Some(SkipReason::TooLong);
                let message = format!("the file was skipped: {error}");
                Finding::new(Severity::Note, Rule::NotChecked, 0, message)
            }
            ReadError::TooLong(_) => {
                let message = format!("the file cannot be read: {error}");
                Finding::new(Severity::Error, Rule::Unreadable, 0, message).help("split it")
            }
            ReadError::Io(_) => {
                let message = format!("the file cannot be read: {error}");
                Finding::new(Severity::Error, Rule::Unreadable, 0, message)
            }
        };
        Examination {
            outcome: Migration {
                findings: vec![finding],
                ..Migration::default()
            },
            ..Examination::default()
        }
    });
    let Examination {
        bytes,
        identity,
        mut outcome,
        dependencies,
        server_use,
        skipped,
    } = examination;
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
    let status = Status::of(&outcome);
    let has_news = !(outcome.findings.is_empty() && outcome.objects.is_empty());
    let bytes = if has_news { bytes } else { Vec::new() };
    let (name, is_named) = (candidate.path.display().to_string(), candidate.is_named);
    Examined {
        candidate,
        source: Arc::new(Source::new(name, bytes, is_named)),
        identity,
        dependencies,
        server_use,
        skipped: skipped.or(is_too_long),
        outcome,
        status,
    }
}

fn write(file: &mut Examined, backups: Option<&Backups>) {
    let (Some(text), Some(identity)) = (&file.outcome.text, file.identity) else {
        return;
    };
    let original = Original {
        path: &file.candidate.real,
        text: &file.source.text,
        identity,
    };
    let kept = backups.map_or(Ok(()), |backups| backups.keep(original.path, original.text));
    match kept.and_then(|()| original.replace(text.as_bytes())) {
        Ok(()) => file.status = Status::Changed,
        Err(error) => {
            let message = format!("the file was not changed: {error}");
            let finding = Finding::new(Severity::Error, Rule::NotWritten, 0, message);
            file.outcome.findings.push(finding);
            file.status = Status::Refused;
        }
    }
}

/// Runs `work` for each item on all processors; the results are in the order of the items. `progress` is called with the
/// number of finished items.
pub(super) fn in_parallel<T: Send, U: Send>(
    items: Vec<T>,
    progress: impl FnMut(usize),
    work: impl Fn(T) -> U + Sync,
) -> Vec<U> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    each(items, workers, progress, work)
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
        let worker = || {
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
            })
        };
        let handles: Vec<_> = (0..workers).map(|_| worker()).collect();
        progress(0);
        // A worker that panicked does not finish its items: the scope then panics too, and does not wait for them.
        let is_over = || {
            handles
                .iter()
                .all(std::thread::ScopedJoinHandle::is_finished)
        };
        while done.load(Ordering::Acquire) < count && !is_over() {
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
