//! The charts among the files, and a copy of a chart with the planned changes.

use crate::input::read_regular;
use k8s_flowcontrol_manifests::files::{Examined, Status};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const CHART: &str = "Chart.yaml";

/// A chart that is not a part of another one.
#[derive(Debug)]
pub(super) struct Chart {
    /// The folder without links.
    pub(super) root: PathBuf,
    /// The index of the file with the findings about the chart: its Chart.yaml, or else its first file.
    pub(super) anchor: usize,
}

/// The charts that contain the files. Library charts render nothing themselves.
pub(super) fn charts(files: &[Examined]) -> Vec<Chart> {
    let mut found: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (index, file) in files.iter().enumerate() {
        let path = file.candidate.real.as_path();
        let Some(root) = path.parent().and_then(root_of) else {
            continue;
        };
        let is_definition = path == root.join(CHART);
        let anchor = found.entry(root).or_insert(index);
        if is_definition {
            *anchor = index;
        }
    }
    let charts = found
        .into_iter()
        .map(|(root, anchor)| Chart { root, anchor });
    charts.filter(|chart| !is_library(&chart.root)).collect()
}

/// The outermost chart around a folder: a chart in the folder `charts` of another one is a part of it.
fn root_of(folder: &Path) -> Option<PathBuf> {
    let is_chart = |folder: &&Path| folder.join(CHART).is_file();
    let mut root = folder.ancestors().find(is_chart)?;
    while let Some(parent) = root.parent()
        && parent.file_name().is_some_and(|name| name == "charts")
        && let Some(around) = parent.parent().filter(is_chart)
    {
        root = around;
    }
    Some(root.to_owned())
}

fn is_library(root: &Path) -> bool {
    let text = read_regular(&root.join(CHART)).map(|(text, _)| text);
    let text = text.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let mut types = text.lines().filter_map(|line| line.strip_prefix("type:"));
    types.any(|kind| {
        kind.split('#')
            .next()
            .unwrap_or_default()
            .trim()
            .trim_matches(['"', '\''])
            == "library"
    })
}

impl Chart {
    /// The index of the file from which Helm rendered an object, by its path in a `# Source:` comment.
    pub(super) fn file(&self, files: &[Examined], source: &str) -> Option<usize> {
        // The path begins with the name of the chart.
        let (_, path) = source.split_once('/')?;
        let path = self.root.join(path);
        files.iter().position(|file| file.candidate.real == path)
    }

    /// A copy of the chart with the planned changes; none if no file of the chart changes.
    pub(super) fn migrated(&self, files: &[Examined]) -> io::Result<Option<TempDir>> {
        let changed = files.iter().filter_map(|file| {
            let inside = file.candidate.real.strip_prefix(&self.root).ok()?;
            let text = file.outcome.text.as_deref();
            let text = text.filter(|_| file.status == Status::Outdated)?;
            Some((inside, text))
        });
        let changed: Vec<_> = changed.collect();
        if changed.is_empty() {
            return Ok(None);
        }
        let folder = tempfile::tempdir()?;
        copy(&self.root, folder.path(), 0, &mut Budget::default())?;
        for (path, text) in changed {
            fs::write(folder.path().join(path), text)?;
        }
        Ok(Some(folder))
    }
}

/// The maximum depth of folders in a chart.
const MAX_DEPTH: usize = 20;

/// The entries and bytes that a copy of a chart may still have. Links can make a small chart large.
struct Budget {
    entries: usize,
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            entries: 100_000,
            bytes: 256 << 20,
        }
    }
}

impl Budget {
    fn spend(&mut self, entries: usize, bytes: usize) -> io::Result<()> {
        let left = self.entries.checked_sub(entries);
        let left = left.zip(self.bytes.checked_sub(bytes));
        (self.entries, self.bytes) = left.ok_or_else(|| {
            io::Error::other(
                "the chart has more than 100,000 files or 256 MiB, with what its links lead to",
            )
        })?;
        Ok(())
    }
}

/// Copies the files of a folder, also those behind links, as Helm reads them.
fn copy(from: &Path, to: &Path, depth: usize, budget: &mut Budget) -> io::Result<()> {
    if depth > MAX_DEPTH {
        return Err(io::Error::other("the folders of the chart are too deep"));
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        budget.spend(1, 0)?;
        let (old, new) = (entry.path(), to.join(entry.file_name()));
        let metadata = fs::metadata(&old)?;
        if metadata.is_dir() {
            fs::create_dir(&new)?;
            copy(&old, &new, depth + 1, budget)?;
        } else if metadata.is_file() {
            let (bytes, _) = read_regular(&old)
                .map_err(|error| io::Error::other(format!("{}: {error}", old.display())))?;
            budget.spend(0, bytes.len())?;
            fs::write(&new, bytes)?;
        }
    }
    Ok(())
}
