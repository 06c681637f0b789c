//! Branches of a template that select the version or a field by the cluster.

use super::agree::agree;
use super::conditions::{for_version, ranges};
use super::given::{FIRST, conditions, given_version, releases, version};
use crate::cut::leading;
use crate::documents::{Chain, inside};
use crate::migrate::findings::{About, Finding, Rule, Severity};
use crate::migrate::read::{Mention, Mentioned, Text, version_is_at};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use std::fmt::Write;

/// An `if` whose branches differ in the version or in a field of the group, or a choice between two of them.
#[derive(Debug)]
pub(in crate::migrate) struct VersionChain {
    pub(in crate::migrate) span: Span,
    /// Whether it is one action with two versions, or stands behind the group: the line has no other version.
    pub(in crate::migrate) is_choice: bool,
    /// Whether the first branch is for the target version, so the template is up to date.
    pub(in crate::migrate) is_current: bool,
    pub(in crate::migrate) finding: Finding,
}

/// The chains of a template that select a version or field.
#[derive(Debug, Default)]
pub(in crate::migrate) struct VersionChains {
    pub(in crate::migrate) all: Vec<VersionChain>,
    /// The places of the chains that are not in another one, in order.
    outer: Vec<Span>,
}

impl VersionChains {
    fn new(all: Vec<VersionChain>) -> Self {
        let mut spans: Vec<_> = all.iter().map(|chain| chain.span).collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut outer: Vec<Span> = Vec::new();
        for span in spans {
            if outer.last().is_none_or(|last| last.end < span.end) {
                outer.push(span);
            }
        }
        Self { all, outer }
    }

    pub(in crate::migrate) fn contain(&self, place: Span) -> bool {
        let before = self.outer.partition_point(|span| span.start <= place.start);
        let last = before.checked_sub(1).and_then(|last| self.outer.get(last));
        last.is_some_and(|span| contains(*span, place))
    }
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
) -> VersionChains {
    let helm = of_helm(source.text, to);
    let mut found: Vec<VersionChain> = Vec::new();
    let mut selected = Vec::new();
    // The mentions of inner chains are theirs.
    let mut is_taken = vec![false; mentions.len()];
    for chain in chains {
        let first = mentions.partition_point(|mention| mention.span.start < chain.span.start);
        let end = mentions.partition_point(|mention| mention.span.start < chain.span.end);
        let bare = bare_versions(source, chain, to);
        let own: Vec<_> = (first..end)
            .filter(|at| !is_taken[*at])
            .map(|at| &mentions[at])
            .chain(&bare)
            .collect();
        if own.is_empty() || !selects(source, chain, &own) {
            continue;
        }
        is_taken[first..end].fill(true);
        let served = served(source, chain, &own, to);
        let begins = is_current(source, chain, &own, to);
        let coverage = match served {
            Served::Everywhere => Coverage::Current,
            Served::Unknown if begins => Coverage::Current,
            Served::Removed if begins => Coverage::OthersRemoved,
            Served::Unknown | Served::Removed => Coverage::Missing,
        };
        found.push(VersionChain {
            span: chain.span,
            is_choice: chain.is_choice || is_behind_group(source, chain),
            is_current: coverage == Coverage::Current,
            finding: finding(source, chain, &own, to, (coverage, helm.as_deref())),
        });
        let has_version = own
            .iter()
            .any(|mention| matches!(mention.what, Mentioned::Version(_)));
        selected.push((chain, has_version));
    }
    for (index, finding) in agree(source, &selected, to) {
        if let Some(chain) = found.get_mut(index) {
            chain.is_current = finding.severity == Severity::Note;
            chain.finding = finding;
        }
    }
    VersionChains::new(found)
}

/// Whether a chain selects the version behind the group: `flowcontrol.apiserver.k8s.io/{{ ternary "v1" "v1beta3" .x }}`.
fn is_behind_group(source: &Text<'_>, chain: &Chain) -> bool {
    source.text[..chain.span.start]
        .strip_suffix('/')
        .is_some_and(|before| before.ends_with(GROUP))
}

/// The versions without the group in a chain behind it.
fn bare_versions(source: &Text<'_>, chain: &Chain, to: ApiVersion) -> Vec<Mention> {
    let is_behind = is_behind_group(source, chain);
    let bodies = chain.branches.iter().map(|branch| branch.body);
    let versions = bodies.filter(|_| is_behind).filter_map(|body| {
        let other = version(source, body).filter(|version| *version != to)?;
        Some(Mention {
            span: body,
            what: Mentioned::Version(other.as_str().to_owned()),
        })
    });
    versions.collect()
}

impl VersionChain {
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

/// The versions that clusters get from a chain, as far as they depend on their release only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Served {
    /// The newest clusters get the target version, and each cluster that serves it a version that it serves.
    Everywhere,
    /// Some clusters get a version that was removed before.
    Removed,
    /// Other cases, and chains that depend on more.
    Unknown,
}

/// Whether clusters get the target version from a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coverage {
    /// The template is up to date.
    Current,
    /// The first branch is for the target version, and clusters in another branch get a version that was removed before.
    OthersRemoved,
    /// A branch for the target version is missing.
    Missing,
}

fn served(source: &Text<'_>, chain: &Chain, own: &[&Mention], to: ApiVersion) -> Served {
    let is_version = |mention: &&Mention| matches!(mention.what, Mentioned::Version(_));
    let releases = releases(source, chain).filter(|_| own.iter().all(is_version));
    let mut is_everywhere = releases.is_some();
    for (release, index) in releases.unwrap_or_default() {
        // Older clusters are too old to ask for.
        if release.minor() < FIRST {
            continue;
        }
        let branch = index.and_then(|index| chain.branches.get(index));
        let given = branch.and_then(|branch| given_version(source, branch.body, own, to));
        is_everywhere &= match given {
            Some(version) if is_removed(version, release) => return Served::Removed,
            Some(version) => {
                let is_new = release != Release::NEWEST || version == to;
                is_new && (!to.is_served_by(release) || version.is_served_by(release))
            }
            None => false,
        };
    }
    match is_everywhere {
        true => Served::Everywhere,
        false => Served::Unknown,
    }
}

fn is_removed(version: ApiVersion, release: Release) -> bool {
    let removed = version.lifecycle().removed;
    removed.is_some_and(|removed| release.minor() >= removed)
}

/// Whether a condition holds exactly on the clusters that serve a version: it names the version, or the first release with it.
fn tests(condition: &str, to: ApiVersion) -> bool {
    let names = condition
        .match_indices(to.api_version())
        .any(|(at, _)| version_is_at(condition, at + GROUP.len() + 1, to));
    let lifecycle = to.lifecycle();
    let is_since = |rest: &str| {
        let rest = rest.trim_start().trim_start_matches('v');
        let minor = rest.strip_prefix("1.").and_then(|rest| {
            let minor = leading(rest, |digit| digit.is_ascii_digit());
            minor.parse::<u32>().ok()
        });
        minor.is_some_and(|minor| minor >= lifecycle.introduced)
    };
    let since = condition.split(">=").skip(1).any(is_since);
    names || (since && lifecycle.removed.is_none())
}

/// The finding about a chain; `helm` is the condition for the wanted version in a template of Helm.
fn finding(
    source: &Text<'_>,
    chain: &Chain,
    own: &[&Mention],
    to: ApiVersion,
    (coverage, helm): (Coverage, Option<&str>),
) -> Finding {
    let conditions = conditions(source, chain);
    let releases = releases(source, chain);
    let mut branches = String::new();
    for (index, branch) in chain.branches.iter().enumerate() {
        let runs_on = releases.as_ref().map(|releases| {
            let releases = releases.iter().filter(|(_, runs)| *runs == Some(index));
            releases.map(|(release, _)| *release).collect::<Vec<_>>()
        });
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
            if let Some(releases) = &runs_on {
                branches.push_str(&on_releases(mention, releases));
            }
        }
    }
    let offset = chain.span.start;
    if coverage == Coverage::Current {
        let others = match branches.is_empty() {
            true => String::new(),
            false => format!("; other clusters get {branches}"),
        };
        let early = too_early(source, chain, own, to);
        let message =
            format!("this template selects {to} where the cluster serves it{others}{early}");
        return Finding::new(Severity::Note, Rule::CapabilityCheck, offset, message);
    }
    if branches.is_empty() {
        let mut versions: Vec<_> = own.iter().map(|mention| mention.describe()).collect();
        versions.dedup();
        let message = format!("this template asks the cluster for {}", versions.join(", "));
        return Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message)
            .about(About::Version)
            .help(format!("ask for {to} first"));
    }
    if coverage == Coverage::OthersRemoved {
        let message = format!(
            "the first branch of this template is for {to}, but other clusters get a version that they do not serve: {branches}"
        );
        return Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message)
            .help("change the versions or conditions of the other branches");
    }
    let message = format!("the branches of this template do not cover {to}: {branches}");
    let known = conditions
        .iter()
        .find_map(|condition| for_version(condition, to))
        .or_else(|| helm.map(str::to_owned));
    let with = known.map(|condition| format!(", with the condition {condition}"));
    let help = format!(
        "add a first branch for {to}{}, and keep the others while clusters need them",
        with.unwrap_or_default()
    );
    Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message).help(help)
}

/// The condition for a version in a template of Helm, which knows the versions that the cluster serves.
fn of_helm(text: &str, to: ApiVersion) -> Option<String> {
    let is_helm = [".Values.", ".Release.", ".Capabilities."]
        .iter()
        .any(|name| text.contains(name));
    is_helm.then(|| format!(".Capabilities.APIVersions.Has \"{}\"", to.api_version()))
}

/// The releases that get the target version before they serve it, for the end of a message.
fn too_early(source: &Text<'_>, chain: &Chain, own: &[&Mention], to: ApiVersion) -> String {
    let gets_it = |(release, index): &(Release, Option<usize>)| {
        let branch = index.and_then(|index| chain.branches.get(index));
        let given = branch.and_then(|branch| given_version(source, branch.body, own, to));
        !to.is_served_by(*release) && given == Some(to)
    };
    let releases = releases(source, chain).unwrap_or_default();
    let early: Vec<_> = releases.into_iter().filter(gets_it).collect();
    let early: Vec<_> = early.into_iter().map(|(release, _)| release).collect();
    match early.as_slice() {
        [] => String::new(),
        early => format!(
            "; Kubernetes {} gets {to} and does not serve it",
            ranges(early)
        ),
    }
}

/// The releases on which a branch runs, and which of them do not have its version.
fn on_releases(mention: &Mention, releases: &[Release]) -> String {
    if releases.is_empty() {
        return " (no known release)".to_owned();
    }
    let without = match &mention.what {
        Mentioned::Version(version) => {
            let version = version.parse::<ApiVersion>().ok();
            let lacks = |release: &&Release| {
                version.is_some_and(|version| !version.is_served_by(**release))
            };
            releases.iter().filter(lacks).copied().collect()
        }
        Mentioned::Field(_) | Mentioned::Annotation => Vec::new(),
    };
    let runs = ranges(releases);
    match without.len() {
        0 => format!(" (Kubernetes {runs})"),
        all if all == releases.len() => format!(" (Kubernetes {runs}, not served there)"),
        _ => format!(" (Kubernetes {runs}; not served: {})", ranges(&without)),
    }
}
