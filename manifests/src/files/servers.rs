//! Programs in Go with the library of API servers that do not start one, or turn its priority and fairness off.

use super::examine::is_documentation;
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

/// The texts of programs and of their arguments that turn priority and fairness off.
const OFF: [&str; 5] = [
    "APIPriorityAndFairness=false",
    "APIPriorityAndFairness: false",
    "enable-priority-and-fairness=false",
    ".EnablePriorityAndFairness = false",
    ".FlowControl = nil",
];

/// The use of the library of API servers by a file of a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ServerUse {
    #[default]
    None,
    /// A program in Go imports parts of it, such as the filters of requests.
    Parts,
    /// A program in Go starts a server.
    Server,
    /// A server runs without priority and fairness.
    Off,
}

/// The use of the library of API servers by a file.
pub(super) fn server_use(path: &Path, bytes: &[u8]) -> ServerUse {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return ServerUse::None;
    };
    let is_go = path.extension().is_some_and(|extension| extension == "go");
    let contains = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let is_test = path.to_string_lossy().ends_with("_test.go");
    if !(is_documentation(path) || is_test) && contains(&OFF) {
        ServerUse::Off
    } else if is_go && contains(&SERVERS) {
        ServerUse::Server
    } else if is_go && text.contains("\"k8s.io/apiserver/") {
        ServerUse::Parts
    } else {
        ServerUse::None
    }
}

/// Leaves a note for the library of API servers in a module whose programs import parts of it, and none that starts a server with
/// priority and fairness.
pub(super) fn settle_servers(files: &mut [Examined]) {
    let paths = files.iter().map(|file| &file.candidate.real);
    let modules = paths.filter(|path| path.ends_with("go.mod"));
    let mut uses: BTreeMap<PathBuf, ServerUse> = modules
        .filter_map(|path| Some((path.parent()?.to_owned(), ServerUse::None)))
        .collect();
    let is_used = |file: &&Examined| file.server_use != ServerUse::None;
    for file in files.iter().filter(is_used) {
        // A module ends where another one begins.
        let mut folders = file.candidate.real.ancestors().skip(1);
        if let Some(module) = folders.find(|folder| uses.contains_key(*folder))
            && let Some(used) = uses.get_mut(module)
        {
            *used = file.server_use.max(*used);
        }
    }
    for file in files {
        let folder = file.candidate.real.parent();
        let used = folder.and_then(|folder| uses.get(folder));
        if !matches!(used, Some(ServerUse::Parts | ServerUse::Off)) {
            continue;
        }
        for finding in &mut file.outcome.findings {
            if finding.about == About::Server {
                finding.severity = Severity::Note;
            }
        }
    }
}
