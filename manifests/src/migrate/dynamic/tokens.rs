//! The tokens of a text of any language: strings, words and marks.

use crate::cut::{floor, leading};

/// A string or a word of a program, with its offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// The offset of the content, which is behind the quote of a string.
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) kind: TokenKind,
    /// The first byte of the token's line.
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    String,
    Word,
    Mark,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is_string(&self) -> bool {
        self.kind == TokenKind::String
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }

    pub(super) fn is(&self, mark: &str) -> bool {
        self.kind == TokenKind::Mark && self.text == mark
    }

    /// Whether the token has a word in its text, in any case.
    pub(super) fn names(&self, name: &str) -> bool {
        self.text.to_ascii_lowercase().contains(name)
    }
}

const QUOTES: [char; 3] = ['"', '\'', '`'];

/// The marks that begin a value which the text computes, outside of quotes.
const OPENERS: [(&str, &str); 4] = [("${", "}"), ("$(", ")"), ("<%=", "%>"), ("{{", "}}")];

/// The maximum number of bytes of a run.
const MAX_RUN: usize = 400;

/// The words of actions that do not produce a value.
const STATEMENTS: [&str; 7] = ["if ", "else", "end", "range ", "with ", "define ", "block "];

/// The tokens of a text, without blanks and comments. A string ends in its line.
///
/// `is_template` is whether braces in pairs are actions of a template, and not parts of a program.
pub(super) fn tokens(text: &str, is_template: bool) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 0);
    // For each quote, the place up to which no other one closes a string. A quote behind one without an end is escaped, so it has none too.
    let mut open_until = [0; QUOTES.len()];
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first == '\n' {
            at += 1;
            line = at;
            continue;
        }
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let is_alone = tokens
            .last()
            .is_none_or(|last: &Token<'_>| last.line != line);
        if is_comment(text, at, is_alone) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let run = run(text, at, is_template);
        let (start, length, kind, next) = if let Some(length) = run {
            (at, length, TokenKind::String, at + length)
        } else if let Some((length, end)) = quoted(text, at, &mut open_until) {
            (at + 1, length, TokenKind::String, at + end)
        } else if is_word(first) || first == '$' {
            let length = first.len_utf8() + leading(&rest[first.len_utf8()..], is_word).len();
            (at, length, TokenKind::Word, at + length)
        } else {
            let length = first.len_utf8();
            (at, length, TokenKind::Mark, at + length)
        };
        tokens.push(Token {
            start,
            text: &text[start..start + length],
            kind,
            line,
        });
        at = next;
    }
    tokens
}

/// The content of a quoted string of one line: its length, and the length with both quotes.
fn quoted(
    text: &str,
    start: usize,
    open_until: &mut [usize; QUOTES.len()],
) -> Option<(usize, usize)> {
    let rest = &text[start..];
    let kind = QUOTES.iter().position(|quote| rest.starts_with(*quote))?;
    if start < open_until[kind] {
        return None;
    }
    let mut is_escaped = false;
    for (at, character) in rest.char_indices().skip(1) {
        match character {
            '\n' => {
                open_until[kind] = start + at;
                return None;
            }
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == QUOTES[kind] => return Some((at - 1, at + 1)),
            _ => {}
        }
    }
    open_until[kind] = text.len();
    None
}

/// The length of a run of characters without blanks and quotes that holds a computed value or the group:
/// `/apis/$GROUP/${VERSION}/x`, `flowcontrol.apiserver.k8s.io/{{ version }}`.
fn run(text: &str, start: usize, is_template: bool) -> Option<usize> {
    let first = text[start..].chars().next()?;
    let is_start = text[..start]
        .chars()
        .next_back()
        .is_none_or(|before| before.is_whitespace() || "=:([,".contains(before));
    let may_begin = first.is_alphanumeric() || matches!(first, '/' | '$' | '<' | '{');
    if !(is_start && may_begin) {
        return None;
    }
    let mut at = start;
    let (mut values, mut is_group) = (0, false);
    while let Some(next) = text[at..].chars().next() {
        if at - start > MAX_RUN {
            return None;
        }
        let rest = &text[at..];
        let opener = OPENERS
            .iter()
            .find(|(open, _)| rest.starts_with(open) && (is_template || *open != "{{"));
        if let Some((open, close)) = opener {
            let near = &rest[..floor(rest, MAX_RUN)];
            let end = near[open.len()..].find(close)? + open.len() + close.len();
            let inside = rest[open.len()..end].trim_start_matches(['-', '+', ' ']);
            let is_statement = STATEMENTS.iter().any(|word| inside.starts_with(word));
            if rest[..end].contains('\n') || inside.contains(":=") || is_statement {
                return None;
            }
            values += 1;
            at += end;
        } else if next.is_whitespace() || QUOTES.contains(&next) || ",;()[]{}<>|=".contains(next) {
            break;
        } else {
            is_group |= rest.starts_with("flowcontrol.");
            values += usize::from(next == '$');
            at += next.len_utf8();
        }
    }
    let length = at - start;
    if length == 0 {
        return None;
    }
    let whole = &text[start..at];
    let is_variable = whole.starts_with('$') && whole[1..].chars().all(is_word);
    // Without a slash it is a name of the program, or the group alone.
    let is_path =
        whole.contains('/') || is_group || whole.starts_with("{{") || whole.starts_with("<%");
    (values > 0 && is_path || is_group)
        .then_some(length)
        .filter(|_| !is_variable)
}

/// Whether a comment begins at a place: `//`, or `#` or `--` with a blank, alone in its line or behind a blank.
fn is_comment(text: &str, at: usize, is_alone: bool) -> bool {
    let rest = &text[at..];
    let is_behind = text[..at].ends_with([' ', '\t']);
    (is_alone || is_behind) && (rest.starts_with("// ") || rest.starts_with("# "))
        || is_alone
            && ["-- ", ";; ", "* ", "<!--", "//"]
                .iter()
                .any(|mark| rest.starts_with(mark))
}

pub(super) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The index of the first token at or after an offset.
pub(super) fn index_at(tokens: &[Token<'_>], offset: usize) -> usize {
    tokens.partition_point(|token| token.start < offset)
}
