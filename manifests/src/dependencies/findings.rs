//! The consequences of a program's dependencies for a migration.

use super::read::Dependency;
use super::table::Ecosystem;
use super::version::{compare, is_commit};
use crate::migrate::About;
use crate::{Finding, Rule, Settings, Severity};
use k8s_flowcontrol_types::ApiVersion;
use std::cmp::Ordering;

/// The findings about dependencies: a library that requests a version that servers do not have, and libraries without the wanted one.
pub(crate) fn dependency_findings(dependencies: &[Dependency], settings: Settings) -> Vec<Finding> {
    let is_apiserver = |dependency: &Dependency| dependency.library.name == "k8s.io/apiserver";
    let has_server = dependencies.iter().any(is_apiserver);
    // A library that only brings the server along has nothing to add beside it.
    let brings = |dependency: &&Dependency| dependency.library.brings_server();
    let own = dependencies
        .iter()
        .filter(|found| !(has_server && brings(found)));
    let found = own.filter_map(|dependency| {
        requested(dependency, settings).or_else(|| without_types(dependency, settings.to))
    });
    found.collect()
}

/// The update of a dependency that gives a program the types of a version: `Some(None)` if it has them, and `None` if it is not known
/// to have them at all.
pub(crate) fn update_of(dependency: &Dependency, to: ApiVersion) -> Option<Option<String>> {
    let first = first_with(dependency, to)?;
    let Dependency {
        library, version, ..
    } = dependency;
    let is_old = compare(version, first)? == Ordering::Less;
    if let Some((minor, _)) = old_feature(dependency, to) {
        let and = match is_old {
            true => format!(
                "update {} from {version} to {first} or later, with",
                library.name
            ),
            false => format!("build {} with", library.name),
        };
        let since = to.lifecycle().introduced;
        return Some(Some(format!(
            "{and} the feature v1_{since} or a later one in place of v1_{minor}"
        )));
    }
    Some(is_old.then(|| {
        let name = match library.ecosystem {
            Ecosystem::Cdk8s => "the import of cdk8s",
            _ => library.name,
        };
        let first = like(version, first);
        format!("update {name} from {version} to {first} or later")
    }))
}

/// The feature for a Kubernetes release that does not have an API version, and its offset.
pub(crate) fn old_feature(dependency: &Dependency, to: ApiVersion) -> Option<(u32, usize)> {
    dependency
        .feature
        .filter(|(minor, _)| *minor < to.lifecycle().introduced)
}

/// The ecosystems of the libraries that a program may use, by the name of its file.
pub(crate) fn ecosystem_of(name: &str) -> &'static [Ecosystem] {
    let extension = name.rsplit('.').next().unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "go" => &[Ecosystem::Go],
        "py" | "pyi" => &[Ecosystem::Python, Ecosystem::Cdk8s],
        "ts" | "tsx" | "js" | "jsx" | "mjs" | "cjs" => &[Ecosystem::Cdk8s, Ecosystem::Npm],
        "rs" => &[Ecosystem::Rust],
        "java" | "kt" | "scala" | "groovy" | "clj" => &[Ecosystem::Java],
        "cs" | "fs" | "vb" => &[Ecosystem::DotNet],
        _ => &[],
    }
}

/// A library that requests an API version by itself, which the servers do not have.
fn requested(dependency: &Dependency, settings: Settings) -> Option<Finding> {
    let Dependency {
        library, version, ..
    } = dependency;
    let is_since = |since: &str| compare(version, since).is_some_and(Ordering::is_ge);
    let mut rows = library.requests.iter();
    // A commit between two releases may request the version of either.
    let is_between = is_commit(version)
        && rows
            .clone()
            .any(|(since, _)| compare(version, since).is_none());
    let (_, requested) = rows.rfind(|(since, _)| is_since(since))?;
    if *requested == settings.to
        || settings
            .release
            .is_some_and(|release| requested.is_served_by(release))
    {
        return None;
    }
    let removed = requested.lifecycle().removed?;
    let wanted = library
        .requests
        .iter()
        .find(|(_, version)| *version == settings.to);
    // Servers that only embed the library for their own requests do not start priority and fairness.
    let severity = match dependency.is_indirect || library.brings_server() || is_between {
        true => Severity::Note,
        false => Severity::Manual,
    };
    let requests = match is_between {
        true => "may request",
        false => "requests",
    };
    let message = format!(
        "a server with {} {version} {requests} {requested}, which Kubernetes has until 1.{}, for its priority and fairness",
        library.name,
        removed - 1
    );
    let finding = Finding::new(severity, Rule::Dependency, dependency.offset, message);
    let finding = finding.about(About::Server);
    Some(match wanted {
        Some((first, _)) => finding.help(format!(
            "update {} to {} or later, or start the server with --enable-priority-and-fairness=false (older servers: \
             --feature-gates=APIPriorityAndFairness=false)",
            library.name,
            like(version, first)
        )),
        None => finding,
    })
}

/// A library without the types of the wanted version. Nothing is to do while no program uses them.
fn without_types(dependency: &Dependency, to: ApiVersion) -> Option<Finding> {
    let help = update_of(dependency, to)??;
    let Dependency {
        library, version, ..
    } = dependency;
    let feature = old_feature(dependency, to);
    let offset = feature.map_or(dependency.offset, |(_, offset)| offset);
    let what = match (feature, library.ecosystem) {
        (Some((minor, _)), _) => {
            let name = library.name;
            format!("the feature v1_{minor} of {name} has no types of {to}")
        }
        (None, Ecosystem::Cdk8s) => {
            format!("cdk8s imports Kubernetes {version}, which has no {to}")
        }
        (None, _) if dependency.is_locked => {
            format!("{} {version} has no types of {to}", library.name)
        }
        (None, _) => format!(
            "{} may be {version}, which has no types of {to}",
            library.name
        ),
    };
    let finding = Finding::new(Severity::Note, Rule::Dependency, offset, what);
    Some(finding.help(help))
}

fn first_with(dependency: &Dependency, to: ApiVersion) -> Option<&'static str> {
    let types = dependency.library.types.iter();
    types
        .filter(|(version, _)| *version == to)
        .map(|(_, first)| *first)
        .next()
}

/// A version as the file writes versions: with a `v` if it has one.
fn like(version: &str, wanted: &str) -> String {
    match version.starts_with('v') {
        true => format!("v{wanted}"),
        false => wanted.to_owned(),
    }
}
