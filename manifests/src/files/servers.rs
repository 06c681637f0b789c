//! Programs in Go with the library of API servers that do not start one.

use super::examined::Examined;
use crate::Severity;
use crate::migrate::About;
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
    if path.extension().is_none_or(|extension| extension != "go") {
        return Imports::None;
    }
    match std::str::from_utf8(bytes).ok() {
        Some(text) if SERVERS.iter().any(|server| text.contains(server)) => Imports::Server,
        Some(text) if text.contains("\"k8s.io/apiserver/") => Imports::Parts,
        _ => Imports::None,
    }
}

/// Leaves a note for the library of API servers in a module whose programs import parts of it, and none that starts a server.
pub(super) fn settle_servers(files: &mut [Examined]) {
    let paths = files.iter().map(|file| &file.candidate.real);
    let modules = paths.filter(|path| path.ends_with("go.mod"));
    let mut imported: BTreeMap<PathBuf, Imports> = modules
        .filter_map(|path| Some((path.parent()?.to_owned(), Imports::None)))
        .collect();
    for file in files.iter().filter(|file| file.imports != Imports::None) {
        // A module ends where another one begins.
        let mut folders = file.candidate.real.ancestors().skip(1);
        if let Some(module) = folders.find(|folder| imported.contains_key(*folder))
            && let Some(imported) = imported.get_mut(module)
        {
            *imported = file.imports.max(*imported);
        }
    }
    for file in files {
        let folder = file.candidate.real.parent();
        if folder.and_then(|folder| imported.get(folder)) != Some(&Imports::Parts) {
            continue;
        }
        for finding in &mut file.outcome.findings {
            if finding.about == About::Server {
                finding.severity = Severity::Note;
            }
        }
    }
}
