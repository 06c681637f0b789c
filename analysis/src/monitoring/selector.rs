//! Label matchers, as in PromQL.

use super::regex::{self, Fault};
use std::fmt;
use std::str::FromStr;

/// Label matchers of PromQL, such as `job="apiserver"`; by default none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(String);

impl Selector {
    /// The matchers, separated by commas and without braces.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Selector {
    type Err = InvalidSelector;

    /// Reads `NAME="VALUE"` with the operators `=`, `!=`, `=~` and `!~`, separated by commas. The value of `=~` and `!~` must be a regular
    /// expression of RE2.
    fn from_str(text: &str) -> Result<Self, InvalidSelector> {
        let invalid = || InvalidSelector(Reason::NotMatchers(text.into()));
        let mut matchers = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let (name, after) = rest.split_at(rest.find(|c| !is_name(c)).ok_or_else(invalid)?);
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
                return Err(invalid());
            }
            let after = after.trim_start();
            let operators = ["=~", "!~", "!=", "="];
            let operator = operators.into_iter().find(|own| after.starts_with(own));
            let operator = operator.ok_or_else(invalid)?;
            let after = after[operator.len()..].trim_start();
            let end = quoted(after).ok_or_else(invalid)?;
            let matcher = format!("{name}{operator}{}", &after[..end]);
            let is_regex = operator.ends_with('~');
            if let Err(problem) = check(&after[1..end - 1], is_regex) {
                return Err(InvalidSelector(Reason::Value(matcher.into(), problem)));
            }
            matchers.push(matcher);
            rest = after[end..].trim_start();
            rest = match rest.strip_prefix(',') {
                Some(rest) => rest.trim_start(),
                None if rest.is_empty() => rest,
                None => return Err(invalid()),
            };
        }
        Ok(Self(matchers.join(",")))
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The length of the string in double quotes at the beginning of a text.
fn quoted(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (index, character) in inner.char_indices() {
        match character {
            '\n' => return None,
            '"' if !is_escaped => return Some(index + 2),
            _ => is_escaped = character == '\\' && !is_escaped,
        }
    }
    None
}

/// Checks the text in the quotes of a matcher.
fn check(text: &str, is_regex: bool) -> Result<(), Problem> {
    let value = unescaped(text).map_err(Problem::Escape)?;
    match is_regex {
        true => regex::check(&value).map_err(|fault| Problem::Regex(value, fault)),
        false => Ok(()),
    }
}

/// The value of a string of PromQL without its quotes. The error is an escape that PromQL does not have.
fn unescaped(mut text: &str) -> Result<String, String> {
    let mut value = String::new();
    while let Some((plain, escape)) = text.split_once('\\') {
        value.push_str(plain);
        let first = escape.chars().next().unwrap_or('\\');
        let wrong = || format!("\\{first}");
        // The base of a number and its digits.
        let number = match first {
            'x' => Some((16, 1, 2)),
            'u' => Some((16, 1, 4)),
            'U' => Some((16, 1, 8)),
            '0'..='7' => Some((8, 0, 3)),
            _ => None,
        };
        let (character, length) = match (first, number) {
            (_, Some((base, start, digits))) => {
                let digits = escape.get(start..start + digits).ok_or_else(wrong)?;
                let number = u32::from_str_radix(digits, base).ok();
                let character = number.and_then(char::from_u32).ok_or_else(wrong)?;
                (character, start + digits.len())
            }
            ('a', _) => ('\u{7}', 1),
            ('b', _) => ('\u{8}', 1),
            ('f', _) => ('\u{c}', 1),
            ('n', _) => ('\n', 1),
            ('r', _) => ('\r', 1),
            ('t', _) => ('\t', 1),
            ('v', _) => ('\u{b}', 1),
            ('\\' | '"', _) => (first, 1),
            _ => return Err(wrong()),
        };
        value.push(character);
        text = escape.get(length..).unwrap_or_default();
    }
    value.push_str(text);
    Ok(value)
}

/// Text that is not a list of label matchers, or a matcher that Prometheus cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelector(Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    /// The text.
    NotMatchers(Box<str>),
    /// The matcher, and the problem of its value.
    Value(Box<str>, Problem),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    Escape(String),
    /// The regular expression.
    Regex(String, Fault),
}

impl fmt::Display for InvalidSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::NotMatchers(text) => write!(
                f,
                "`{text}` is not a list of label matchers such as job=\"apiserver\",cluster=~\"prod-.*\""
            ),
            Reason::Value(matcher, Problem::Escape(escape)) => write!(
                f,
                "`{matcher}`: PromQL does not have the escape `{escape}` in a string; write a backslash as `\\\\`"
            ),
            Reason::Value(matcher, Problem::Regex(pattern, fault)) => {
                let Fault { character, reason } = fault;
                write!(
                    f,
                    "`{matcher}`: the regular expression `{pattern}` is invalid at character {character}: {reason}; expected the \
                     syntax of RE2"
                )
            }
        }
    }
}

impl std::error::Error for InvalidSelector {}
