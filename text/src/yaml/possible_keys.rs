//! Possible keys and open blocks of the scanner.

use super::cursor::Mark;
use super::scanner::{PossibleKey, Scan, Scanner, Token, TokenKind, to_indent};
use crate::MAX_DEPTH;

/// Maximum distance in characters between the start of a key and its `:`.
const MAX_KEY_LENGTH: usize = 1024;

impl Scanner {
    pub(super) fn head_may_become_key(&mut self) -> Scan<bool> {
        match self.levels.get(&self.tokens_taken).copied() {
            Some(level)
                if self
                    .keys
                    .get(level)
                    .is_some_and(|key| key.token == self.tokens_taken) =>
            {
                self.is_still_possible(level)
            }
            _ => Ok(false),
        }
    }

    /// Whether the key remembered for `level` may still be one: a key is on one line.
    pub(super) fn is_still_possible(&mut self, level: usize) -> Scan<bool> {
        let key = self.keys[level];
        if !key.is_possible {
            return Ok(false);
        }
        let here = self.cursor.mark();
        if key.mark.line < here.line || key.mark.index + MAX_KEY_LENGTH < here.index {
            if key.is_required {
                return Err(self.error(key.mark, "could not find expected ':'"));
            }
            self.keys[level].is_possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    pub(super) fn remember_key(&mut self) -> Scan {
        let is_required = !self.in_flow() && self.indent == to_indent(self.cursor.column());
        if self.key_allowed {
            self.forget_key()?;
            let key = PossibleKey {
                is_possible: true,
                is_required,
                token: self.tokens_taken + self.tokens.len(),
                mark: self.cursor.mark(),
            };
            if let Some(last) = self.keys.last_mut() {
                *last = key;
            }
            self.levels.insert(key.token, self.keys.len() - 1);
        }
        Ok(())
    }

    pub(super) fn forget_key(&mut self) -> Scan {
        let Some(last) = self.keys.last_mut() else {
            return Ok(());
        };
        let key = *last;
        last.is_possible = false;
        if key.is_possible && key.is_required {
            return Err(self.error(key.mark, "could not find expected ':'"));
        }
        Ok(())
    }

    /// Opens a block at `mark` if it is deeper than the current one.
    pub(super) fn roll(&mut self, mark: Mark, token: Option<usize>, kind: TokenKind) -> Scan {
        if self.in_flow() || self.indent >= to_indent(mark.column) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = to_indent(mark.column);
        if self.indents.len() > MAX_DEPTH {
            return Err(self.error(mark, &format!("exceeded max depth of {MAX_DEPTH}")));
        }
        let number = token.unwrap_or(self.tokens_taken + self.tokens.len());
        self.insert(
            number,
            Token {
                kind,
                start: mark,
                end: mark,
            },
        );
        Ok(())
    }

    /// Inserts a token before token `number` of the stream.
    pub(super) fn insert(&mut self, number: usize, token: Token) {
        let at = number
            .saturating_sub(self.tokens_taken)
            .min(self.tokens.len());
        self.tokens.insert(at, token);
    }

    /// Closes the blocks that are deeper than `column`.
    pub(super) fn unroll(&mut self, column: isize) {
        while !self.in_flow() && self.indent > column {
            self.push(TokenKind::BlockEnd, self.cursor.mark());
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
