//! Programs in Go with the library of API servers that do not start one.

use super::examined::Examined;
use crate::Severity;
use crate::migrate::Cause;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The package that starts an API server, and the beginning of the paths of its parts.
const SERVER: &str = "\"k8s.io/apiserver/pkg/server";

/// Whether a file is of a program in Go that starts an API server.
pub(super) fn starts_server(path: &Path, bytes: &[u8]) -> bool {
    is_go(path) && std::str::from_utf8(bytes).is_ok_and(|text| text.contains(SERVER))
}

/// Leaves a note for the library of API servers in a module whose programs are known and import other parts of it only.
pub(super) fn settle_servers(files: &mut [Examined]) {
    let has_server = |file: &Examined| {
        let mut findings = file.outcome.findings.iter();
        findings.any(|finding| finding.cause == Cause::Server)
    };
    let modules = files.iter().filter(|file| has_server(file));
    let folders = modules.filter_map(|file| file.candidate.real.parent());
    // Whether a program of the module starts a server: none for a module without a program.
    let mut starts: BTreeMap<PathBuf, Option<bool>> =
        folders.map(|folder| (folder.to_owned(), None)).collect();
    if starts.is_empty() {
        return;
    }
    for file in files.iter().filter(|file| is_go(&file.candidate.real)) {
        for folder in file.candidate.real.ancestors().skip(1) {
            if let Some(starts) = starts.get_mut(folder) {
                *starts = Some(file.starts_server || *starts == Some(true));
            }
        }
    }
    for file in files {
        let folder = file.candidate.real.parent();
        if folder.and_then(|folder| starts.get(folder)) != Some(&Some(false)) {
            continue;
        }
        for finding in &mut file.outcome.findings {
            if finding.cause == Cause::Server {
                finding.severity = Severity::Note;
            }
        }
    }
}

fn is_go(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "go")
}
