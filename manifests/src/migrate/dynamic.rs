//! The group and a version as two strings that belong together: fields of a `GroupVersionResource`, arguments of a call, or
//! a path. The group may be a constant of the same file.

use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::GROUP;
use std::collections::BTreeSet;

/// The maximum number of bytes between the two strings.
const MAX_GAP: usize = 160;

/// The maximum number of constants of one text whose uses are searched.
const MAX_CONSTANTS: usize = 16;

/// A string or a word of a program, with its offset.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    start: usize,
    text: &'a str,
    kind: TokenKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    String,
    Word,
    Mark,
}

/// The places of the versions of `versions` that belong to a string with the group.
pub(super) fn versions_of_group(
    text: &str,
    versions: &[&'static str],
) -> Vec<(Span, &'static str)> {
    let mut found = Vec::new();
    let mut constants = BTreeSet::new();
    for (at, _) in text.match_indices(GROUP) {
        let end = at + GROUP.len();
        let is_string = text[..at].ends_with(QUOTES) && text[end..].starts_with(QUOTES);
        if !is_string {
            found.extend(plain(text, at, end, versions));
            continue;
        }
        found.extend(version_beside(text, at - 1, end + 1, versions));
        constants.extend(constant(text, at - 1).filter(|_| constants.len() < MAX_CONSTANTS));
    }
    for name in constants {
        found.extend(versions_of_constant(text, name, versions));
    }
    found.sort_by_key(|(span, _)| span.start);
    found.dedup();
    found
}

/// The version that belongs to a group, given the group's place.
fn version_beside(
    text: &str,
    start: usize,
    end: usize,
    versions: &[&'static str],
) -> Option<(Span, &'static str)> {
    let after = tokens(text, end, floor(text, end + MAX_GAP));
    let before = tokens(text, floor(text, start.saturating_sub(MAX_GAP)), start);
    appended(&after, versions)
        .or_else(|| version_after(&after, versions))
        .or_else(|| version_before(&before, versions))
}

/// The version of a string that is appended to the group: `group + "/v1beta2"`.
fn appended(after: &[Token<'_>], versions: &[&'static str]) -> Option<(Span, &'static str)> {
    let [plus, string, ..] = after else {
        return None;
    };
    let is_appended = plus.text == "+" && string.kind == TokenKind::String;
    let path = string.text.strip_prefix('/').filter(|_| is_appended)?;
    let version = path.split('/').next().unwrap_or(path);
    let token = Token {
        start: string.start + 1,
        text: version,
        kind: string.kind,
    };
    known(&token, versions)
}

/// The name of the constant or variable whose value begins at `start`: `const group = "…"`, `String GROUP = "…"`.
fn constant(text: &str, start: usize) -> Option<&str> {
    let line = text[..start]
        .rfind(['\n', ';', '{', '('])
        .map_or(0, |at| at + 1);
    let declared = text[line..start].trim_end().strip_suffix('=')?;
    let declared = declared.trim_end_matches([':', ' ', '\t']);
    // A type may follow the name, as in Go, or a colon after it, as in Rust and TypeScript.
    let declared = declared.split(':').next().unwrap_or(declared).trim_end();
    let declared = declared
        .strip_suffix(" string")
        .unwrap_or(declared)
        .trim_end();
    let name = declared
        .rsplit(|character: char| !is_word(character))
        .next()?;
    (name.len() > 1 && name.starts_with(|first: char| first.is_alphabetic() || first == '_'))
        .then_some(name)
}

/// The versions beside the uses of a constant that holds the group.
fn versions_of_constant(
    text: &str,
    name: &str,
    versions: &[&'static str],
) -> Vec<(Span, &'static str)> {
    let uses = text.match_indices(name).filter(|(at, _)| {
        let end = at + name.len();
        // A field of the same name is not a use of the constant: `group: …`, `group = …`.
        let next = text[end..].trim_start();
        !text[..*at].ends_with(is_word)
            && !text[..*at].ends_with(QUOTES)
            && !next.starts_with(is_word_or_assignment)
            && !text[end..].starts_with(QUOTES)
    });
    uses.filter_map(|(at, _)| version_beside(text, at, at + name.len(), versions))
        .collect()
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn is_word_or_assignment(character: char) -> bool {
    is_word(character) || matches!(character, '=' | ':')
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The version after the group in a text without quotes, such as YAML in a string: `group: …`, `version: v1beta2`.
fn plain(
    text: &str,
    at: usize,
    end: usize,
    versions: &[&'static str],
) -> Option<(Span, &'static str)> {
    let before = text[..at].trim_end();
    let is_named = before.strip_suffix(':')?.ends_with("group");
    let after = tokens(text, end, floor(text, end + MAX_GAP));
    let mut words = after.iter().take_while(|token| !ends(token));
    words
        .find(|token| token.text == "version")
        .filter(|_| is_named)?;
    words.next().filter(|token| token.text == ":")?;
    known(words.next()?, versions)
}

/// The version after the group: the next string, after a comma alone or after a name with `version` in it.
fn version_after(tokens: &[Token<'_>], versions: &[&'static str]) -> Option<(Span, &'static str)> {
    let mut is_named = false;
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            TokenKind::Mark if ends(token) => return None,
            TokenKind::Mark => {}
            _ if names(token, "version") => is_named = true,
            TokenKind::Word => {}
            TokenKind::String => {
                let is_next = index == 1 && tokens[0].text == ",";
                return known(token, versions).filter(|_| is_next || is_named);
            }
        }
    }
    None
}

/// The version before the group, if both have names: `Version: "v1beta2", Group: "…"`.
fn version_before(tokens: &[Token<'_>], versions: &[&'static str]) -> Option<(Span, &'static str)> {
    let mut is_group_named = false;
    for (index, token) in tokens.iter().enumerate().rev() {
        match token.kind {
            TokenKind::Mark if ends(token) => return None,
            TokenKind::Mark => {}
            _ if names(token, "group") => is_group_named = true,
            TokenKind::Word => {}
            TokenKind::String => {
                let name = tokens[..index]
                    .iter()
                    .rev()
                    .find(|token| token.kind != TokenKind::Mark);
                let is_named = name.is_some_and(|name| names(name, "version"));
                return known(token, versions).filter(|_| is_named && is_group_named);
            }
        }
    }
    None
}

/// Whether nothing after the token belongs to the same object or call.
fn ends(token: &Token<'_>) -> bool {
    matches!(token.text, "{" | "}" | ";" | "[" | "]")
}

fn names(token: &Token<'_>, name: &str) -> bool {
    token.text.to_ascii_lowercase().contains(name)
}

fn known(token: &Token<'_>, versions: &[&'static str]) -> Option<(Span, &'static str)> {
    let version = versions.iter().find(|version| **version == token.text)?;
    let span = Span::new(token.start, token.start + token.text.len());
    Some((span, version))
}

/// The tokens of a part of a program, without blanks. A string without an end is the last one.
fn tokens(text: &str, from: usize, to: usize) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = from;
    while let Some(first) = text.get(at..to).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..to];
        let (start, length, kind, next) = if QUOTES.contains(&first) {
            let inside = &rest[first.len_utf8()..];
            let length = inside.find(first).unwrap_or(inside.len());
            (at + 1, length, TokenKind::String, at + 2 + length)
        } else if is_word(first) {
            let length = rest.find(|other| !is_word(other)).unwrap_or(rest.len());
            (at, length, TokenKind::Word, at + length)
        } else {
            let length = first.len_utf8();
            (at, length, TokenKind::Mark, at + length)
        };
        if !first.is_whitespace() {
            tokens.push(Token {
                start,
                text: &text[start..start + length],
                kind,
            });
        }
        at = next;
    }
    tokens
}

/// The last boundary of a character at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_may_stand_before_or_after_the_group() {
        let group = format!("\"{GROUP}\"");
        for text in [
            format!("{{\n\tGroup:    {group},\n\tVersion:  \"v1beta2\",\n}}"),
            format!("{{Group: {group}, Resource: r, Version: \"v1beta2\"}}"),
            format!("{{Version: \"v1beta2\", Group: {group}}}"),
            format!("gvk({group}, \"v1beta2\", \"FlowSchema\")"),
            format!("{{\"group\": {group}, \"version\": \"v1beta2\"}}"),
            format!("{{'version': 'v1beta2', 'group': '{GROUP}'}}"),
            format!("list(group={group}, version=\"v1beta2\")"),
            format!("  group = {group}\n  version = \"v1beta2\"\n"),
            format!("group: {GROUP}\n    resource: r\n    version: v1beta2\n"),
            format!("b.withGroup({group})\n  .withVersion(\"v1beta2\")"),
            format!("url = {group} + \"/v1beta2/flowschemas\""),
            format!("const g1 = {group}\nx := gvr{{Group: g1, Version: \"v1beta2\"}}"),
            format!("const g1 string = {group}\nx := gvr(g1, \"v1beta2\")"),
            format!("pub const G1: &str = {group};\nlet x = gvk(G1, \"v1beta2\", KIND);"),
            format!("static final String G1 = {group};\nString x = G1 + \"/v1beta2\";"),
            format!("g1 = {group}\nlist(group=g1, version=\"v1beta2\")\n"),
        ] {
            let found = versions_of_group(&text, &["v1beta2"]);
            let [(span, "v1beta2")] = found.as_slice() else {
                panic!("{text}: {found:?}")
            };
            assert_eq!(&text[span.range()], "v1beta2");
        }
        for text in [
            format!("{{Group: {group}}}, {{Group: \"x\", Version: \"v1beta2\"}}"),
            format!("{{Group: \"x\", Version: \"v1beta2\"}}, {{Group: {group}}}"),
            format!("f({group})\ng(\"v1beta2\")"),
            format!("a = {group}\nb = \"v1beta2\"\n"),
            format!("{{Group: {group}, Resource: \"r\", Version: \"v1beta2\"}}")
                .replace("Version", "X"),
            format!("x {GROUP}, \"v1beta2\""),
            format!("const g1 = {group}\nx := gvr{{Group: g12, Version: \"v1beta2\"}}"),
            format!("const g1 = {group}\nx := f(g1)\ny := g(\"v1beta2\")"),
            format!("url = {group} + \"/v1beta2x\""),
            format!("group: {GROUP}\nname: v1beta2\n"),
            format!("group: {GROUP}\n}} version: v1beta2\n"),
        ] {
            assert_eq!(versions_of_group(&text, &["v1beta2"]), [], "{text}");
        }
    }
}
