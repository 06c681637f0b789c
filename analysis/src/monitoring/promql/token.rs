//! Words, numbers, strings and signs of an expression.

use crate::metrics::quoted;

/// A part of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a word such as `by`; also a duration such as `5m`.
    Word(String),
    Number(f64),
    /// A string without its quotes.
    Text(String),
    Sign(&'static str),
}

/// The signs; a longer one comes before its beginning.
const SIGNS: [&str; 17] = [
    ">=", "=~", "!~", "!=", "(", ")", "{", "}", "[", "]", ",", "=", "<", ">", "-", "*", "/",
];

/// The tokens of a text; an error is the rest of the text.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, &str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.');
        let length;
        if is_word(first) {
            length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let word = &rest[..length];
            found.push(match word.parse() {
                Ok(number) if first.is_ascii_digit() => Token::Number(number),
                _ => Token::Word(word.to_owned()),
            });
        } else if first == '"' {
            let (value, after) = quoted(rest).ok_or(rest)?;
            length = rest.len() - after.len();
            found.push(Token::Text(value));
        } else {
            let sign = SIGNS.into_iter().find(|sign| rest.starts_with(sign));
            let sign = sign.ok_or(rest)?;
            length = sign.len();
            found.push(Token::Sign(sign));
        }
        rest = rest[length..].trim_start();
    }
    Ok(found)
}
