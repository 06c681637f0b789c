//! The tokens of a label selector.

use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Identifier(String),
    In,
    NotIn,
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    GreaterThan,
    LessThan,
    Comma,
    Open,
    Close,
    /// Characters that are not a token.
    Unknown(String),
    End,
}

impl Token {
    /// The text of a token that may be a value, which keywords may.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Identifier(word) => Some(word),
            Self::In => Some("in"),
            Self::NotIn => Some("notin"),
            _ => None,
        }
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identifier(text) | Self::Unknown(text) => text,
            Self::In => "in",
            Self::NotIn => "notin",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::GreaterThan => ">",
            Self::LessThan => "<",
            Self::Comma => ",",
            Self::Open => "(",
            Self::Close => ")",
            Self::End => "",
        })
    }
}

pub(super) struct Lexer<'a>(std::iter::Peekable<std::str::Chars<'a>>);

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text.chars().peekable())
    }

    pub(super) fn tokens(mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(&c) = self.0.peek() {
            if matches!(c, ' ' | '\t' | '\r' | '\n') {
                self.0.next();
            } else if is_sign(c) {
                let signs = self.take_while(is_sign);
                split_signs(&signs, &mut tokens);
            } else {
                let word =
                    self.take_while(|c| !is_sign(c) && !matches!(c, ' ' | '\t' | '\r' | '\n'));
                tokens.push(match word.as_str() {
                    "in" => Token::In,
                    "notin" => Token::NotIn,
                    _ => Token::Identifier(word),
                });
            }
        }
        tokens
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(c) = self.0.next_if(|&c| wanted(c)) {
            text.push(c);
        }
        text
    }
}

fn is_sign(c: char) -> bool {
    "=!(),><".contains(c)
}

/// Splits consecutive symbols into the longest tokens, like the server's lexer.
fn split_signs(signs: &str, tokens: &mut Vec<Token>) {
    let mut rest = signs;
    while !rest.is_empty() {
        let (token, length) = match rest.as_bytes() {
            [b'=', b'=', ..] => (Token::DoubleEquals, 2),
            [b'!', b'=', ..] => (Token::NotEquals, 2),
            [b'=', ..] => (Token::Equals, 1),
            [b'!', ..] => (Token::Not, 1),
            [b'>', ..] => (Token::GreaterThan, 1),
            [b'<', ..] => (Token::LessThan, 1),
            [b',', ..] => (Token::Comma, 1),
            [b'(', ..] => (Token::Open, 1),
            [b')', ..] => (Token::Close, 1),
            _ => (Token::Unknown(rest.into()), rest.len()),
        };
        tokens.push(token);
        rest = &rest[length..];
    }
}
