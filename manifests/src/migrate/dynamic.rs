//! The group and a version as two strings that belong together: fields of a `GroupVersionResource`, or arguments of a call.

use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::GROUP;

/// The maximum number of bytes between the two strings.
const MAX_GAP: usize = 160;

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
    for (at, _) in text.match_indices(GROUP) {
        let end = at + GROUP.len();
        let is_string = text[..at].ends_with(QUOTES) && text[end..].starts_with(QUOTES);
        if !is_string {
            found.extend(plain(text, at, end, versions));
            continue;
        }
        let after = tokens(text, end + 1, floor(text, end + 1 + MAX_GAP));
        let start = floor(text, at.saturating_sub(1 + MAX_GAP));
        let before = tokens(text, start, at - 1);
        let token = version_after(&after, versions).or_else(|| version_before(&before, versions));
        found.extend(token);
    }
    found
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
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
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
            format!("group: {GROUP}\nname: v1beta2\n"),
            format!("group: {GROUP}\n}} version: v1beta2\n"),
        ] {
            assert_eq!(versions_of_group(&text, &["v1beta2"]), [], "{text}");
        }
    }
}
