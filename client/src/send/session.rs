//! The current connections and credentials of a client.

use super::retry::Budget;
use crate::config::{
    Auth, Certificates, Config, ConfigError, ExecCredential, Provider, SharedPlugin, bearer, notice,
};
use crate::error::Error;
use crate::transport::tls;
use crate::transport::{Connections, OwnTransport, Transport};
use http::HeaderValue;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps connections and credentials, and renews them when files change or credentials expire.
pub(crate) struct Session {
    config: Arc<Config>,
    plugin: Option<SharedPlugin>,
    current: Mutex<Current>,
    retry_budget: Budget,
    /// Why no request may be sent.
    fault: Option<ConfigError>,
}

/// Connections, and the certificates they use.
struct Current {
    transport: Arc<Transport>,
    certificates: Certificates,
    /// The last certificates that could not be used, so that they are tried only once.
    unusable: Option<Certificates>,
    /// The last fault of certificate files, so that it is reported once.
    fault: Option<String>,
}

/// The `Authorization` header with the token of a file, and the certificates.
type Files = (
    Option<Result<HeaderValue, ConfigError>>,
    Result<Certificates, ConfigError>,
);

/// The connections and credentials of one request.
pub(crate) struct Ready {
    pub(crate) transport: Arc<Transport>,
    pub(crate) authorization: Option<HeaderValue>,
    credential: Option<Arc<ExecCredential>>,
}

impl Session {
    /// Reads the certificates. A plugin runs later.
    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let config = config.for_connections()?;
        let certificates = config.certificates(None)?;
        let transport = Transport::Connections(Box::new(Connections::new(&config, &certificates)?));
        Ok(Self::of(config, transport, certificates))
    }

    /// Uses the program's own transport. The certificates are not read.
    pub(crate) fn with_transport(config: Config, transport: Arc<OwnTransport>) -> Self {
        let (config, fault) = match config.clone().for_connections() {
            Ok(config) => (config, None),
            Err(fault) => (config, Some(fault)),
        };
        let transport = Transport::Own(transport);
        Self {
            fault,
            ..Self::of(config, transport, Certificates::default())
        }
    }

    fn of(config: Config, transport: Transport, certificates: Certificates) -> Self {
        // A token file remembers its token, in case the first request is sent in the middle of a rotation.
        let _reported_by_requests = config.authorization(config.read_token_file());
        let plugin = match config.auth() {
            Auth::Exec(plugin) => Some(SharedPlugin::new(Provider::Plugin(plugin.clone()))),
            Auth::Own(tokens) => Some(SharedPlugin::new(Provider::Own(tokens.clone()))),
            _ => None,
        };
        Self {
            fault: None,
            retry_budget: Budget::new(config.retry_budget()),
            config: Arc::new(config),
            plugin,
            current: Mutex::new(Current {
                transport: Arc::new(transport),
                certificates,
                unusable: None,
                fault: None,
            }),
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The retry budget of all requests.
    pub(crate) fn retry_budget(&self) -> &Budget {
        &self.retry_budget
    }

    /// Runs an interactive plugin, if it is due.
    pub(crate) async fn prepare_interactive_plugin(&self) -> Result<(), Error> {
        if let Some(plugin) = self.plugin.as_ref().filter(|one| one.is_interactive()) {
            plugin.credential(&self.config, None).await?;
        }
        Ok(())
    }

    /// The connections and credentials for the next request.
    pub(crate) async fn ready(&self) -> Result<Ready, Error> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        self.renewed(None).await
    }

    /// New connections or credentials after a 401; `None` if nothing has changed.
    pub(crate) async fn after_unauthorized(&self, used: &Ready) -> Result<Option<Ready>, Error> {
        let ready = self.renewed(used.credential.as_ref()).await?;
        let is_new = ready.authorization != used.authorization
            || !Arc::ptr_eq(&ready.transport, &used.transport);
        Ok(is_new.then_some(ready))
    }

    async fn renewed(&self, rejected: Option<&Arc<ExecCredential>>) -> Result<Ready, Error> {
        let credential = match &self.plugin {
            Some(plugin) => Some(plugin.credential(&self.config, rejected).await?),
            None => None,
        };
        let (token_file, certificates) = self.read_files(credential.clone()).await?;
        let token = credential.as_ref().and_then(|one| one.token.as_ref());
        let authorization = match token {
            Some(token) => Some(bearer(token)?),
            None => self.config.authorization(token_file)?,
        };
        Ok(Ready {
            transport: self.transport(certificates, credential.as_deref())?,
            authorization,
            credential,
        })
    }

    /// The token of a file, and the certificates. Files are read on a thread that may wait for a disk.
    async fn read_files(&self, credential: Option<Arc<ExecCredential>>) -> Result<Files, Error> {
        let config = self.config.clone();
        let read = move || {
            (
                config.read_token_file(),
                config.certificates(credential.as_deref()),
            )
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if self.config.has_files() => {
                runtime.spawn_blocking(read).await.map_err(Error::setup)
            }
            _ => Ok(read()),
        }
    }

    /// The connections. New ones are made if the certificates have changed.
    ///
    /// If the new certificates cannot be used, for instance halfway through a rotation, the old connections stay in use.
    /// Unusable certificates of a plugin are an error.
    fn transport(
        &self,
        certificates: Result<Certificates, ConfigError>,
        credential: Option<&ExecCredential>,
    ) -> Result<Arc<Transport>, Error> {
        // Nothing panics while the lock is held.
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        if let Transport::Own(_) = *current.transport {
            return Ok(current.transport.clone());
        }
        match certificates {
            Ok(certificates) if certificates == current.certificates => current.fault = None,
            Ok(certificates) if current.unusable.as_ref() == Some(&certificates) => {}
            Ok(certificates) => match self.connections(&current, &certificates) {
                Ok(transport) => {
                    *current = Current {
                        transport: Arc::new(Transport::Connections(Box::new(transport))),
                        certificates,
                        unusable: None,
                        fault: None,
                    }
                }
                Err(error) if credential.is_some() => return Err(error),
                Err(error) => {
                    current.unusable = Some(certificates);
                    current.keep_after(&error);
                }
            },
            Err(error) => current.keep_after(&error),
        }
        Ok(current.transport.clone())
    }

    /// New connections with changed certificates.
    fn connections(
        &self,
        current: &Current,
        certificates: &Certificates,
    ) -> Result<Connections, Error> {
        match &certificates.authority {
            Some(authority)
                if current.certificates.authority.as_ref() != Some(authority)
                    && tls::is_torn(authority) =>
            {
                Err(authority
                    .source
                    .error("its last certificate is incomplete")
                    .into())
            }
            _ => Connections::new(&self.config, certificates),
        }
    }
}

impl Current {
    fn keep_after(&mut self, error: &impl std::fmt::Display) {
        let fault = error.to_string();
        if self.fault.as_ref() != Some(&fault) {
            notice(&format_args!(
                "{fault}; the previous certificates stay in use"
            ));
            self.fault = Some(fault);
        }
    }
}
