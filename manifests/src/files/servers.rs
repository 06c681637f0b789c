//! Programs in Go with the library of API servers that do not start one.

use super::examined::Examined;
use crate::Severity;
use crate::migrate::Cause;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The package that starts an API server, and packages of other libraries that do so with it.
const SERVERS: [&str; 6] = [
    "\"k8s.io/apiserver/pkg/server",
    "/acme/webhook/cmd",
    "/apiserver-runtime/",
    "/custom-metrics-apiserver",
    "/kube-aggregator/",
    "/sample-apiserver/",
];

/// The parts of the library of API servers that a file of a program in Go imports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Imports {
    #[default]
    None,
    /// Such as the filters of requests.
    Parts,
    /// Those that start a server.
    Server,
}

/// The parts of the library of API servers that a file imports.
pub(super) fn imports(path: &Path, bytes: &[u8]) -> Imports {
    let text = std::str::from_utf8(bytes).ok().filter(|_| is_go(path));
    match text {
        Some(text) if SERVERS.iter().any(|server| text.contains(server)) => Imports::Server,
        Some(text) if text.contains("\"k8s.io/apiserver/") => Imports::Parts,
        _ => Imports::None,
    }
}

/// Leaves a note for the library of API servers in a module whose programs import parts of it, and none that starts a server.
pub(super) fn settle_servers(files: &mut [Examined]) {
    let has_server = |file: &Examined| {
        let mut findings = file.outcome.findings.iter();
        findings.any(|finding| finding.cause == Cause::Server)
    };
    let modules = files.iter().filter(|file| has_server(file));
    let folders = modules.filter_map(|file| file.candidate.real.parent());
    let mut imported: BTreeMap<PathBuf, Imports> = folders
        .map(|folder| (folder.to_owned(), Imports::None))
        .collect();
    if imported.is_empty() {
        return;
    }
    for file in files.iter().filter(|file| file.imports != Imports::None) {
        for folder in file.candidate.real.ancestors().skip(1) {
            if let Some(imported) = imported.get_mut(folder) {
                *imported = file.imports.max(*imported);
            }
        }
    }
    for file in files {
        let folder = file.candidate.real.parent();
        if folder.and_then(|folder| imported.get(folder)) != Some(&Imports::Parts) {
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
