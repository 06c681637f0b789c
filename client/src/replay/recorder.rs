//! The recorder of the exchanges of clients.

use super::exchange;
use super::recording::Recording;
use super::redact::Secrets;
use super::tape::{Recorded, Tape};
use crate::Client;
use crate::send::layer::Next;
use crate::transport::TransportError;
use bytes::Bytes;
use http::header::ACCEPT_ENCODING;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

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
pub struct Recorder(Recording);

impl Recorder {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(file: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self(Recording::create(file.as_ref())?))
    }

    /// The same client, with all exchanges recorded. Layers that are added later are not part of the recording.
    #[must_use]
    pub fn record(&self, client: Client) -> Client {
        let recording = self.0.clone();
        let prefix: Arc<str> = client.config().server().path().trim_end_matches('/').into();
        client.layer(move |request, next| {
            let (recording, prefix) = (recording.clone(), prefix.clone());
            async move { exchange(recording, &prefix, request, next).await }
        })
    }

    /// Ends the recording. Later exchanges, and the rest of open watches, are not recorded.
    ///
    /// # Errors
    /// If a part of the recording could not be written.
    pub fn finish(&self) -> io::Result<()> {
        self.0.finish()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("exchanges", &self.0.exchanges())
            .finish_non_exhaustive()
    }
}

/// Sends a request, and records it and its response.
async fn exchange(
    recording: Recording,
    prefix: &str,
    mut request: http::Request<Bytes>,
    next: Next,
) -> Result<http::Response<Recorded>, TransportError> {
    let identity = http::HeaderValue::from_static("identity");
    request.headers_mut().insert(ACCEPT_ENCODING, identity);
    let sent = exchange::Request::of(prefix, &request);
    let secrets = Secrets::of_path(&sent.path);
    let is_watch = sent.is_watch();
    let number = recording.begin(sent);
    match next.run(request).await {
        Ok(response) => {
            recording.response(number, &response);
            let tape = Tape::new(recording, number, secrets, is_watch);
            Ok(response.map(|body| Recorded { body, tape }))
        }
        Err(error) => {
            recording.failure(number, &error);
            Err(error)
        }
    }
}
