//! Branches of a template that select the version or a field by the cluster.

use crate::documents::{Chain, inside};
use crate::migrate::findings::{Finding, Rule, Severity};
use crate::migrate::read::{Mention, Mentioned, Text, version_is_at};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::{ApiVersion, GROUP};
use std::fmt::Write;

/// An `if` whose branches differ in the version or in a field of the group.
#[derive(Debug)]
pub(in crate::migrate) struct VersionChain {
    pub(in crate::migrate) span: Span,
    /// Whether the first branch is for the target version, so the template is up to date.
    pub(in crate::migrate) is_current: bool,
    pub(in crate::migrate) finding: Finding,
}

/// Words of conditions about the release of a cluster, in lower case.
const RELEASE_WORDS: [&str; 9] = [
    "capabilities",
    "kubeversion",
    "kube_version",
    "kubernetesversion",
    "kubernetes_version",
    "k8sversion",
    "k8s_version",
    "gitversion",
    "semver",
];

/// The chains that select a version or field, from all chains of a template and the mentions in it, both in order.
pub(in crate::migrate) fn version_chains(
    source: &Text<'_>,
    chains: &[Chain],
    mentions: &[Mention],
    to: ApiVersion,
) -> Vec<VersionChain> {
    let mut found: Vec<VersionChain> = Vec::new();
    // The mentions of inner chains are theirs.
    let mut is_taken = vec![false; mentions.len()];
    for chain in chains {
        let first = mentions.partition_point(|mention| mention.span.start < chain.span.start);
        let end = mentions.partition_point(|mention| mention.span.start < chain.span.end);
        let own: Vec<_> = (first..end)
            .filter(|at| !is_taken[*at])
            .map(|at| &mentions[at])
            .collect();
        if own.is_empty() || !selects(source, chain, &own) {
            continue;
        }
        is_taken[first..end].fill(true);
        let is_current = is_current(source, chain, &own, to);
        found.push(VersionChain {
            span: chain.span,
            is_current,
            finding: finding(source, chain, &own, to, is_current),
        });
    }
    found
}

impl VersionChain {
    /// Whether a place is in the chain.
    pub(in crate::migrate) fn contains(&self, place: Span) -> bool {
        contains(self.span, place)
    }
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether the branches depend on the cluster, or differ in the version or field.
fn selects(source: &Text<'_>, chain: &Chain, own: &[&Mention]) -> bool {
    let depends = chain.branches.iter().any(|branch| {
        let condition = source.slice(branch.condition).to_ascii_lowercase();
        condition.contains(GROUP) || RELEASE_WORDS.iter().any(|word| condition.contains(word))
    });
    let mentioned = |body: Span| {
        let inside = own.iter().filter(|mention| contains(body, mention.span));
        inside.map(|mention| &mention.what).collect::<Vec<_>>()
    };
    let mut bodies = chain.branches.iter().map(|branch| mentioned(branch.body));
    let first = bodies.next();
    depends || bodies.any(|body| Some(body) != first)
}

/// Whether the first branch tests for the target version, and holds nothing of another one; or the last one, after a negation.
fn is_current(source: &Text<'_>, chain: &Chain, own: &[&Mention], to: ApiVersion) -> bool {
    let (Some(first), Some(last)) = (chain.branches.first(), chain.branches.last()) else {
        return false;
    };
    let condition = inside(source.slice(first.condition));
    let condition = condition.strip_prefix("if").unwrap_or(condition).trim();
    let is_negated = condition.starts_with("not ") || condition.starts_with("not(");
    let current = match is_negated {
        true if chain.branches.len() == 2 => last,
        true => return false,
        false => first,
    };
    // With another condition beside the test, the cluster may serve the version and get an older one.
    let is_alone = !(condition.contains("and ") && condition.contains(".Values"));
    let is_clean = is_alone
        && !own
            .iter()
            .any(|mention| contains(current.body, mention.span));
    is_clean && tests(condition, to)
}

/// Whether a condition holds exactly on the clusters that serve a version: it names the version, or the first release with it.
fn tests(condition: &str, to: ApiVersion) -> bool {
    let names = condition
        .match_indices(to.api_version())
        .any(|(at, _)| version_is_at(condition, at + GROUP.len() + 1, to));
    let lifecycle = to.lifecycle();
    let is_since = |rest: &str| {
        let rest = rest.trim_start().trim_start_matches('v');
        let minor = rest.strip_prefix("1.").map(|rest| {
            let end = rest.find(|digit: char| !digit.is_ascii_digit());
            &rest[..end.unwrap_or(rest.len())]
        });
        let minor = minor.and_then(|minor| minor.parse::<u32>().ok());
        minor.is_some_and(|minor| minor >= lifecycle.introduced)
    };
    let since = condition.split(">=").skip(1).any(is_since);
    names || (since && lifecycle.removed.is_none())
}

fn finding(
    source: &Text<'_>,
    chain: &Chain,
    own: &[&Mention],
    to: ApiVersion,
    is_current: bool,
) -> Finding {
    let mut branches = String::new();
    for branch in &chain.branches {
        let inside = own
            .iter()
            .filter(|mention| contains(branch.body, mention.span));
        for mention in inside {
            let what = match &mention.what {
                Mentioned::Version(version) => version,
                Mentioned::Field(name) => *name,
                Mentioned::Annotation => "the annotation for zero shares",
            };
            let separator = if branches.is_empty() { "" } else { ", " };
            let line = source.line(mention.span.start);
            // Writing to a string cannot fail.
            let _ = write!(branches, "{separator}{what} in line {line}");
        }
    }
    let offset = chain.span.start;
    if is_current {
        let others = match branches.is_empty() {
            true => String::new(),
            false => format!("; other clusters get {branches}"),
        };
        let message = format!("this template selects {to} where the cluster serves it{others}");
        return Finding::new(Severity::Note, Rule::CapabilityCheck, offset, message);
    }
    if branches.is_empty() {
        let mut versions: Vec<_> = own.iter().map(|mention| mention.describe()).collect();
        versions.dedup();
        let message = format!("this template asks the cluster for {}", versions.join(", "));
        return Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message)
            .help(format!("ask for {to} first"));
    }
    let message = format!("the branches of this template do not cover {to}: {branches}");
    let help = match inside(source.slice(chain.span)).starts_with("if .") {
        true => format!(
            "add a first branch for {to}, with the condition .Capabilities.APIVersions.Has \"{}\", and keep the others while clusters need them",
            to.api_version()
        ),
        false => {
            format!("add a first branch for {to}, and keep the others while clusters need them")
        }
    };
    Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message).help(help)
}
