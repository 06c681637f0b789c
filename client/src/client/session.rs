//! What a client's requests are sent with at the moment: connections and credentials.

use super::error::Error;
use super::transport::Transport;
use crate::config::{Auth, Certificates, Config, ExecCredential, SharedPlugin, bearer};
use http::HeaderValue;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps connections and credentials, and renews them as files change and plugins say.
pub(super) struct Session {
    config: Config,
    plugin: Option<SharedPlugin>,
    current: Mutex<Current>,
}

/// Connections, and what they were made with.
struct Current {
    transport: Arc<Transport>,
    certificates: Certificates,
    /// What no connections could be made with, so that it is tried once only.
    unusable: Option<Certificates>,
}

/// What one request is sent with.
pub(super) struct Ready {
    pub(super) transport: Arc<Transport>,
    pub(super) authorization: Option<HeaderValue>,
    credential: Option<Arc<ExecCredential>>,
}

impl Session {
    /// Reads the files, but runs no plugin yet.
    pub(super) fn new(config: Config) -> Result<Self, Error> {
        let certificates = config.certificates(None)?;
        let transport = Arc::new(Transport::new(&config, &certificates)?);
        let plugin = match config.auth() {
            Auth::Exec(plugin) => Some(SharedPlugin::new(plugin.clone())),
            _ => None,
        };
        Ok(Self {
            config,
            plugin,
            current: Mutex::new(Current {
                transport,
                certificates,
                unusable: None,
            }),
        })
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Runs a plugin that may ask a person, if it is time for that.
    pub(super) async fn ask_person(&self) -> Result<(), Error> {
        if let Some(plugin) = self.plugin.as_ref().filter(|one| one.is_interactive()) {
            plugin.credential(&self.config, None).await?;
        }
        Ok(())
    }

    /// What the next request is to be sent with.
    pub(super) async fn ready(&self) -> Result<Ready, Error> {
        self.renewed(None).await
    }

    /// What to send a request with again that the server did not let in; `None` when there is nothing to renew.
    pub(super) async fn after_unauthorized(&self, used: &Ready) -> Result<Option<Ready>, Error> {
        let ready = match self.config.auth() {
            Auth::Exec(_) => self.renewed(used.credential.as_ref()).await?,
            Auth::TokenFile(..) => self.renewed(None).await?,
            _ => {
                let ready = self.renewed(None).await?;
                if Arc::ptr_eq(&ready.transport, &used.transport) {
                    return Ok(None);
                }
                ready
            }
        };
        Ok(Some(ready))
    }

    async fn renewed(&self, rejected: Option<&Arc<ExecCredential>>) -> Result<Ready, Error> {
        let credential = match &self.plugin {
            Some(plugin) => Some(plugin.credential(&self.config, rejected).await?),
            None => None,
        };
        let token = credential.as_ref().and_then(|one| one.token.as_ref());
        let authorization = match token {
            Some(token) => Some(bearer(token)?),
            None => self.config.authorization()?,
        };
        Ok(Ready {
            transport: self.transport(credential.as_deref())?,
            authorization,
            credential,
        })
    }

    /// The connections, new ones when the certificates have changed.
    ///
    /// Certificates that cannot be used, as halfway through a rotation, leave the old connections in use. A plugin
    /// gives whole ones.
    fn transport(&self, credential: Option<&ExecCredential>) -> Result<Arc<Transport>, Error> {
        let certificates = self.config.certificates(credential);
        // Nothing panics while the lock is held, and what it guards is whole at any time.
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let certificates = match certificates {
            Ok(certificates) if certificates != current.certificates => certificates,
            _ => return Ok(current.transport.clone()),
        };
        if current.unusable.as_ref() == Some(&certificates) {
            return Ok(current.transport.clone());
        }
        match Transport::new(&self.config, &certificates) {
            Ok(transport) => {
                current.transport = Arc::new(transport);
                current.certificates = certificates;
                current.unusable = None;
            }
            Err(error) if credential.is_some() => return Err(error),
            Err(_) => current.unusable = Some(certificates),
        }
        Ok(current.transport.clone())
    }
}
