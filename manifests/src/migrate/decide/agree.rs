//! Two chains of branches in one object: one selects the version, the other one the field with the shares.

use super::conditions::ranges;
use super::given::{FIRST, releases, shares, version};
use crate::documents::Chain;
use crate::migrate::findings::{Finding, Rule, Severity};
use crate::migrate::read::Text;
use k8s_flowcontrol_types::convert::shares_name;
use k8s_flowcontrol_types::{ApiVersion, Release};
use std::collections::BTreeMap;

/// The maximum number of chains before and behind one of which the nearest is searched.
const MAX_BESIDE: usize = 16;

/// Judges the chains that select a field by the version that the same clusters get: the index of each with its finding. Each
/// chain stands beside whether it selects a version.
pub(super) fn agree(
    source: &Text<'_>,
    chains: &[(&Chain, bool)],
    to: ApiVersion,
) -> Vec<(usize, Finding)> {
    let mut found = Vec::new();
    let breaks: Vec<_> = source.text.match_indices("\n---").collect();
    let document = |chain: &Chain| breaks.partition_point(|(at, _)| *at < chain.span.start);
    let mut versions: BTreeMap<(usize, usize), &Chain> = BTreeMap::new();
    for (chain, _) in chains.iter().filter(|(_, has_version)| *has_version) {
        versions.insert((document(chain), chain.span.start), chain);
    }
    for (index, (fields, has_version)) in chains.iter().enumerate() {
        let has_shares = |chain: &Chain| {
            let mut bodies = chain.branches.iter();
            bodies.any(|branch| shares(source, branch.body).is_some())
        };
        if *has_version || !has_shares(fields) {
            continue;
        }
        let (document, place) = (document(fields), fields.span.start);
        let before = versions.range((document, 0)..(document, place)).rev();
        let after = versions.range((document, place)..=(document, usize::MAX));
        // A chain in another one, or around it, is not its neighbour.
        let is_beside = |other: &&&Chain| {
            let (one, other) = (fields.span, other.span);
            one.end <= other.start || other.end <= one.start
        };
        let before = before
            .take(MAX_BESIDE)
            .map(|(_, other)| other)
            .find(is_beside);
        let after = after
            .take(MAX_BESIDE)
            .map(|(_, other)| other)
            .find(is_beside);
        let partner = before.into_iter().chain(after);
        let partner = partner.min_by_key(|other| other.span.start.abs_diff(place));
        let verdict = match partner {
            Some(versions) => together(source, versions, fields),
            None => alone(source, fields, to),
        };
        found.extend(verdict.map(|finding| (index, finding)));
    }
    found
}

/// The finding about a chain of versions and a chain of fields; `None` if they depend on more than the release.
fn together(source: &Text<'_>, versions: &Chain, fields: &Chain) -> Option<Finding> {
    let branches = releases(source, versions)?;
    let others = releases(source, fields)?;
    let mut wrong: BTreeMap<_, Vec<Release>> = BTreeMap::new();
    for ((release, one), (_, other)) in branches.into_iter().zip(others) {
        let (Some(one), Some(other)) = (
            one.and_then(|at| versions.branches.get(at)),
            other.and_then(|at| fields.branches.get(at)),
        ) else {
            continue;
        };
        let given = version(source, one.body).filter(|version| version.is_served_by(release));
        let (Some(given), Some((name, at))) = (given, shares(source, other.body)) else {
            continue;
        };
        if release.minor() >= FIRST && shares_name(given) != name {
            let key = (one.body.start, at, given, name);
            wrong.entry(key).or_default().push(release);
        }
    }
    let line = |at: usize| source.line(at);
    let offset = fields.span.start;
    if wrong.is_empty() {
        let message = format!(
            "the branches of this template have the field of each version that the branches from line {} on select",
            line(versions.span.start)
        );
        return Some(Finding::new(
            Severity::Note,
            Rule::CapabilityCheck,
            offset,
            message,
        ));
    }
    let all: Vec<_> = wrong
        .iter()
        .map(|((_, at, given, name), releases)| {
            let (runs, line) = (ranges(releases), line(*at));
            format!("Kubernetes {runs} gets {given} with {name} (line {line}), which {given} does not have")
        })
        .collect();
    let message = format!(
        "these branches do not agree with those from line {} on: {}",
        line(versions.span.start),
        all.join("; ")
    );
    let help = "select the version and the field by the same condition";
    let finding = Finding::new(Severity::Manual, Rule::CapabilityCheck, offset, message);
    Some(finding.help(help))
}

/// The finding about a chain of fields whose version is not known, if all clusters with the target version get its field.
fn alone(source: &Text<'_>, fields: &Chain, to: ApiVersion) -> Option<Finding> {
    let branches = releases(source, fields)?;
    let mut with_target = branches
        .into_iter()
        .filter(|(release, _)| to.is_served_by(*release));
    let is_current = with_target.all(|(_, at)| {
        let branch = at.and_then(|at| fields.branches.get(at));
        let found = branch.and_then(|branch| shares(source, branch.body));
        found.is_some_and(|(name, _)| name == shares_name(to))
    });
    let message = format!(
        "clusters that serve {to} get {} from this template",
        shares_name(to)
    );
    let offset = fields.span.start;
    is_current.then(|| Finding::new(Severity::Note, Rule::CapabilityCheck, offset, message))
}
