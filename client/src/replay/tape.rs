//! The body of a response while it is recorded.

use super::recording::Recording;
use super::redact::Secrets;
use crate::transport::{Body, TransportError};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use std::pin::Pin;
use std::task::{Context, Poll};

/// A body whose chunks are recorded as they are read.
pub(super) struct Recorded {
    pub(super) body: Body,
    pub(super) tape: Tape,
}

impl http_body::Body for Recorded {
    type Data = Bytes;
    type Error = TransportError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, TransportError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(None) => self.tape.end(),
            Poll::Ready(Some(Err(error))) => self.tape.fail(error),
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.tape.push(data.clone());
                }
            }
        }
        polled
    }

    // The end of the body must be read, so that it is recorded.
    fn is_end_stream(&self) -> bool {
        false
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The chunks of one body. They are held back until they can be searched for secrets: until the end of the body, or of a
/// line of a watch.
pub(super) struct Tape {
    recording: Recording,
    exchange: u64,
    secrets: Secrets,
    is_watch: bool,
    held: Vec<Bytes>,
    is_over: bool,
}

impl Tape {
    pub(super) fn new(
        recording: Recording,
        exchange: u64,
        secrets: Secrets,
        is_watch: bool,
    ) -> Self {
        Self {
            recording,
            exchange,
            secrets,
            is_watch,
            held: Vec::new(),
            is_over: false,
        }
    }

    fn push(&mut self, chunk: Bytes) {
        let ends_line = chunk.ends_with(b"\n");
        self.held.push(chunk);
        if self.is_watch && ends_line {
            self.write_held();
        }
    }

    fn end(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.write_held();
            self.recording.end(self.exchange);
        }
    }

    fn fail(&mut self, error: &TransportError) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.write_incomplete();
            self.recording.failure(self.exchange, error);
        }
    }

    /// Writes whole lines of a watch, or a whole body.
    fn write_held(&mut self) {
        let chunks = std::mem::take(&mut self.held);
        let body = chunks.concat();
        let redacted = match self.is_watch {
            false => self.secrets.redacted(&body),
            true => self.redacted_lines(&body),
        };
        match redacted {
            None => self.write(&chunks),
            Some(body) => self.write(&[body.into()]),
        }
    }

    fn redacted_lines(&self, body: &[u8]) -> Option<Vec<u8>> {
        let mut changed = false;
        let mut lines = Vec::with_capacity(body.len());
        for line in body.split_inclusive(|byte| *byte == b'\n') {
            match self.secrets.redacted(line) {
                None => lines.extend_from_slice(line),
                Some(line) => {
                    changed = true;
                    lines.extend_from_slice(&line);
                    lines.push(b'\n');
                }
            }
        }
        changed.then_some(lines)
    }

    /// Writes the beginning of a body or line, unless it may contain a secret.
    fn write_incomplete(&mut self) {
        let chunks = std::mem::take(&mut self.held);
        if !self.secrets.may_be_in(&chunks.concat()) {
            self.write(&chunks);
        }
    }

    fn write(&self, chunks: &[Bytes]) {
        for chunk in chunks.iter().filter(|chunk| !chunk.is_empty()) {
            self.recording.chunk(self.exchange, chunk);
        }
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        if !self.is_over {
            self.write_incomplete();
        }
    }
}
