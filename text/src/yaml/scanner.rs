//! Scans YAML 1.1 text into tokens, as the YAML parser of the Kubernetes API server does.
//!
//! A scalar becomes a key only when a `:` follows it. So the scanner remembers each position at which a key could
//! begin. When the `:` follows, it inserts the `Key` token, and if needed the start of a mapping, before the tokens
//! already scanned.

use super::cursor::{self, Cursor, Mark, is_blank, is_blank_or_end, is_break};
use super::input::{BYTE_ORDER_MARK, Input};
use crate::SyntaxError;
use std::collections::{HashMap, VecDeque};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    StreamStart,
    StreamEnd,
    Version { major: u32, minor: u32 },
    TagDirective { handle: String, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag { handle: String, suffix: String },
    Scalar { text: String, is_plain: bool },
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

/// A position at which a key may begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PossibleKey {
    pub(super) is_possible: bool,
    pub(super) is_required: bool,
    pub(super) token: usize,
    pub(super) mark: Mark,
}

pub(super) struct Scanner {
    pub(super) cursor: Cursor,
    input_error: Option<SyntaxError>,
    pub(super) tokens: VecDeque<Token>,
    pub(super) tokens_taken: usize,
    started: bool,
    /// The column of the innermost block; -1 outside of all blocks.
    pub(super) indent: isize,
    pub(super) indents: Vec<isize>,
    /// One possible key for the block context and one for each open flow collection.
    pub(super) keys: Vec<PossibleKey>,
    /// The context of each possible key by its token's number. Deep nesting then does not slow down the lookup.
    pub(super) levels: HashMap<usize, usize>,
    pub(super) key_allowed: bool,
    /// Whether the last token is `---`.
    pub(super) after_document_start: bool,
}

pub(super) type Scan<T = ()> = Result<T, SyntaxError>;

impl Scanner {
    pub(super) fn new(input: Input) -> Self {
        Self {
            cursor: Cursor::new(input.text),
            input_error: input.error,
            tokens: VecDeque::new(),
            tokens_taken: 0,
            started: false,
            indent: -1,
            indents: Vec::new(),
            keys: Vec::new(),
            levels: HashMap::new(),
            key_allowed: false,
            after_document_start: false,
        }
    }

    /// Returns the next token without reading it.
    pub(super) fn peek(&mut self) -> Scan<&Token> {
        while self.tokens.is_empty() || self.head_may_become_key()? {
            let fetched = self.fetch();
            // The input ends at its first illegal character: report that error instead of the end.
            if self.cursor.saw_end
                && let Some(error) = &self.input_error
            {
                let message = format!("yaml: {}", error.message());
                return Err(SyntaxError::new(message, error.offset()));
            }
            fetched?;
        }
        // The loop above ends only when there is a token.
        self.tokens.front().ok_or_else(no_token)
    }

    pub(super) fn next(&mut self) -> Scan<Token> {
        self.peek()?;
        self.levels.remove(&self.tokens_taken);
        self.tokens_taken += 1;
        self.tokens.pop_front().ok_or_else(no_token)
    }

    fn fetch(&mut self) -> Scan {
        if !self.started {
            self.started = true;
            self.keys.push(PossibleKey::default());
            self.key_allowed = true;
            self.push(TokenKind::StreamStart, self.cursor.mark());
            return Ok(());
        }
        let is_first = std::mem::take(&mut self.after_document_start);
        self.skip_to_token(is_first);
        self.unroll(to_indent(self.cursor.column()));
        let character = self.cursor.peek();
        if character == '\0' {
            return self.fetch_stream_end();
        }
        if self.cursor.column() == 0 {
            if character == '%' {
                return self.fetch_directive();
            }
            for (text, kind) in [
                ("---", TokenKind::DocumentStart),
                ("...", TokenKind::DocumentEnd),
            ] {
                if self.cursor.is_word(text) {
                    return self.fetch_document_indicator(kind);
                }
            }
        }
        let next = self.cursor.peek_at(character.len_utf8());
        let in_flow = self.in_flow();
        match character {
            '[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            '{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            ']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if is_blank_or_end(next) => self.fetch_block_entry(),
            '?' if in_flow || is_blank_or_end(next) => self.fetch_key(),
            ':' if in_flow || is_blank_or_end(next) => self.fetch_value(),
            '*' => self.fetch_scanned(|scanner| scanner.scan_anchor(true)),
            '&' => self.fetch_scanned(|scanner| scanner.scan_anchor(false)),
            '!' => self.fetch_scanned(Self::scan_tag),
            '|' if !in_flow => self.fetch_block_scalar(true),
            '>' if !in_flow => self.fetch_block_scalar(false),
            '\'' => self.fetch_scanned(|scanner| scanner.scan_quoted(true)),
            '"' => self.fetch_scanned(|scanner| scanner.scan_quoted(false)),
            '\t' | '#' | '|' | '>' | '%' | '@' | '`' => {
                let mark = self.cursor.mark();
                Err(self.error(mark, "found character that cannot start any token"))
            }
            _ => self.fetch_scanned(Self::scan_plain),
        }
    }

    /// Skips blanks, comments and line breaks, and before the first token of a document byte order marks: kubectl reads
    /// each document by itself. Elsewhere such a mark is a letter.
    fn skip_to_token(&mut self, is_first: bool) {
        loop {
            if is_first && self.cursor.column() == 0 && self.cursor.peek() == BYTE_ORDER_MARK {
                self.cursor.next();
            }
            // In a block, a tab is not white space where a key may begin.
            while match self.cursor.peek() {
                ' ' => true,
                '\t' => self.in_flow() || !self.key_allowed,
                _ => false,
            } {
                self.cursor.next();
            }
            self.cursor.skip_comment();
            if self.cursor.next_line().is_none() {
                return;
            }
            if !self.in_flow() {
                self.key_allowed = true;
            }
        }
    }

    pub(super) fn in_flow(&self) -> bool {
        self.keys.len() > 1
    }

    pub(super) fn push_character(&mut self, kind: TokenKind) {
        let start = self.cursor.mark();
        self.cursor.next();
        self.push(kind, start);
    }

    pub(super) fn push(&mut self, kind: TokenKind, start: Mark) {
        self.tokens.push_back(Token {
            kind,
            start,
            end: self.cursor.mark(),
        });
    }

    /// Creates an error of the scanner. It reports the line of the error, or the line of `context` if the error is in
    /// the first line.
    pub(super) fn error(&self, context: Mark, problem: &str) -> SyntaxError {
        let here = self.cursor.mark();
        let line = if here.line != 0 {
            here.line + 1
        } else {
            context.line
        };
        error_in_line(line, problem, here.offset)
    }
}

/// Creates an error without a line number in the first line, and with one in later lines.
pub(super) fn error_in_line(line: usize, problem: &str, offset: usize) -> SyntaxError {
    let message = if line == 0 {
        format!("yaml: {problem}")
    } else {
        format!("yaml: line {line}: {problem}")
    };
    SyntaxError::new(message, offset)
}

/// Unreachable: `peek` fills the queue of tokens first.
fn no_token() -> SyntaxError {
    SyntaxError::new("yaml: unexpected end of stream".into(), 0)
}

pub(super) fn to_indent(column: usize) -> isize {
    isize::try_from(column).unwrap_or(isize::MAX)
}

/// Whether the character is white space between two pieces of a scalar.
pub(super) fn is_gap(character: char) -> bool {
    is_blank(character) || is_break(character)
}

pub(super) use cursor::is_word_character;
