//! The versions that belong to the group.

use super::definitions::Definitions;
use super::folded::{Folded, Folding, HOLE};
use super::tokens::{Token, index_at, tokens};
use crate::cut::{floor, leading_word};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::GROUP;
use std::collections::BTreeSet;
use std::ops::Range;

/// The maximum number of bytes between the group and its version.
const MAX_GAP: usize = 200;

/// The maximum number of names whose values are searched.
pub(super) const MAX_NAMES: usize = 64;

/// The names that connect a text with other texts of the same program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Links {
    /// Names that hold the group.
    pub(crate) groups: BTreeSet<String>,
    /// Names that hold a version of the group and have no value in this text.
    pub(crate) versions: BTreeSet<String>,
}

/// The versions that belong to the group in a text, and the links to other texts. `groups` are the names that hold the group
/// in other texts.
pub(crate) fn versions_of_group(
    text: &str,
    is_template: bool,
    groups: &BTreeSet<String>,
    versions: &[&'static str],
) -> (Vec<(Span, &'static str)>, Links) {
    let tokens = tokens(text, is_template);
    let definitions = Definitions::of(&tokens);
    let folding = Folding {
        text,
        tokens: &tokens,
        definitions: &definitions,
    };
    let mut search = Search::new(folding, versions);
    search.groups.clone_from(groups);
    search.names_of_group();
    search.strings();
    search.words();
    let links = search.values();
    let mut found = search.found;
    found.sort_by_key(|(span, _)| span.start);
    found.dedup();
    (found, links)
}

/// The versions in the values of names, which another text uses.
#[cfg(feature = "files")]
pub(crate) fn versions_of_names(
    text: &str,
    is_template: bool,
    names: &BTreeSet<String>,
    versions: &[&'static str],
) -> Vec<(Span, &'static str)> {
    let tokens = tokens(text, is_template);
    let definitions = Definitions::of(&tokens);
    let folding = Folding {
        text,
        tokens: &tokens,
        definitions: &definitions,
    };
    let mut search = Search::new(folding, versions);
    search.names.clone_from(names);
    search.values();
    search.found
}

pub(super) struct Search<'a, 'b> {
    pub(super) folding: Folding<'a, 'b>,
    versions: &'b [&'static str],
    pub(super) found: Vec<(Span, &'static str)>,
    /// The names that hold a version of the group.
    pub(super) names: BTreeSet<String>,
    /// The names that hold the group.
    pub(super) groups: BTreeSet<String>,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(folding: Folding<'a, 'b>, versions: &'b [&'static str]) -> Self {
        Self {
            folding,
            versions,
            found: Vec::new(),
            names: BTreeSet::new(),
            groups: BTreeSet::new(),
        }
    }

    /// The names whose value ends with the group.
    fn names_of_group(&mut self) {
        for (name, values) in self.folding.definitions.iter() {
            let is_group = values.iter().any(|value| {
                let folded = self.folding.fold(value.start);
                folded.is_some_and(|(folded, end)| {
                    end <= value.end + 1 && folded.text.trim_end_matches('/').ends_with(GROUP)
                })
            });
            let is_generic = ["apiGroups", "group", "name", "apiGroup"].contains(&name);
            if is_group && name.len() > 1 && self.groups.len() < MAX_NAMES {
                let is_field = is_generic && values.len() > 1;
                if !is_field {
                    self.groups.insert(name.to_owned());
                }
            }
        }
    }

    /// The strings of the text that contain the group.
    fn strings(&mut self) {
        let mut at = 0;
        while at < self.folding.tokens.len() {
            let token = self.folding.tokens[at];
            let begins =
                token.is_string() || token.is_word() && self.folding.constant(token.text).is_some();
            let folded = if begins { self.folding.fold(at) } else { None };
            let Some((folded, end)) = folded else {
                at += 1;
                continue;
            };
            match folded.text.contains(GROUP) || self.has_group_hole(&folded) {
                true => {
                    self.string(&folded, at, end);
                    // The parts of a string are handled with it, but not the arguments of a call.
                    at = end.max(at + 1);
                }
                false => at += 1,
            }
        }
    }

    fn has_group_hole(&self, folded: &Folded<'_>) -> bool {
        folded
            .holes
            .iter()
            .any(|(_, source)| self.is_group_name(source))
    }

    fn is_group_name(&self, source: &str) -> bool {
        let name = source.trim().trim_start_matches(['$', '@', '.', '#']);
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        self.groups.contains(last)
    }

    /// A string that contains the group, of the tokens `first..end`.
    fn string(&mut self, folded: &Folded<'_>, first: usize, end: usize) {
        let text = folded.text.as_str();
        let groups = text
            .match_indices(GROUP)
            .map(|(at, group)| at..at + group.len());
        let holes = folded
            .holes
            .iter()
            .filter(|(_, source)| self.is_group_name(source));
        let groups: Vec<_> = groups
            .chain(holes.map(|(at, _)| *at..at + HOLE.len_utf8()))
            .collect();
        for group in groups {
            let rest = &text[group.end..];
            let path = rest.strip_prefix("\\/").or_else(|| rest.strip_prefix('/'));
            match path {
                Some(path) if !path.is_empty() => {
                    let at = text.len() - path.len();
                    self.version_in(folded, at);
                }
                // The version follows as another value.
                Some(_) => self.appended(end),
                None if rest.is_empty() => {
                    self.appended(end);
                    self.beside(first, end);
                }
                None => self.plain(folded, group),
            }
        }
    }

    /// A version or an unknown value at a byte of a string.
    fn version_in(&mut self, folded: &Folded<'_>, at: usize) {
        let text = &folded.text[at..];
        if let Some(source) = folded.hole_at(at) {
            self.hole(source);
            return;
        }
        let length = leading_word(text).len();
        if let Some(version) = self.known(&text[..length]) {
            let start = folded.source(at);
            self.found.push((Span::new(start, start + length), version));
        } else if let Some(source) = folded
            .hole_at(at + length)
            .filter(|_| text[..length].starts_with('v'))
        {
            // A version with a computed tail.
            self.hole(source);
        }
    }

    /// Notes a name that holds a version of the group.
    pub(super) fn name(&mut self, path: &str) {
        const KEYWORDS: [&str; 12] = [
            "if", "else", "default", "ternary", "quote", "v1", "true", "false", "var", "local",
            "env", "nil",
        ];
        let path = path.trim_start_matches(['$', '@', '.', '#']);
        let last = path.rsplit(['.', ':']).next().unwrap_or(path);
        let is_name = last.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let is_helm = path.starts_with("Values.");
        if !is_name || KEYWORDS.contains(&last) || self.names.len() >= MAX_NAMES {
            return;
        }
        match is_helm {
            true => self.names.insert(path.to_owned()),
            false => self.names.insert(last.to_owned()),
        };
    }

    pub(super) fn known(&self, word: &str) -> Option<&'static str> {
        self.versions
            .iter()
            .find(|version| **version == word)
            .copied()
    }

    /// A value that is appended to a string with the group: the next operand.
    fn appended(&mut self, end: usize) {
        let tokens = self.folding.tokens;
        let is_plus = tokens.get(end).is_some_and(|token| token.is("+"));
        if is_plus && tokens.get(end + 1).is_some_and(Token::is_word) {
            let (path, _) = self.folding.path(end + 1);
            self.name(path);
        }
    }

    /// The uses of names that hold the group, outside of strings.
    fn words(&mut self) {
        for at in 0..self.folding.tokens.len() {
            let token = self.folding.tokens[at];
            if !(token.is_word() && self.groups.contains(token.text.trim_start_matches('$'))) {
                continue;
            }
            // A field or a variable of the same name is not a use.
            let is_defined = self
                .folding
                .tokens
                .get(at + 1)
                .is_some_and(|next| next.is(":") || next.is("="));
            if !is_defined {
                self.appended(at + 1);
                self.beside(at, at + 1);
            }
        }
    }

    /// The version beside the group: the next argument, or a value with a name.
    fn beside(&mut self, first: usize, end: usize) {
        let tokens = self.folding.tokens;
        let begin = tokens[first].start;
        let limit = tokens[end - 1].end() + MAX_GAP;
        let after = &tokens[end..index_at(tokens, limit).max(end)];
        // Without quotes the group is a part of a sentence or of a list.
        let is_quoted =
            tokens[first].is_word() || self.folding.text[..begin].ends_with(['"', '\'', '`']);
        let is_next = is_quoted
            && after
                .first()
                .is_some_and(|next| next.is(",") || next.is(":") && self.is_key(first));
        if is_next && self.value(end + 1) {
            return;
        }
        let mut at = end;
        while at < end + after.len() && !ends(&tokens[at]) {
            let token = tokens[at];
            if (token.is_word() || token.is_string())
                && token.names("version")
                && !token.names("conversion")
                && let Some(value) = self.value_of(at)
            {
                self.value(value);
                return;
            }
            at += 1;
        }
        let from = index_at(tokens, begin.saturating_sub(MAX_GAP));
        let is_named = tokens[from..first]
            .iter()
            .rev()
            .take(4)
            .any(|token| token.names("group"));
        for at in (from..first).rev().take_while(|at| !ends(&tokens[*at])) {
            let token = tokens[at];
            if is_named && (token.is_word() || token.is_string()) && token.names("version") {
                if let Some(value) = self.value_of(at) {
                    self.value(value);
                }
                return;
            }
        }
    }

    /// Whether the group is a key with quotes: `"flowcontrol.apiserver.k8s.io": "v1beta2"`.
    fn is_key(&self, first: usize) -> bool {
        self.folding.tokens[first].is_string()
    }

    /// The index of the value behind a name: `version: …`, `version = …`, `withVersion(…`.
    fn value_of(&self, name: usize) -> Option<usize> {
        let tokens = self.folding.tokens;
        let next = tokens.get(name + 1)?;
        let is_value = [":", "=", "("].iter().any(|mark| next.is(mark));
        let is_arrow = next.is("=") && tokens.get(name + 2).is_some_and(|next| next.is(">"));
        is_value.then_some(name + 2 + usize::from(is_arrow))
    }

    /// The versions and names of a value. Returns whether it has any.
    fn value(&mut self, first: usize) -> bool {
        let tokens = self.folding.tokens;
        let Some(line) = tokens.get(first).map(|token| token.line) else {
            return false;
        };
        let mut is_any = false;
        let mut at = first;
        while let Some(token) = tokens.get(at).copied().filter(|_| at < first + 24) {
            let is_end = [",", ";", ")", "}", "]", "{", "["]
                .iter()
                .any(|mark| token.is(mark));
            if is_end || token.line != line && !token.is("?") && !token.is(":") && at > first {
                break;
            }
            let is_tail = at > first && (tokens[at - 1].is("/") || tokens[at - 1].is("."));
            if let Some(version) = self.known(token.text).filter(|_| !is_tail) {
                self.found
                    .push((Span::new(token.start, token.end()), version));
                is_any = true;
            } else if token.is_word() && !is_tail {
                let (path, end) = self.folding.path(at);
                self.name(path);
                is_any = true;
                at = end;
                continue;
            }
            at += 1;
        }
        is_any
    }

    /// The version after the group in a text without quotes: `group: …`, `version: v1beta2`.
    fn plain(&mut self, folded: &Folded<'_>, group: Range<usize>) {
        let text = &folded.text;
        if !text[..group.start].trim_end().ends_with("group:") {
            return;
        }
        let at = group.end;
        let rest = &text[at..floor(text, at + MAX_GAP)];
        let Some(version) = rest.find("version:") else {
            return;
        };
        if rest[..version].contains(['}', '{', ']', '[']) {
            return;
        }
        let value = &rest[version + 8..];
        let value = at + version + 8 + value.len() - value.trim_start().len();
        if value < text.len() {
            self.version_in(folded, value);
        }
    }
}

/// Whether nothing after the token belongs to the same object or call.
fn ends(token: &Token<'_>) -> bool {
    ["{", "}", ";", "[", "]"].iter().any(|mark| token.is(mark))
}
