//! Scans the structural tokens and keeps track of blocks and possible keys.

use super::cursor::Mark;
use super::scanner::{PossibleKey, Scan, Scanner, Token, TokenKind};
use crate::MAX_DEPTH;

impl Scanner {
    pub(super) fn fetch_stream_end(&mut self) -> Scan {
        self.cursor.force_new_line();
        self.unroll(-1);
        self.forget_key()?;
        self.key_allowed = false;
        self.push(TokenKind::StreamEnd, self.cursor.mark());
        Ok(())
    }

    pub(super) fn fetch_directive(&mut self) -> Scan {
        self.unroll(-1);
        self.forget_key()?;
        self.key_allowed = false;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    pub(super) fn fetch_document_indicator(&mut self, kind: TokenKind) -> Scan {
        self.unroll(-1);
        self.forget_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark();
        for _ in 0..3 {
            self.cursor.next();
        }
        self.after_document_start = kind == TokenKind::DocumentStart;
        self.push(kind, start);
        Ok(())
    }

    pub(super) fn fetch_flow_start(&mut self, kind: TokenKind) -> Scan {
        self.remember_key()?;
        self.keys.push(PossibleKey::default());
        if self.keys.len() > MAX_DEPTH + 1 {
            let mark = self.cursor.mark();
            return Err(self.error(mark, &format!("exceeded max depth of {MAX_DEPTH}")));
        }
        self.key_allowed = true;
        self.push_character(kind);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: TokenKind) -> Scan {
        self.forget_key()?;
        if self.in_flow() {
            self.keys.pop();
        }
        self.key_allowed = false;
        self.push_character(kind);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Scan {
        self.forget_key()?;
        self.key_allowed = true;
        self.push_character(TokenKind::FlowEntry);
        Ok(())
    }

    pub(super) fn fetch_block_entry(&mut self) -> Scan {
        // In a flow collection the parser reports the error.
        if !self.in_flow() {
            if !self.key_allowed {
                let problem = "block sequence entries are not allowed in this context";
                return Err(self.error(Mark::default(), problem));
            }
            let mark = self.cursor.mark();
            self.roll(mark, None, TokenKind::BlockSequenceStart)?;
        }
        self.forget_key()?;
        self.key_allowed = true;
        self.push_character(TokenKind::BlockEntry);
        Ok(())
    }

    pub(super) fn fetch_key(&mut self) -> Scan {
        if !self.in_flow() {
            if !self.key_allowed {
                let problem = "mapping keys are not allowed in this context";
                return Err(self.error(Mark::default(), problem));
            }
            let mark = self.cursor.mark();
            self.roll(mark, None, TokenKind::BlockMappingStart)?;
        }
        self.forget_key()?;
        self.key_allowed = !self.in_flow();
        self.push_character(TokenKind::Key);
        Ok(())
    }

    pub(super) fn fetch_value(&mut self) -> Scan {
        let level = self.keys.len() - 1;
        if self.is_still_possible(level)? {
            let key = self.keys[level];
            let token = Token {
                kind: TokenKind::Key,
                start: key.mark,
                end: key.mark,
            };
            self.insert(key.token, token);
            self.roll(key.mark, Some(key.token), TokenKind::BlockMappingStart)?;
            self.keys[level].is_possible = false;
            self.key_allowed = false;
        } else {
            if !self.in_flow() {
                if !self.key_allowed {
                    let problem = "mapping values are not allowed in this context";
                    return Err(self.error(Mark::default(), problem));
                }
                let mark = self.cursor.mark();
                self.roll(mark, None, TokenKind::BlockMappingStart)?;
            }
            self.key_allowed = !self.in_flow();
        }
        self.push_character(TokenKind::Value);
        Ok(())
    }

    pub(super) fn fetch_block_scalar(&mut self, literal: bool) -> Scan {
        self.forget_key()?;
        self.key_allowed = true;
        let token = self.scan_block(literal)?;
        self.tokens.push_back(token);
        Ok(())
    }

    /// Scans a token that may be a key or the start of one.
    pub(super) fn fetch_scanned(&mut self, scan: impl FnOnce(&mut Self) -> Scan<Token>) -> Scan {
        self.remember_key()?;
        self.key_allowed = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }
}
