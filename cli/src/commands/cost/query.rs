//! The query of a request.

use crate::output::Streams;
use crate::similar_name;
use std::io;

/// The query parameters of requests for resources, in every release.
const KNOWN: [&str; 22] = [
    "allowWatchBookmarks",
    "continue",
    "dryRun",
    "fieldManager",
    "fieldSelector",
    "fieldValidation",
    "force",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "includeObject",
    "labelSelector",
    "limit",
    "orphanDependents",
    "pretty",
    "propagationPolicy",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "shardSelector",
    "timeout",
    "timeoutSeconds",
    "watch",
];

/// The query without the question mark that separates it from the path.
pub(super) fn without_mark(query: &str) -> &str {
    query.strip_prefix('?').unwrap_or(query)
}

/// Warns of parameters that no server knows: they change nothing.
pub(super) fn warn_of_unknown(query: &str, streams: &mut Streams) -> io::Result<()> {
    let parameters = without_mark(query).split('&');
    let names = parameters.filter_map(|parameter| parameter.split('=').next());
    for name in names.filter(|name| !name.is_empty() && !KNOWN.contains(name)) {
        let hint = similar_name::hint(name, &KNOWN);
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        let text = format!("there is no query parameter `{name}`, so it changes nothing{hint}");
        streams.err.warning(&text)?;
    }
    Ok(())
}
