//! Label matchers, as in PromQL.

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

    /// Reads `NAME="VALUE"` with the operators `=`, `!=`, `=~` and `!~`, separated by commas.
    fn from_str(text: &str) -> Result<Self, InvalidSelector> {
        let invalid = || InvalidSelector(text.into());
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
            matchers.push(format!("{name}{operator}{}", &after[..end]));
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

/// Text that is not a list of label matchers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidSelector(Box<str>);

impl fmt::Display for InvalidSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a list of label matchers such as job=\"apiserver\",cluster=~\"prod-.*\"",
            self.0
        )
    }
}

impl std::error::Error for InvalidSelector {}
