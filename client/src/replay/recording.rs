//! The file of a recording.

use super::exchange;
use super::exchange::Line;
use crate::transport::TransportError;
use bytes::Bytes;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Exchanges, numbered and written line by line. Clones share the file.
#[derive(Clone)]
pub(super) struct Recording(Arc<Mutex<State>>);

struct State {
    /// `None` after the end of the recording.
    file: Option<File>,
    exchanges: u64,
    error: Option<io::Error>,
}

impl Recording {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let file = File::create(path).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        })?;
        Ok(Self(Arc::new(Mutex::new(State {
            file: Some(file),
            exchanges: 0,
            error: None,
        }))))
    }

    /// Closes the file. Returns the first error of a write.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut state = self.state();
        state.file = None;
        state.error.take().map_or(Ok(()), Err)
    }

    pub(super) fn exchanges(&self) -> u64 {
        self.state().exchanges
    }

    /// The number of the new exchange.
    pub(super) fn begin(&self, request: exchange::Request) -> u64 {
        let mut state = self.state();
        state.exchanges += 1;
        let number = state.exchanges;
        state.write(number, &Line::Request(request));
        number
    }

    pub(super) fn chunk(&self, exchange: u64, bytes: &Bytes) {
        self.write(exchange, &Line::Chunk(bytes.clone()));
    }

    pub(super) fn end(&self, exchange: u64) {
        self.write(exchange, &Line::End);
    }

    pub(super) fn failure(&self, exchange: u64, error: &TransportError) {
        self.write(exchange, &Line::error(error));
    }

    pub(super) fn response<B>(&self, exchange: u64, response: &http::Response<B>) {
        self.write(
            exchange,
            &Line::response(response.status(), response.headers()),
        );
    }

    fn write(&self, exchange: u64, line: &Line) {
        self.state().write(exchange, line);
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        // Nothing panics while the lock is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&mut self, exchange: u64, line: &Line) {
        if let Some(file) = &mut self.file {
            let text = format!("{}\n", line.to_json(exchange));
            if let Err(error) = file.write_all(text.as_bytes()) {
                self.error.get_or_insert(error);
            }
        }
    }
}
