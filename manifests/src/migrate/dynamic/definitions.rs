//! The names of a text with their values: constants, variables, fields, parameters with defaults, and functions.

use super::tokens::{Token, is_word};
use std::collections::HashMap;
use std::ops::Range;

/// The maximum number of tokens of a value.
const MAX_VALUE: usize = 64;

/// The maximum number of tokens between a name and its value.
const MAX_WORDS: usize = 40;

/// The types after a name.
const TYPES: [&str; 6] = ["string", "String", "str", "As", "text", "Text"];

/// The names of a text that have a value.
#[derive(Debug, Default)]
pub(super) struct Definitions<'a> {
    /// For each name, the tokens of its values.
    values: HashMap<&'a str, Vec<Range<usize>>>,
    /// The values of fields and arguments, which only count if a name has no other value.
    fields: HashMap<&'a str, Vec<Range<usize>>>,
}

impl<'a> Definitions<'a> {
    pub(super) fn of(tokens: &[Token<'a>]) -> Self {
        let mut found = Self::default();
        for at in 0..tokens.len() {
            if let Some((name, start)) = defined(tokens, at) {
                let end = value_end(tokens, start);
                let ends = |mark: &str| tokens.get(end).is_some_and(|token| token.is(mark));
                let is_field = tokens[at].is(":") || ends(",") || ends(")");
                let values = match is_field {
                    true => found.fields.entry(name).or_default(),
                    false => found.values.entry(name).or_default(),
                };
                values.push(start..end);
            }
        }
        found
    }

    /// The tokens of each value of a name.
    pub(super) fn values(&self, name: &str) -> &[Range<usize>] {
        let plain = name.trim_start_matches(['$', '@', '#']);
        let dollar = format!("${plain}");
        let names = [plain, name, &dollar];
        let values = names.iter().find_map(|name| self.values.get(*name));
        // Fields of different objects have the same name.
        let field = || {
            names
                .iter()
                .find_map(|name| self.fields.get(*name))
                .filter(|values| values.len() == 1)
        };
        values.or_else(field).map_or(&[], Vec::as_slice)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &[Range<usize>])> {
        self.values
            .iter()
            .chain(&self.fields)
            .map(|(name, values)| (*name, values.as_slice()))
    }
}

/// The name that a token defines, and the first token of its value.
fn defined<'a>(tokens: &[Token<'a>], at: usize) -> Option<(&'a str, usize)> {
    let token = tokens[at];
    if token.is("=") {
        let is_comparison = |other: usize, marks: &[&str]| {
            tokens.get(other).is_some_and(|next| {
                marks.iter().any(|mark| next.is(mark)) && is_beside(&token, next)
            })
        };
        let before = at.checked_sub(1)?;
        if is_comparison(at + 1, &["=", "~"]) || is_comparison(before, &["=", "!", "<", ">", "~"]) {
            return None;
        }
        let start = match tokens.get(at + 1).is_some_and(|next| next.is(">")) {
            true => at + 2,
            false => at + 1,
        };
        return Some((name_before(tokens, before)?, start));
    }
    if token.is(":") || token.is("?") {
        let name = tokens[at.checked_sub(1)?];
        let is_path = tokens
            .get(at + 1)
            .is_some_and(|next| next.is(":") || next.is("="));
        let is_default = token.is(":") || tokens.get(at + 1).is_some_and(Token::is_string);
        let is_name = name.is_word() || name.is_string();
        return (is_name && is_default && !is_path).then_some((name.text, at + 1));
    }
    // `#define NAME "…"`, `@version "…"`, `ENV NAME …`.
    let is_direct = token.is_word()
        && tokens
            .get(at + 1)
            .is_some_and(|next| next.is_string() && next.line == token.line)
        && at.checked_sub(1).is_some_and(|before| {
            matches!(
                tokens[before].text,
                "define" | "@" | "ENV" | "ARG" | "def" | "setenv"
            )
        });
    if is_direct {
        return Some((token.text, at + 1));
    }
    // `variable "name" { default = "…" }`.
    let is_block = token.text == "variable" && tokens.get(at + 2).is_some_and(|open| open.is("{"));
    if let Some(name) = tokens
        .get(at + 1)
        .filter(|name| is_block && name.is_string())
    {
        return Some((name.text, at + 2));
    }
    // The body of a function.
    let is_function = ["def", "func", "fn", "fun", "function"].contains(&token.text);
    let name = tokens
        .get(at + 1)
        .filter(|name| is_function && name.is_word())?;
    tokens
        .get(at + 2)
        .filter(|open| open.is("(") || open.is(":"))?;
    Some((name.text, at + 2))
}

/// The defined name before `=`: its type may come before or after it.
fn name_before<'a>(tokens: &[Token<'a>], last: usize) -> Option<&'a str> {
    let line = tokens[last].line;
    let mut at = last;
    // `:=`, `?=`, `+=`, `::=`, `|=`.
    while [":", "?", "+", "|"].iter().any(|mark| tokens[at].is(mark)) {
        at = at.checked_sub(1)?;
    }
    let mut name = None;
    let mut index = at;
    // A name before a colon has its type behind it.
    loop {
        let token = &tokens[index];
        if token.line != line
            || at - index > MAX_WORDS
            || ["{", "(", ";", ","].iter().any(|mark| token.is(mark))
        {
            break;
        }
        if token.is(":") && !index.checked_sub(1).is_some_and(|at| tokens[at].is(":")) {
            let is_path = tokens.get(index + 1).is_some_and(|next| next.is(":"));
            if !is_path {
                name = index.checked_sub(1);
            }
        }
        match index.checked_sub(1) {
            Some(before) => index = before,
            None => break,
        }
    }
    let mut at = name.unwrap_or(at);
    // `["version"] =`, `'version' =`.
    while tokens[at].is("]") || tokens[at].is("\"") {
        at = at.checked_sub(1)?;
    }
    while TYPES.contains(&tokens[at].text) && tokens[at].is_word() {
        let before = at.checked_sub(1)?;
        let is_same_line = tokens[before].line == line && tokens[before].is_word();
        let is_keyword = ["const", "var", "let", "val", "final", "static", "type"];
        if !is_same_line || is_keyword.contains(&tokens[before].text) {
            break;
        }
        at = before;
    }
    let token = tokens[at];
    let is_name = token.is_word() || token.is_string() && token.text.chars().all(is_word);
    is_name.then_some(token.text)
}

/// The end of a value: a semicolon, a comma, a closing bracket, or a line break behind a complete expression.
fn value_end(tokens: &[Token<'_>], start: usize) -> usize {
    let mut depth = 0_usize;
    for at in start..tokens.len().min(start + MAX_VALUE) {
        let token = &tokens[at];
        let opens = ["(", "[", "{"].iter().any(|mark| token.is(mark));
        let closes = [")", "]", "}"].iter().any(|mark| token.is(mark));
        let is_new_line = at > start && tokens[at - 1].line != token.line;
        if is_new_line && depth == 0 && !continues(&tokens[at - 1], token) {
            // The body of a function in Python and Ruby is below its name.
            let is_body = tokens[at - 1].is(":") || tokens[at - 1].is(")") && at - start < 12;
            if !is_body || !token.names("return") {
                return at;
            }
        }
        if depth == 0 && (closes || token.is(";") || token.is(",")) {
            return at;
        }
        depth = depth + usize::from(opens) - usize::from(closes && depth > 0);
    }
    tokens.len().min(start + MAX_VALUE)
}

/// Whether an expression goes on in the next line.
fn continues(last: &Token<'_>, first: &Token<'_>) -> bool {
    let operators = ["+", "?", ":", ".", "|", "&", "=", ",", "\\", "(", "<", ">"];
    let is_operator = |token: &Token<'_>| operators.iter().any(|mark| token.is(mark));
    is_operator(last) || is_operator(first) || matches!(first.text, "else" | "if" | "then")
}

/// Whether two tokens are written without a gap.
fn is_beside(left: &Token<'_>, right: &Token<'_>) -> bool {
    left.end() == right.start || right.end() == left.start
}
