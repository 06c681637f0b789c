//! The grammar of block and flow collections.

use super::parser::{Event, Parse, Parser, State, at, empty_scalar};
use super::scanner::TokenKind;

impl Parser {
    pub(super) fn block_sequence(&mut self, first: bool) -> Parse {
        self.enter(first)?;
        let token = self.scanner.peek()?.clone();
        match token.kind {
            TokenKind::BlockEntry => {
                self.scanner.next()?;
                let state = State::BlockSequence { first: false };
                if self.next_is(&[TokenKind::BlockEntry, TokenKind::BlockEnd])? {
                    self.state = state;
                    return Ok(empty_scalar(token.end));
                }
                self.states.push(state);
                self.node(true, false)
            }
            TokenKind::BlockEnd => self.leave(Event::SequenceEnd),
            _ => Err(self.collection_error("did not find expected '-' indicator", token.start)),
        }
    }

    pub(super) fn indentless_sequence(&mut self) -> Parse {
        let token = self.scanner.peek()?.clone();
        if token.kind != TokenKind::BlockEntry {
            self.pop_state();
            return Ok(at(Event::SequenceEnd, token.start, token.start));
        }
        self.scanner.next()?;
        if self.next_is(&[
            TokenKind::BlockEntry,
            TokenKind::Key,
            TokenKind::Value,
            TokenKind::BlockEnd,
        ])? {
            self.state = State::IndentlessSequence;
            return Ok(empty_scalar(token.end));
        }
        self.states.push(State::IndentlessSequence);
        self.node(true, false)
    }

    pub(super) fn block_mapping_key(&mut self, first: bool) -> Parse {
        self.enter(first)?;
        let token = self.scanner.peek()?.clone();
        match token.kind {
            TokenKind::Key => {
                self.scanner.next()?;
                if self.next_is(&[TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd])? {
                    self.state = State::BlockMappingValue;
                    return Ok(empty_scalar(token.end));
                }
                self.states.push(State::BlockMappingValue);
                self.node(true, true)
            }
            TokenKind::BlockEnd => self.leave(Event::MappingEnd),
            _ => Err(self.collection_error("did not find expected key", token.start)),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Parse {
        let token = self.scanner.peek()?.clone();
        let state = State::BlockMappingKey { first: false };
        if token.kind != TokenKind::Value {
            self.state = state;
            return Ok(empty_scalar(token.start));
        }
        self.scanner.next()?;
        if self.next_is(&[TokenKind::Key, TokenKind::Value, TokenKind::BlockEnd])? {
            self.state = state;
            return Ok(empty_scalar(token.end));
        }
        self.states.push(state);
        self.node(true, true)
    }

    pub(super) fn flow_sequence(&mut self, first: bool) -> Parse {
        self.enter(first)?;
        if !self.next_is(&[TokenKind::FlowSequenceEnd])? {
            if !first {
                self.separator("did not find expected ',' or ']'")?;
            }
            let token = self.scanner.peek()?.clone();
            if token.kind == TokenKind::Key {
                self.scanner.next()?;
                self.state = State::FlowPairKey;
                return Ok(at(
                    Event::MappingStart { anchor: None },
                    token.start,
                    token.end,
                ));
            }
            if token.kind != TokenKind::FlowSequenceEnd {
                self.states.push(State::FlowSequence { first: false });
                return self.node(false, false);
            }
        }
        self.leave(Event::SequenceEnd)
    }

    /// The key of a single pair in a flow sequence, written without braces.
    pub(super) fn flow_pair_key(&mut self) -> Parse {
        if !self.next_is(&[
            TokenKind::Value,
            TokenKind::FlowEntry,
            TokenKind::FlowSequenceEnd,
        ])? {
            self.states.push(State::FlowPairValue);
            return self.node(false, false);
        }
        let token = self.scanner.next()?;
        self.state = State::FlowPairValue;
        Ok(empty_scalar(token.end))
    }

    pub(super) fn flow_pair_value(&mut self) -> Parse {
        if self.next_is(&[TokenKind::Value])? {
            self.scanner.next()?;
            if !self.next_is(&[TokenKind::FlowEntry, TokenKind::FlowSequenceEnd])? {
                self.states.push(State::FlowPairEnd);
                return self.node(false, false);
            }
        }
        let mark = self.scanner.peek()?.start;
        self.state = State::FlowPairEnd;
        Ok(empty_scalar(mark))
    }

    pub(super) fn flow_mapping_key(&mut self, first: bool) -> Parse {
        self.enter(first)?;
        if !self.next_is(&[TokenKind::FlowMappingEnd])? {
            if !first {
                self.separator("did not find expected ',' or '}'")?;
            }
            if self.next_is(&[TokenKind::Key])? {
                self.scanner.next()?;
                if !self.next_is(&[
                    TokenKind::Value,
                    TokenKind::FlowEntry,
                    TokenKind::FlowMappingEnd,
                ])? {
                    self.states.push(State::FlowMappingValue { empty: false });
                    return self.node(false, false);
                }
                let mark = self.scanner.peek()?.start;
                self.state = State::FlowMappingValue { empty: false };
                return Ok(empty_scalar(mark));
            }
            if !self.next_is(&[TokenKind::FlowMappingEnd])? {
                self.states.push(State::FlowMappingValue { empty: true });
                return self.node(false, false);
            }
        }
        self.leave(Event::MappingEnd)
    }

    pub(super) fn flow_mapping_value(&mut self, empty: bool) -> Parse {
        let state = State::FlowMappingKey { first: false };
        if !empty && self.next_is(&[TokenKind::Value])? {
            self.scanner.next()?;
            if !self.next_is(&[TokenKind::FlowEntry, TokenKind::FlowMappingEnd])? {
                self.states.push(state);
                return self.node(false, false);
            }
        }
        let mark = self.scanner.peek()?.start;
        self.state = state;
        Ok(empty_scalar(mark))
    }

    /// Reads the token that begins a collection.
    fn enter(&mut self, first: bool) -> Parse<()> {
        if first {
            let token = self.scanner.next()?;
            self.marks.push(token.start);
        }
        Ok(())
    }

    /// Reads the token that ends a collection.
    fn leave(&mut self, event: Event) -> Parse {
        let token = self.scanner.next()?;
        self.marks.pop();
        self.pop_state();
        Ok(at(event, token.start, token.end))
    }

    /// Reads a comma.
    fn separator(&mut self, problem: &str) -> Parse<()> {
        let token = self.scanner.peek()?.clone();
        if token.kind != TokenKind::FlowEntry {
            return Err(self.collection_error(problem, token.start));
        }
        self.scanner.next()?;
        Ok(())
    }
}
