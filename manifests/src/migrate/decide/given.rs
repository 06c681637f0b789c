//! The versions that clusters of each release get from the branches of a template.

use super::conditions::branches_of_releases;
use crate::cut::leading_word;
use crate::documents::{Chain, inside};
use crate::migrate::read::{Mention, Mentioned, SHARES, Text};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};

/// The oldest minor release for which branches are judged: the first one with v1beta2.
pub(super) const FIRST: u32 = 23;

/// The branch that runs on each known release; `None` if a condition depends on more than the release.
pub(super) fn releases(source: &Text<'_>, chain: &Chain) -> Option<Vec<(Release, Option<usize>)>> {
    branches_of_releases(&conditions(source, chain))
}

/// The condition of each branch.
pub(super) fn conditions<'a>(source: &'a Text<'_>, chain: &Chain) -> Vec<&'a str> {
    let actions = chain.branches.iter().map(|branch| branch.condition);
    actions
        .map(|action| condition(source.slice(action)))
        .collect()
}

/// The condition of a branch without its keyword; empty for `else`.
fn condition(action: &str) -> &str {
    let mut condition = inside(action).trim().trim_end_matches(':');
    for word in ["elseif", "else", "elif", "elsif", "if"] {
        let rest = condition.strip_prefix(word);
        let rest = rest.filter(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric()));
        condition = rest.map_or(condition, str::trim_start);
    }
    condition
}

/// The version that a branch gives: another one that is mentioned in it, or the target version.
pub(super) fn given_version(
    source: &Text<'_>,
    body: Span,
    own: &[&Mention],
    to: ApiVersion,
) -> Option<ApiVersion> {
    let inside = own
        .iter()
        .filter(|mention| body.start <= mention.span.start && mention.span.end <= body.end);
    let mut versions = inside.filter_map(|mention| match &mention.what {
        Mentioned::Version(version) => version.parse::<ApiVersion>().ok(),
        _ => None,
    });
    let other = versions.next();
    other.or_else(|| version(source, body).filter(|version| *version == to))
}

/// The first version of the group in a text, or the version that is the whole text.
pub(super) fn version(source: &Text<'_>, body: Span) -> Option<ApiVersion> {
    let text = source.slice(body);
    let mut groups = text.match_indices(GROUP);
    let found = groups.find_map(|(at, _)| {
        let rest = text[at + GROUP.len()..].strip_prefix('/')?;
        leading_word(rest).parse().ok()
    });
    found.or_else(|| text.trim().parse().ok())
}

/// The name of the field with the shares that a branch has, and its place.
pub(super) fn shares(source: &Text<'_>, body: Span) -> Option<(&'static str, usize)> {
    let text = source.slice(body);
    let found = SHARES.into_iter().filter_map(|name| {
        let at = text.find(name)?;
        let is_key = text[at + name.len()..]
            .trim_start_matches(['"', '\''])
            .starts_with(':');
        is_key.then_some((name, body.start + at))
    });
    found.min_by_key(|(_, at)| *at)
}
