//! The definition of a named template.

use super::decide::version_chains;
use super::read::{Text, mentions, version_is_at};
use crate::documents::{actions, blocks};
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// The definition of a named template, such as `{{ define "app.apiVersion" }}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedTemplate {
    /// The byte offset of its start.
    pub offset: usize,
    /// Whether it is certain that it produces the wanted version where the cluster serves it.
    pub is_current: bool,
    /// Whether it has branches for other versions only: a migration of its text has a finding about them, which says what to add.
    pub is_listed: bool,
}

/// The definition of a named template in a text; `to` is the wanted version.
pub fn named_template(text: &str, name: &str, to: ApiVersion) -> Option<NamedTemplate> {
    let source = Text::new(text);
    let actions = actions(source.text)?;
    let blocks = blocks(source.text, &actions);
    let is_named = |found: &&crate::documents::Definition| found.name == name;
    let span = blocks.definitions.iter().find(is_named)?.span;
    let chains = version_chains(&source, &blocks.chains, &mentions(source.text, to), to);
    let is_current = mentions(source.text, to)
        .iter()
        .filter(|mention| span.range().contains(&mention.span.start))
        .all(|mention| {
            let mut around = chains
                .all
                .iter()
                .filter(|chain| chain.contains(mention.span));
            around.next().is_some_and(|chain| chain.is_current)
        });
    let is_listed = chains
        .all
        .iter()
        .any(|chain| span.range().contains(&chain.span.start) && !chain.is_current);
    let body = source.slice(span);
    let mut groups = body.match_indices(GROUP);
    let produces = groups.any(|(at, _)| version_is_at(body, at + GROUP.len() + 1, to));
    Some(NamedTemplate {
        offset: source.mark + span.start,
        is_current: is_current && produces,
        is_listed,
    })
}
