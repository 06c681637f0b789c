//! Files that list the versions of many groups.

use std::collections::BTreeSet;

/// The number of old versions of other groups, as `apiVersion` writes them, from which a file is a table of versions.
const VERSIONS: usize = 3;

/// The number of them as names of clients, such as `BatchV1beta1Api`. A program that only uses clients has fewer.
const CLIENTS: usize = 6;

const GROUPS: [&str; 21] = [
    "extensions",
    "policy",
    "batch",
    "apps",
    "autoscaling",
    "networking",
    "rbac",
    "rbacauthorization",
    "authorization",
    "authentication",
    "apiextensions",
    "apiregistration",
    "admissionregistration",
    "storage",
    "scheduling",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "node",
    "resource",
];

/// The number of imports from which a file that has little else is the index of a library.
const IMPORTS: usize = 40;

/// Whether a text lists old versions of many other groups, or the modules of a library.
pub(super) fn is_table(text: &str) -> bool {
    lists_versions(text) || is_index(text)
}

/// The number of lines around a version in which a list names other groups, and of the groups that it names at least.
const AROUND: usize = 12;
const NAMED: usize = 4;

/// Whether the lines around each place name many other groups with a version, as lists of the resources of a server do.
pub(super) fn is_among_groups(text: &str, offsets: impl IntoIterator<Item = usize>) -> bool {
    let lines: Vec<_> = text.lines().collect();
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let places = offsets.into_iter();
    let places = places.map(|offset| starts.partition_point(|start| *start <= offset) - 1);
    let places: BTreeSet<_> = places.collect();
    !places.is_empty()
        && places.into_iter().all(|line| {
            let around = lines.iter().take(line + AROUND + 1);
            let around = around.skip(line.saturating_sub(AROUND));
            let named: BTreeSet<_> = around.filter_map(|line| quoted_group(line)).collect();
            named.len() >= NAMED
        })
}

/// The other group that a line names in quotes, beside a version: `{"v1", "batch", "batch/v1"}`.
fn quoted_group(line: &str) -> Option<&'static str> {
    let has_version = line.contains("v1") || line.contains("v2");
    let mut quoted = line.split(['"', '\'', '`']).skip(1).step_by(2);
    quoted.find_map(|part| {
        let name = part.split('/').next().unwrap_or(part);
        group(name, true).filter(|_| has_version && !name.contains("flowcontrol"))
    })
}

/// The number of request paths from which a JSON text is the list of a server's paths.
const PATHS: usize = 3;

/// Whether a text is a list of request paths in JSON, as servers publish it.
pub(super) fn is_paths(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && text.matches("\"/apis/").count() >= PATHS
}

fn is_index(text: &str) -> bool {
    const WORDS: [&str; 4] = ["export * from", "export {", "from ", "import "];
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let imports = lines.clone().filter(|line| {
        WORDS.iter().any(|word| line.starts_with(word)) || line.contains("require(\"./")
    });
    let imports = imports.count();
    imports >= IMPORTS && imports >= lines.count() / 2
}

fn lists_versions(text: &str) -> bool {
    let mut versions = BTreeSet::new();
    let mut clients = BTreeSet::new();
    let bytes = text.as_bytes();
    for stage in ["alpha", "beta"] {
        for (at, _) in text.match_indices(stage) {
            // `v1` before the stage, and a group before that.
            let Some(start) = at.checked_sub(2) else {
                continue;
            };
            if !matches!(bytes[start], b'v' | b'V') || !bytes[start + 1].is_ascii_digit() {
                continue;
            }
            let near = &bytes[start..text.len().min(start + "v1alpha10".len())];
            let length = near.iter().take_while(|byte| byte.is_ascii_alphanumeric());
            let version = &text[start..start + length.count()];
            let (is_plain, before) = match text[..start].strip_suffix('/') {
                Some(before) => (true, before),
                None => (false, text[..start].trim_end_matches('_')),
            };
            let Some(group) = group(before, is_plain) else {
                continue;
            };
            let found = if is_plain {
                &mut versions
            } else {
                &mut clients
            };
            found.insert((group, version.to_ascii_lowercase()));
            if versions.len() >= VERSIONS || clients.len() >= CLIENTS {
                return true;
            }
        }
    }
    false
}

/// The group with whose name a text ends: `batch`, `networking.k8s.io`. A word before it is part of another group's name,
/// but not in the name of a client.
fn group(text: &str, is_whole: bool) -> Option<&'static str> {
    let text = text.strip_suffix(".k8s.io").unwrap_or(text);
    let text = text.strip_suffix(".authorization").unwrap_or(text);
    GROUPS.into_iter().find(|group| {
        let start = text.len().checked_sub(group.len());
        start.is_some_and(|start| {
            let end = text.get(start..);
            end.is_some_and(|end| end.eq_ignore_ascii_case(group))
                && !text[..start]
                    .ends_with(|last: char| last == '.' || is_whole && last.is_ascii_alphanumeric())
        })
    })
}
