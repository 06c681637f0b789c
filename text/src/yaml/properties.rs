//! Scans directives, anchors, aliases and tags.

use super::cursor::{Mark, is_blank, is_blank_or_end, is_break_or_end};
use super::scanner::{Scanner, Token, TokenKind, is_word_character};
use crate::SyntaxError;

impl Scanner {
    pub(super) fn scan_directive(&mut self) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        self.cursor.next();
        let name = self.scan_word();
        if name.is_empty() {
            return Err(self.error(start, "could not find expected directive name"));
        }
        if !is_blank_or_end(self.cursor.peek()) {
            return Err(self.error(start, "found unexpected non-alphabetical character"));
        }
        let kind = match name.as_str() {
            "YAML" => self.scan_version(start)?,
            "TAG" => self.scan_tag_directive(start)?,
            _ => return Err(self.error(start, "found unknown directive name")),
        };
        let end = self.cursor.mark();
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !is_break_or_end(self.cursor.peek()) {
            return Err(self.error(start, "did not find expected comment or line break"));
        }
        self.cursor.next_line();
        Ok(Token { kind, start, end })
    }

    fn scan_version(&mut self, start: Mark) -> Result<TokenKind, SyntaxError> {
        self.cursor.skip_blanks();
        let major = self.scan_version_number(start)?;
        if self.cursor.peek() != '.' {
            return Err(self.error(start, "did not find expected digit or '.' character"));
        }
        self.cursor.next();
        let minor = self.scan_version_number(start)?;
        Ok(TokenKind::Version { major, minor })
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u32, SyntaxError> {
        const MAX_DIGITS: usize = 9;
        let (mut number, mut digits) = (0, 0);
        while let Some(digit) = self.cursor.peek().to_digit(10) {
            digits += 1;
            if digits > MAX_DIGITS {
                return Err(self.error(start, "found extremely long version number"));
            }
            number = number * 10 + digit;
            self.cursor.next();
        }
        if digits == 0 {
            return Err(self.error(start, "did not find expected version number"));
        }
        Ok(number)
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Result<TokenKind, SyntaxError> {
        self.cursor.skip_blanks();
        let handle = self.scan_tag_handle(true, start)?;
        if !is_blank(self.cursor.peek()) {
            return Err(self.error(start, "did not find expected whitespace"));
        }
        self.cursor.skip_blanks();
        let prefix = self.scan_tag_uri("", start)?;
        if !is_blank_or_end(self.cursor.peek()) {
            return Err(self.error(start, "did not find expected whitespace or line break"));
        }
        Ok(TokenKind::TagDirective { handle, prefix })
    }

    pub(super) fn scan_anchor(&mut self, is_alias: bool) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        self.cursor.next();
        let name = self.scan_word();
        let next = self.cursor.peek();
        let is_end =
            is_blank_or_end(next) || matches!(next, '?' | ':' | ',' | ']' | '}' | '%' | '@' | '`');
        if name.is_empty() || !is_end {
            let problem = "did not find expected alphabetic or numeric character";
            return Err(self.error(start, problem));
        }
        let kind = if is_alias {
            TokenKind::Alias(name)
        } else {
            TokenKind::Anchor(name)
        };
        Ok(Token {
            kind,
            start,
            end: self.cursor.mark(),
        })
    }

    pub(super) fn scan_tag(&mut self) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        let (handle, suffix) = if self.cursor.peek_at(1) == '<' {
            self.cursor.next();
            self.cursor.next();
            let suffix = self.scan_tag_uri("", start)?;
            if self.cursor.peek() != '>' {
                return Err(self.error(start, "did not find the expected '>'"));
            }
            self.cursor.next();
            (String::new(), suffix)
        } else {
            let handle = self.scan_tag_handle(false, start)?;
            if handle.len() >= 2 && handle.ends_with('!') {
                let suffix = self.scan_tag_uri("", start)?;
                (handle, suffix)
            } else {
                // The text read as a handle is the start of the tag; `!` alone is a tag too.
                let suffix = self.scan_tag_uri(&handle, start)?;
                if suffix.is_empty() {
                    (suffix, "!".into())
                } else {
                    ("!".into(), suffix)
                }
            }
        };
        if !is_blank_or_end(self.cursor.peek()) {
            return Err(self.error(start, "did not find expected whitespace or line break"));
        }
        Ok(Token {
            kind: TokenKind::Tag { handle, suffix },
            start,
            end: self.cursor.mark(),
        })
    }

    fn scan_tag_handle(&mut self, directive: bool, start: Mark) -> Result<String, SyntaxError> {
        if self.cursor.peek() != '!' {
            return Err(self.error(start, "did not find expected '!'"));
        }
        let mut handle = String::from(self.cursor.next());
        handle.push_str(&self.scan_word());
        if self.cursor.peek() == '!' {
            handle.push(self.cursor.next());
        } else if directive && handle != "!" {
            return Err(self.error(start, "did not find expected '!'"));
        }
        Ok(handle)
    }

    /// Reads a URI; `head` is the part already read, with a `!` before it.
    fn scan_tag_uri(&mut self, head: &str, start: Mark) -> Result<String, SyntaxError> {
        let mut bytes: Vec<u8> = head.bytes().skip(1).collect();
        let mut is_empty = head.is_empty();
        loop {
            let character = self.cursor.peek();
            let is_uri = is_word_character(character)
                || matches!(
                    character,
                    ';' | '/'
                        | '?'
                        | ':'
                        | '@'
                        | '&'
                        | '='
                        | '+'
                        | '$'
                        | '.'
                        | '%'
                        | '!'
                        | '~'
                        | '*'
                        | '\''
                        | '('
                        | ')'
                        | ','
                        | '['
                        | ']'
                );
            if !is_uri {
                break;
            }
            is_empty = false;
            if character == '%' {
                let digits = [1, 2].map(|distance| self.cursor.peek_at(distance).to_digit(16));
                let [Some(high), Some(low)] = digits else {
                    return Err(self.error(start, "did not find URI escaped octet"));
                };
                // Two hexadecimal digits fit into a byte.
                bytes.push(u8::try_from(high << 4 | low).unwrap_or_default());
                self.cursor.next();
                self.cursor.next();
            } else {
                bytes.extend(character.to_string().bytes());
            }
            self.cursor.next();
        }
        if is_empty {
            return Err(self.error(start, "did not find expected tag URI"));
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn scan_word(&mut self) -> String {
        let mut word = String::new();
        while is_word_character(self.cursor.peek()) {
            word.push(self.cursor.next());
        }
        word
    }
}
