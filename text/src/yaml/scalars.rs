//! Scans plain, quoted and block scalars.

use super::cursor::{Mark, is_blank, is_blank_or_end, is_break, is_break_or_end};
use super::scanner::{Scanner, Token, TokenKind, is_gap, to_indent};
use crate::SyntaxError;

/// White space between two pieces of a scalar, and its folding.
#[derive(Default)]
struct Gap {
    blanks: String,
    first_break: Option<char>,
    more_breaks: String,
}

impl Gap {
    /// Appends the folded white space: blanks within a line unchanged, a single line break as a space, further line
    /// breaks unchanged.
    fn flush(&mut self, out: &mut String) {
        match self.first_break {
            None => out.push_str(&self.blanks),
            Some('\n') if self.more_breaks.is_empty() => out.push(' '),
            Some('\n') => out.push_str(&self.more_breaks),
            Some(other) => {
                out.push(other);
                out.push_str(&self.more_breaks);
            }
        }
        *self = Self::default();
    }

    fn push_break(&mut self, character: char) {
        if self.first_break.is_some() {
            self.more_breaks.push(character);
        } else {
            self.blanks.clear();
            self.first_break = Some(character);
        }
    }
}

impl Scanner {
    pub(super) fn scan_plain(&mut self) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        let mut end = start;
        let mut text = String::new();
        let mut gap = Gap::default();
        let indent = self.indent + 1;
        let mut saw_break = false;
        loop {
            let at_line_start = self.cursor.column() == 0;
            if at_line_start && (self.cursor.is_word("---") || self.cursor.is_word("...")) {
                break;
            }
            if self.cursor.peek() == '#' {
                break;
            }
            while !is_blank_or_end(self.cursor.peek()) && !self.ends_plain() {
                gap.flush(&mut text);
                saw_break = false;
                text.push(self.cursor.next());
                end = self.cursor.mark();
            }
            if !is_gap(self.cursor.peek()) {
                break;
            }
            while is_gap(self.cursor.peek()) {
                let character = self.cursor.peek();
                if let Some(character) = self.cursor.next_line() {
                    gap.push_break(character);
                    saw_break = true;
                } else {
                    let is_indented = to_indent(self.cursor.column()) >= indent;
                    if saw_break && !is_indented && character == '\t' {
                        let problem = "found a tab character that violates indentation";
                        return Err(self.error(start, problem));
                    }
                    self.cursor.next();
                    if !saw_break {
                        gap.blanks.push(character);
                    }
                }
            }
            if !self.in_flow() && to_indent(self.cursor.column()) < indent {
                break;
            }
        }
        if saw_break {
            self.key_allowed = true;
        }
        Ok(scalar(text, true, start, end))
    }

    /// Whether the next character ends a plain scalar.
    fn ends_plain(&mut self) -> bool {
        match self.cursor.peek() {
            ':' => is_blank_or_end(self.cursor.peek_at(1)),
            ',' | '?' | '[' | ']' | '{' | '}' => self.in_flow(),
            _ => false,
        }
    }

    pub(super) fn scan_quoted(&mut self, single: bool) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        let quote = self.cursor.next();
        let mut text = String::new();
        let mut gap = Gap::default();
        loop {
            let at_line_start = self.cursor.column() == 0;
            if at_line_start && (self.cursor.is_word("---") || self.cursor.is_word("...")) {
                return Err(self.error(start, "found unexpected document indicator"));
            }
            if self.cursor.peek() == '\0' {
                return Err(self.error(start, "found unexpected end of stream"));
            }
            let mut escaped_break = false;
            while !is_blank_or_end(self.cursor.peek()) {
                let character = self.cursor.peek();
                let next = self.cursor.peek_at(character.len_utf8());
                if single && character == '\'' && next == '\'' {
                    self.cursor.next();
                    text.push(self.cursor.next());
                } else if character == quote {
                    break;
                } else if !single && character == '\\' && is_break(next) {
                    self.cursor.next();
                    self.cursor.next_line();
                    escaped_break = true;
                    break;
                } else if !single && character == '\\' {
                    text.push(self.scan_escape(start)?);
                } else {
                    text.push(self.cursor.next());
                }
            }
            if self.cursor.peek() == quote {
                break;
            }
            self.scan_quoted_gap(escaped_break, &mut gap);
            if escaped_break && gap.first_break.is_none() {
                // An escaped line break and the blanks after it are dropped.
                text.push_str(&std::mem::take(&mut gap).more_breaks);
            } else {
                gap.flush(&mut text);
            }
        }
        self.cursor.next();
        let end = self.cursor.mark();
        Ok(scalar(text, false, start, end))
    }

    fn scan_quoted_gap(&mut self, after_escaped_break: bool, gap: &mut Gap) {
        let mut saw_break = after_escaped_break;
        while is_gap(self.cursor.peek()) {
            let character = self.cursor.peek();
            if let Some(character) = self.cursor.next_line() {
                if after_escaped_break {
                    gap.more_breaks.push(character);
                } else {
                    gap.push_break(character);
                }
                saw_break = true;
            } else {
                self.cursor.next();
                if !saw_break {
                    gap.blanks.push(character);
                }
            }
        }
    }

    fn scan_escape(&mut self, start: Mark) -> Result<char, SyntaxError> {
        let character = self.cursor.peek_at(1);
        let digits = match character {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let plain = match character {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            ' ' | '"' | '\'' | '\\' => character,
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' | 'u' | 'U' => '\0',
            _ => return Err(self.error(start, "found unknown escape character")),
        };
        self.cursor.next();
        self.cursor.next();
        if digits == 0 {
            return Ok(plain);
        }
        let mut code = 0u32;
        for distance in 0..digits {
            let Some(digit) = self.cursor.peek_at(distance).to_digit(16) else {
                return Err(self.error(start, "did not find expected hexdecimal number"));
            };
            code = code << 4 | digit;
        }
        let Some(character) = char::from_u32(code) else {
            return Err(self.error(start, "found invalid Unicode character escape code"));
        };
        for _ in 0..digits {
            self.cursor.next();
        }
        Ok(character)
    }

    pub(super) fn scan_block(&mut self, literal: bool) -> Result<Token, SyntaxError> {
        let start = self.cursor.mark();
        self.cursor.next();
        let (chomping, increment) = self.scan_block_header(start)?;
        let mut indent = increment.map_or(0, |increment| self.indent.max(0) + increment);
        let mut text = String::new();
        let mut first_break = None;
        let mut more_breaks = String::new();
        let mut end = self.scan_block_breaks(&mut indent, &mut more_breaks, start)?;
        let mut was_blank = false;
        while to_indent(self.cursor.column()) == indent && self.cursor.peek() != '\0' {
            let is_blank_line = is_blank(self.cursor.peek());
            let folds = !literal && !was_blank && !is_blank_line && first_break == Some('\n');
            if folds {
                if more_breaks.is_empty() {
                    text.push(' ');
                }
            } else {
                text.extend(first_break);
            }
            text.push_str(&std::mem::take(&mut more_breaks));
            was_blank = is_blank_line;
            while !is_break_or_end(self.cursor.peek()) {
                text.push(self.cursor.next());
            }
            first_break = self.cursor.next_line();
            end = self.scan_block_breaks(&mut indent, &mut more_breaks, start)?;
        }
        if chomping != Some('-') {
            text.extend(first_break);
        }
        if chomping == Some('+') {
            text.push_str(&more_breaks);
        }
        Ok(scalar(text, false, start, end))
    }

    fn scan_block_header(
        &mut self,
        start: Mark,
    ) -> Result<(Option<char>, Option<isize>), SyntaxError> {
        let (mut chomping, mut increment) = (None, None);
        for _ in 0..2 {
            match self.cursor.peek() {
                sign @ ('+' | '-') if chomping.is_none() => {
                    chomping = Some(sign);
                    self.cursor.next();
                }
                '0' if increment.is_none() => {
                    return Err(self.error(start, "found an indentation indicator equal to 0"));
                }
                digit @ '1'..='9' if increment.is_none() => {
                    increment = digit
                        .to_digit(10)
                        .and_then(|digit| isize::try_from(digit).ok());
                    self.cursor.next();
                }
                _ => break,
            }
        }
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !is_break_or_end(self.cursor.peek()) {
            return Err(self.error(start, "did not find expected comment or line break"));
        }
        self.cursor.next_line();
        Ok((chomping, increment))
    }

    /// Reads indentation and empty lines. Detects the indentation if `indent` is 0.
    fn scan_block_breaks(
        &mut self,
        indent: &mut isize,
        breaks: &mut String,
        start: Mark,
    ) -> Result<Mark, SyntaxError> {
        let mut deepest = 0;
        let mut end = self.cursor.mark();
        loop {
            let is_short = |column| *indent == 0 || to_indent(column) < *indent;
            while is_short(self.cursor.column()) && self.cursor.peek() == ' ' {
                self.cursor.next();
            }
            deepest = deepest.max(to_indent(self.cursor.column()));
            if is_short(self.cursor.column()) && self.cursor.peek() == '\t' {
                let problem = "found a tab character where an indentation space is expected";
                return Err(self.error(start, problem));
            }
            match self.cursor.next_line() {
                Some(character) => breaks.push(character),
                None => break,
            }
            end = self.cursor.mark();
        }
        if *indent == 0 {
            *indent = deepest.max(self.indent + 1).max(1);
        }
        Ok(end)
    }
}

fn scalar(text: String, is_plain: bool, start: Mark, end: Mark) -> Token {
    let kind = TokenKind::Scalar { text, is_plain };
    Token { kind, start, end }
}
