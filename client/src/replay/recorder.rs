//! Writing exchanges to a file.

use super::exchange::{self, Line};
use super::redact::Secrets;
use super::tape::{Recorded, Tape};
use crate::Client;
use crate::client::{Next, TransportError};
use bytes::Bytes;
use http::header::ACCEPT_ENCODING;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes the exchanges of clients to a file, without credentials. The [module](super) describes the file.
///
/// Clones share the file. Requests do not fail because of the recording: [`finish`](Self::finish) returns its errors.
///
/// ```no_run
/// use k8s_flowcontrol::Client;
/// use k8s_flowcontrol::replay::Recorder;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let recorder = Recorder::create("tests/recordings/levels.jsonl")?;
/// let client = recorder.record(Client::try_default().await?);
/// client.priority_level_configurations().list().await?;
/// recorder.finish()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Recorder(Arc<Mutex<State>>);

struct State {
    /// `None` after the end of the recording.
    file: Option<File>,
    exchanges: u64,
    error: Option<io::Error>,
}

impl Recorder {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(file: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self(Arc::new(Mutex::new(State {
            file: Some(File::create(file)?),
            exchanges: 0,
            error: None,
        }))))
    }

    /// The same client, with all exchanges recorded. Layers that are added later are not part of the recording.
    #[must_use]
    pub fn record(&self, client: Client) -> Client {
        let recorder = self.clone();
        let prefix: Arc<str> = client.config().server().path().trim_end_matches('/').into();
        client.layer(move |request, next| {
            let (recorder, prefix) = (recorder.clone(), prefix.clone());
            async move { recorder.exchange(&prefix, request, next).await }
        })
    }

    /// Ends the recording. Later exchanges, and the rest of open watches, are not recorded.
    ///
    /// # Errors
    /// If a part of the recording could not be written.
    pub fn finish(&self) -> io::Result<()> {
        let mut state = self.state();
        state.file = None;
        state.error.take().map_or(Ok(()), Err)
    }

    async fn exchange(
        self,
        prefix: &str,
        mut request: http::Request<Bytes>,
        next: Next,
    ) -> Result<http::Response<Recorded>, TransportError> {
        request.headers_mut().remove(ACCEPT_ENCODING);
        let sent = exchange::Request::of(prefix, &request);
        let secrets = Secrets::of_path(&sent.path);
        let is_watch = sent.is_watch();
        let number = self.begin(sent);
        match next.run(request).await {
            Ok(response) => {
                self.write(
                    number,
                    &Line::response(response.status(), response.headers()),
                );
                let tape = Tape::new(self, number, secrets, is_watch);
                Ok(response.map(|body| Recorded { body, tape }))
            }
            Err(error) => {
                self.failure(number, &error);
                Err(error)
            }
        }
    }

    fn begin(&self, request: exchange::Request) -> u64 {
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

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exchanges = self.state().exchanges;
        f.debug_struct("Recorder")
            .field("exchanges", &exchanges)
            .finish_non_exhaustive()
    }
}
