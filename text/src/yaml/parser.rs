//! Tokens to events: the grammar of YAML.

use super::cursor::Mark;
use super::scanner::{Scanner, TokenKind, error_in_line};
use crate::SyntaxError;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(String),
    Scalar {
        anchor: Option<String>,
        scalar: Scalar,
    },
    SequenceStart {
        anchor: Option<String>,
    },
    SequenceEnd,
    MappingStart {
        anchor: Option<String>,
    },
    MappingEnd,
}

/// A scalar before its tag is resolved.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scalar {
    pub(super) text: String,
    /// The full tag, such as `tag:yaml.org,2002:str`; empty without a tag.
    pub(super) tag: String,
    /// Whether the text determines the type.
    pub(super) is_plain: bool,
}

/// An event and its position.
pub(super) struct Located {
    pub(super) event: Event,
    pub(super) start: Mark,
    pub(super) end: Mark,
}

/// The parser's state: the production to read next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum State {
    StreamStart,
    ImplicitDocument,
    Document,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequence { first: bool },
    IndentlessSequence,
    BlockMappingKey { first: bool },
    BlockMappingValue,
    FlowSequence { first: bool },
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingKey { first: bool },
    FlowMappingValue { empty: bool },
    End,
}

pub(super) struct Parser {
    pub(super) scanner: Scanner,
    pub(super) state: State,
    pub(super) states: Vec<State>,
    /// The start of each open collection.
    pub(super) marks: Vec<Mark>,
    tags: Vec<(String, String)>,
}

pub(super) type Parse<T = Located> = Result<T, SyntaxError>;

impl Parser {
    pub(super) fn new(scanner: Scanner) -> Self {
        Self {
            scanner,
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            tags: Vec::new(),
        }
    }

    pub(super) fn next(&mut self) -> Parse {
        match self.state {
            State::StreamStart => {
                self.scanner.next()?;
                self.state = State::ImplicitDocument;
                self.document_start(true)
            }
            State::ImplicitDocument => self.document_start(true),
            State::Document => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequence { first } => self.block_sequence(first),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey { first } => self.block_mapping_key(first),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                let mark = self.scanner.peek()?.start;
                self.state = State::FlowSequence { first: false };
                Ok(at(Event::MappingEnd, mark, mark))
            }
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue { empty } => self.flow_mapping_value(empty),
            State::End => {
                let mark = self.scanner.peek()?.start;
                Ok(at(Event::StreamEnd, mark, mark))
            }
        }
    }

    fn document_start(&mut self, implicit: bool) -> Parse {
        if !implicit {
            while self.scanner.peek()?.kind == TokenKind::DocumentEnd {
                self.scanner.next()?;
            }
        }
        let token = self.scanner.peek()?.clone();
        let is_explicit = matches!(
            token.kind,
            TokenKind::Version { .. }
                | TokenKind::TagDirective { .. }
                | TokenKind::DocumentStart
                | TokenKind::StreamEnd
        );
        if implicit && !is_explicit {
            self.process_directives()?;
            self.states.push(State::DocumentEnd);
            self.state = State::BlockNode;
            return Ok(at(Event::DocumentStart, token.start, token.end));
        }
        if token.kind == TokenKind::StreamEnd {
            self.state = State::End;
            return Ok(at(Event::StreamEnd, token.start, token.end));
        }
        self.process_directives()?;
        let start = self.scanner.peek()?.clone();
        if start.kind != TokenKind::DocumentStart {
            return Err(error(
                None,
                "did not find expected <document start>",
                start.start,
            ));
        }
        self.scanner.next()?;
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok(at(Event::DocumentStart, token.start, start.end))
    }

    fn process_directives(&mut self) -> Parse<()> {
        let mut has_version = false;
        self.tags.clear();
        loop {
            let token = self.scanner.peek()?.clone();
            match token.kind {
                TokenKind::Version { major, minor } => {
                    if has_version {
                        let problem = "found duplicate %YAML directive";
                        return Err(error(None, problem, token.start));
                    }
                    if (major, minor) != (1, 1) {
                        let problem = "found incompatible YAML document";
                        return Err(error(None, problem, token.start));
                    }
                    has_version = true;
                }
                TokenKind::TagDirective { handle, prefix } => {
                    if self.tags.iter().any(|(known, _)| *known == handle) {
                        let problem = "found duplicate %TAG directive";
                        return Err(error(None, problem, token.start));
                    }
                    self.tags.push((handle, prefix));
                }
                _ => break,
            }
            self.scanner.next()?;
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tags.iter().any(|(known, _)| known == handle) {
                self.tags.push((handle.into(), prefix.into()));
            }
        }
        Ok(())
    }

    fn document_content(&mut self) -> Parse {
        let token = self.scanner.peek()?;
        match token.kind {
            TokenKind::Version { .. }
            | TokenKind::TagDirective { .. }
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                let mark = token.start;
                self.pop_state();
                Ok(empty_scalar(mark))
            }
            _ => self.node(true, false),
        }
    }

    fn document_end(&mut self) -> Parse {
        let token = self.scanner.peek()?.clone();
        let mut end = token.start;
        if token.kind == TokenKind::DocumentEnd {
            end = token.end;
            self.scanner.next()?;
        }
        self.tags.clear();
        self.state = State::Document;
        Ok(at(Event::DocumentEnd, token.start, end))
    }

    /// Reads a value with its anchor and tag.
    pub(super) fn node(&mut self, block: bool, indentless: bool) -> Parse {
        let token = self.scanner.peek()?.clone();
        if let TokenKind::Alias(name) = token.kind {
            self.scanner.next()?;
            self.pop_state();
            return Ok(at(Event::Alias(name), token.start, token.end));
        }
        let (start, mut end) = (token.start, token.start);
        let mut anchor = None;
        let mut tag: Option<(String, String, Mark)> = None;
        loop {
            let token = self.scanner.peek()?.clone();
            match token.kind {
                TokenKind::Anchor(name) if anchor.is_none() => anchor = Some(name),
                TokenKind::Tag { handle, suffix } if tag.is_none() => {
                    tag = Some((handle, suffix, token.start));
                }
                _ => break,
            }
            end = token.end;
            self.scanner.next()?;
        }
        let has_properties = anchor.is_some() || tag.is_some();
        let tag = match tag {
            None => String::new(),
            Some((handle, suffix, mark)) => self.resolve_tag(&handle, suffix, start, mark)?,
        };
        let token = self.scanner.peek()?.clone();
        let collection = match token.kind {
            TokenKind::BlockEntry if indentless => {
                self.state = State::IndentlessSequence;
                return Ok(at(Event::SequenceStart { anchor }, start, token.end));
            }
            TokenKind::Scalar { text, is_plain } => {
                self.scanner.next()?;
                self.pop_state();
                // With the tag `!` even a quoted `<<` merges.
                let is_plain = match tag.as_str() {
                    "" => is_plain,
                    other => other == "!",
                };
                let scalar = Scalar {
                    text,
                    tag,
                    is_plain,
                };
                return Ok(at(Event::Scalar { anchor, scalar }, start, token.end));
            }
            TokenKind::FlowSequenceStart => Some((State::FlowSequence { first: true }, true)),
            TokenKind::FlowMappingStart => Some((State::FlowMappingKey { first: true }, false)),
            TokenKind::BlockSequenceStart if block => {
                Some((State::BlockSequence { first: true }, true))
            }
            TokenKind::BlockMappingStart if block => {
                Some((State::BlockMappingKey { first: true }, false))
            }
            _ => None,
        };
        if let Some((state, is_sequence)) = collection {
            self.state = state;
            let event = if is_sequence {
                Event::SequenceStart { anchor }
            } else {
                Event::MappingStart { anchor }
            };
            return Ok(at(event, start, token.end));
        }
        if has_properties {
            self.pop_state();
            let scalar = Scalar {
                text: String::new(),
                is_plain: tag.is_empty(),
                tag,
            };
            return Ok(at(Event::Scalar { anchor, scalar }, start, end));
        }
        Err(error(
            Some(start),
            "did not find expected node content",
            token.start,
        ))
    }

    fn resolve_tag(&self, handle: &str, suffix: String, start: Mark, mark: Mark) -> Parse<String> {
        if handle.is_empty() {
            return Ok(suffix);
        }
        match self.tags.iter().find(|(known, _)| known == handle) {
            Some((_, prefix)) => Ok(format!("{prefix}{suffix}")),
            None => Err(error(Some(start), "found undefined tag handle", mark)),
        }
    }

    pub(super) fn next_is(&mut self, kinds: &[TokenKind]) -> Parse<bool> {
        let token = self.scanner.peek()?;
        Ok(kinds.contains(&token.kind))
    }

    pub(super) fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    pub(super) fn collection_error(&self, problem: &str, mark: Mark) -> SyntaxError {
        error(self.marks.last().copied(), problem, mark)
    }
}

/// Creates an error of the parser. It reports the line before the error, because the Kubernetes YAML parser counts
/// these lines from zero, or the line of `context` if the error is in the first line.
fn error(context: Option<Mark>, problem: &str, mark: Mark) -> SyntaxError {
    let line = if mark.line == 0 {
        context.map_or(0, |mark| mark.line)
    } else {
        mark.line
    };
    error_in_line(line, problem, mark.offset)
}

pub(super) fn at(event: Event, start: Mark, end: Mark) -> Located {
    Located { event, start, end }
}

pub(super) fn empty_scalar(mark: Mark) -> Located {
    let scalar = Scalar {
        text: String::new(),
        tag: String::new(),
        is_plain: true,
    };
    at(
        Event::Scalar {
            anchor: None,
            scalar,
        },
        mark,
        mark,
    )
}
