//! The options of a receiver, and its start.

use super::requests::{Requests, permits};
use super::{Post, Receiver, Rejections};
use crate::auth::Secret;
use crate::listening::{Listening, hosts_of, is_local, listening_setters};
use crate::start_error::{Cause, StartError};
use crate::tls::Tls;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, mpsc};

/// The options of a [`Receiver`].
#[derive(Debug)]
pub struct ReceiverBuilder {
    listening: Listening,
    certificate: Option<(Vec<u8>, Secret)>,
    largest_body: usize,
    memory: usize,
    patience: Duration,
}

impl Default for ReceiverBuilder {
    fn default() -> Self {
        Self {
            listening: Listening::default(),
            certificate: None,
            largest_body: 32 << 20,
            memory: 64 << 20,
            patience: Duration::from_secs(32),
        }
    }
}

listening_setters!(
    ReceiverBuilder,
    "Without tokens no request needs one. With tokens and an address that other hosts can reach, requests may name any `Host`."
);

impl ReceiverBuilder {
    /// Serves HTTPS with this certificate, followed by the certificates between it and its authority, and its private key, in PEM.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn certificate(mut self, chain: impl Into<Vec<u8>>, key: impl Into<String>) -> Self {
        self.certificate = Some((chain.into(), Secret(key.into())));
        self
    }

    /// The largest body in bytes; a larger one gets 413. Defaults to 32 MiB.
    #[must_use]
    pub fn largest_body(mut self, bytes: usize) -> Self {
        self.largest_body = bytes;
        self
    }

    /// The memory in bytes for bodies without an answer; a body that does not fit gets 429. Defaults to 64 MiB, at least the largest
    /// body.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Starts the receiver, whose requests come out of the channel. The channel ends when the receiver is gone.
    ///
    /// # Errors
    /// [`StartError`] for invalid tokens or an invalid certificate, an address without protection, or a port that is in use.
    pub async fn start(self) -> Result<(Receiver, mpsc::UnboundedReceiver<Post>), StartError> {
        let listening = self.listening;
        let tokens = listening.parse_tokens()?;
        listening.check_exposure(self.certificate.is_some() && tokens.is_some())?;
        let ip = listening.address.ip();
        let tls = self
            .certificate
            .map(|(chain, Secret(key))| tls(&chain, &key));
        let tls = tls.transpose()?;
        let (listener, address) = listening.bind().await?;
        // API servers reach it under names of its network, with a token that no web page has.
        let any_host = listening.any_host || tokens.is_some() && !is_local(ip);
        let (channel, posts) = mpsc::unbounded_channel();
        let memory = permits(self.memory.max(self.largest_body));
        let requests = Requests {
            hosts: hosts_of(ip, any_host),
            tokens,
            largest_body: self.largest_body,
            patience: self.patience,
            memory: Arc::new(Semaphore::new(memory)),
            channel,
            rejections: Rejections::default(),
        };
        let receiver = Receiver::launch(listener, address, tls, requests, self.patience);
        Ok((receiver, posts))
    }
}

#[cfg(feature = "tls")]
fn tls(chain: &[u8], key: &str) -> Result<Tls, Cause> {
    Tls::from_pem(chain, key.as_bytes()).map_err(Cause::Certificate)
}

#[cfg(not(feature = "tls"))]
fn tls(_chain: &[u8], _key: &str) -> Result<Tls, Cause> {
    // Unreachable: `certificate` does not exist without the feature.
    Err(Cause::Certificate("this build has no TLS".into()))
}
