//! Strings that a program puts together, with the place of each part: `"flowcontrol." + suffix + "/v1beta2"`, formats and
//! interpolations.

use crate::cut::{floor, leading};

use super::definitions::Definitions;
use super::tokens::{Token, is_word};

/// The maximum number of parts of a string, and of words of a name.
const MAX_PARTS: usize = 32;

/// The maximum number of bytes of a placeholder, so that a string of openings is not searched to its end for each.
const MAX_PLACEHOLDER: usize = 400;

/// The maximum number of bytes of a constant that is put into another string.
const MAX_CONSTANT: usize = 120;

/// A text that a program puts together.
#[derive(Clone, Debug, Default)]
pub(super) struct Folded<'a> {
    pub(super) text: String,
    /// Where each part begins: in this text, and in the text of the program.
    parts: Vec<(usize, usize)>,
    /// The values that are unknown here, in order: their places in this text, and their source.
    pub(super) holes: Vec<(usize, &'a str)>,
}

/// The character that stands for an unknown value.
pub(super) const HOLE: char = '\u{1}';

impl<'a> Folded<'a> {
    fn push(&mut self, text: &str, source: usize) {
        self.parts.push((self.text.len(), source));
        self.text.push_str(text);
    }

    fn hole(&mut self, source: &'a str) {
        self.holes.push((self.text.len(), source));
        self.text.push(HOLE);
    }

    /// The place of a byte of this text in the text of the program.
    pub(super) fn source(&self, at: usize) -> usize {
        let part = self.parts.partition_point(|(start, _)| *start <= at);
        match part.checked_sub(1).and_then(|part| self.parts.get(part)) {
            Some((start, source)) => source + at - start,
            None => 0,
        }
    }

    /// The source of the unknown value at a byte of this text.
    pub(super) fn hole_at(&self, at: usize) -> Option<&'a str> {
        let hole = self.holes.binary_search_by_key(&at, |(start, _)| *start);
        hole.ok().map(|hole| self.holes[hole].1)
    }
}

/// Puts strings together.
#[derive(Clone, Copy)]
pub(super) struct Folding<'a, 'b> {
    pub(super) text: &'a str,
    pub(super) tokens: &'b [Token<'a>],
    pub(super) definitions: &'b Definitions<'a>,
}

impl<'a> Folding<'a, '_> {
    /// The string that begins with a token, and the index behind its last token; none if the token cannot begin a string.
    pub(super) fn fold(self, first: usize) -> Option<(Folded<'a>, usize)> {
        let mut folded = Folded::default();
        let mut at = self.operand(first, &mut folded)?;
        for _ in 0..MAX_PARTS {
            let Some(next) = self.operator(at) else { break };
            let Some(end) = self.operand(next, &mut folded) else {
                break;
            };
            at = end;
        }
        Some((folded, at))
    }

    /// The index behind an operator that joins strings. Two strings side by side need none.
    fn operator(self, at: usize) -> Option<usize> {
        let token = self.tokens.get(at)?;
        let next = self.tokens.get(at + 1);
        let is_same = |mark: &str| token.is(mark) && next.is_some_and(|next| next.is(mark));
        if is_same(".") || is_same("+") {
            return Some(at + 2);
        }
        if token.is("<") && next.is_some_and(|next| next.is(">")) {
            return Some(at + 2);
        }
        if token.is("+") || token.is("&") {
            return Some(at + 1);
        }
        let is_variable = next.is_some_and(|next| next.is_string() || next.text.starts_with('$'));
        if token.is(".") && is_variable {
            return Some(at + 1);
        }
        // `concat!("a", "b")` of Rust.
        let is_macro = self
            .tokens
            .get(at.saturating_sub(4)..at)
            .is_some_and(|before| before.iter().any(|token| token.text == "concat"));
        if token.is(",") && (is_macro || self.is_in_concat(at)) {
            return Some(at + 1);
        }
        // Two strings may be in two lines, but a name begins something else there.
        let last = self.tokens.get(at.checked_sub(1)?)?;
        let is_defined = next.is_some_and(|next| next.is(":") || next.is("="));
        let is_name = token.is_word() && token.line == last.line && !is_defined;
        let is_beside = token.is_string() || is_name && self.constant(token.text).is_some();
        is_beside.then_some(at)
    }

    /// Whether a comma is between the arguments of `concat!`.
    fn is_in_concat(self, at: usize) -> bool {
        let before = &self.tokens[at.saturating_sub(2 * MAX_PARTS)..at];
        let open = before.iter().rposition(|token| token.is("("));
        open.and_then(|open| open.checked_sub(2))
            .is_some_and(|name| before[name].text == "concat" && before[name + 1].is("!"))
    }

    /// Adds a string, a constant or an unknown value. Returns the index behind it.
    fn operand(self, at: usize, folded: &mut Folded<'a>) -> Option<usize> {
        let token = self.tokens.get(at)?;
        if token.is_string() {
            let arguments = self.arguments(at);
            self.interpolated(token, &arguments, folded);
            return Some(at + 1);
        }
        if !token.is_word() {
            return None;
        }
        let (path, end) = self.path(at);
        let name = path.rsplit(['.', ':']).next().unwrap_or(path);
        match self.constant(name) {
            Some(value) => folded.push(value.text, value.start),
            None if folded.text.is_empty() => return None,
            None => folded.hole(path),
        }
        Some(end)
    }

    /// The value of a name that is one string.
    pub(super) fn constant(self, name: &str) -> Option<Token<'a>> {
        let [value] = self.definitions.values(name) else {
            return None;
        };
        let value = self.tokens.get(value.clone())?;
        let [token] = value else { return None };
        let is_plain = !token.text.contains(['{', '$', '%']) && token.text.len() <= MAX_CONSTANT;
        let is_text = token.is_string() || token.is_word() && is_plain;
        (is_plain && is_text).then_some(*token)
    }

    /// A name with its qualifiers, and the index behind it: `constants.Group`, `version(minor)`.
    pub(super) fn path(self, first: usize) -> (&'a str, usize) {
        let mut end = first + 1;
        for _ in 0..MAX_PARTS {
            let is =
                |at: usize, mark: &str| self.tokens.get(at).is_some_and(|token| token.is(mark));
            let gap = match (is(end, "."), is(end, ":") && is(end + 1, ":")) {
                (true, _) => 1,
                (_, true) => 2,
                _ => break,
            };
            let is_word = self.tokens.get(end + gap).is_some_and(Token::is_word);
            // `"…".into()` is a call of a string, and not a part of a name.
            if !is_word {
                break;
            }
            end += gap + 1;
        }
        let start = self.tokens[first].start;
        let path = &self.text[start..self.tokens[end - 1].end()];
        if self.tokens.get(end).is_some_and(|token| token.is("(")) {
            end = self.closed(end);
        }
        (path, end)
    }

    /// The index behind the bracket that closes the one at `open`.
    pub(super) fn closed(self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(open).take(200) {
            match token.text {
                "(" | "[" | "{" if !token.is_string() => depth += 1,
                ")" | "]" | "}" if !token.is_string() => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return at + 1;
            }
        }
        open + 1
    }

    /// The arguments of a format: those behind the string, in a call of the string, or behind a percent sign.
    fn arguments(self, at: usize) -> Vec<usize> {
        let mut next = at + 1;
        let is = |at: usize, mark: &str| self.tokens.get(at).is_some_and(|token| token.is(mark));
        let is_call = is(next, ".")
            && self
                .tokens
                .get(next + 1)
                .is_some_and(|name| name.text == "format");
        if is_call {
            next += 3;
        } else if is(next, ",") || is(next, "%") {
            next += 1;
        } else {
            return Vec::new();
        }
        let mut arguments = Vec::new();
        while let Some(token) = self.tokens.get(next) {
            if token.is_string() {
                arguments.push(next);
                next += 1;
            } else if token.is_word() {
                arguments.push(next);
                next = self.path(next).1;
            } else if ["(", "[", ",", "&"].iter().any(|mark| token.is(mark)) {
                next += 1;
            } else {
                break;
            }
            if arguments.len() == MAX_PARTS {
                break;
            }
        }
        arguments
    }

    /// Adds the parts of a string: its text, its interpolations and the arguments of its format.
    fn interpolated(self, token: &Token<'a>, arguments: &[usize], folded: &mut Folded<'a>) {
        let text = token.text;
        let mut arguments = arguments.iter();
        let (mut at, mut begin) = (0, 0);
        while let Some(found) = text[at..].find(['$', '#', '\\', '{', '%', '<']) {
            at += found;
            let near = floor(text, at + MAX_PLACEHOLDER);
            let Some((length, value)) = placeholder(&text[at..near]) else {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                continue;
            };
            folded.push(&text[begin..at], token.start + begin);
            match value {
                Placeholder::Named(value) => self.named(value, folded),
                Placeholder::Next => match arguments.next().map(|at| self.tokens[*at]) {
                    Some(argument) if argument.is_string() => {
                        folded.push(argument.text, argument.start);
                    }
                    Some(argument) => {
                        let at = super::tokens::index_at(self.tokens, argument.start);
                        self.named(self.path(at).0, folded);
                    }
                    None => folded.hole(""),
                },
            }
            at += length;
            begin = at;
        }
        folded.push(&text[begin..], token.start + begin);
    }

    fn named(self, value: &'a str, folded: &mut Folded<'a>) {
        let name = value.trim();
        let is_path = name
            .chars()
            .all(|character| is_word(character) || ".:$@#".contains(character));
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        match self.constant(last).filter(|_| is_path) {
            Some(constant) => folded.push(constant.text, constant.start),
            None => folded.hole(value),
        }
    }
}

enum Placeholder<'a> {
    /// The source of a value.
    Named(&'a str),
    Next,
}

/// The placeholder at the beginning of a text, and its length.
fn placeholder(text: &str) -> Option<(usize, Placeholder<'_>)> {
    let pairs = [
        ("{{", "}}"),
        ("${", "}"),
        ("$(", ")"),
        ("#{", "}"),
        ("\\(", ")"),
        ("<%=", "%>"),
    ];
    for (open, close) in pairs {
        if let Some(rest) = text.strip_prefix(open) {
            let end = rest.find(close)?;
            return Some((
                open.len() + end + close.len(),
                Placeholder::Named(&rest[..end]),
            ));
        }
    }
    for format in ["%s", "%v", "%q", "%@"] {
        if text.starts_with(format) {
            return Some((2, Placeholder::Next));
        }
    }
    if let Some(rest) = text.strip_prefix('{') {
        let end = rest.find('}').filter(|end| *end <= 60)?;
        let inside = &rest[..end];
        if inside.is_empty() || inside.chars().all(|digit| digit.is_ascii_digit()) {
            return Some((end + 2, Placeholder::Next));
        }
        let is_name = inside
            .chars()
            .all(|character| is_word(character) || ".()".contains(character));
        return is_name.then_some((end + 2, Placeholder::Named(inside)));
    }
    if let Some(rest) = text.strip_prefix('$') {
        let name = leading(rest, is_word);
        return (!name.is_empty()).then_some((name.len() + 1, Placeholder::Named(name)));
    }
    None
}
