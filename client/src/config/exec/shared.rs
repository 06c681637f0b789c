//! The credentials of a plugin, shared by all requests of a client.

use super::{ExecCredential, ExecPlugin};
use crate::config::{Config, ConfigError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use tokio::sync::Mutex;

/// Runs a plugin when its credentials are missing, due or rejected; one run at a time.
pub(crate) struct SharedPlugin {
    plugin: Arc<ExecPlugin>,
    /// The number of finished runs.
    finished: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    credential: Option<Arc<ExecCredential>>,
    /// The error of the last run.
    failure: Option<ConfigError>,
}

impl SharedPlugin {
    pub(crate) fn new(plugin: Arc<ExecPlugin>) -> Self {
        Self {
            plugin,
            finished: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// Whether a run may wait for a person.
    pub(crate) fn is_interactive(&self) -> bool {
        self.plugin.is_interactive().unwrap_or(false)
    }

    /// The current credentials. `rejected` are credentials that the server did not accept.
    ///
    /// Concurrent callers share one run and its result, including an error. If the caller that started the run is
    /// cancelled, the next one starts another.
    pub(crate) async fn credential(
        &self,
        config: &Config,
        rejected: Option<&Arc<ExecCredential>>,
    ) -> Result<Arc<ExecCredential>, ConfigError> {
        let before = self.finished.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        let waited = self.finished.load(Ordering::Acquire) > before;
        if let (Some(rejected), Some(kept)) = (rejected, &state.credential)
            && Arc::ptr_eq(rejected, kept)
        {
            state.credential = None;
        }
        if let Some(kept) = &state.credential
            && !kept.is_due(SystemTime::now())
        {
            return Ok(kept.clone());
        }
        let failure = state.failure.clone().filter(|_| waited);
        let result = match failure {
            Some(failure) => Err(failure),
            None => {
                let result = self.plugin.run(config).await.map(Arc::new);
                self.finished.fetch_add(1, Ordering::Release);
                state.failure = result.as_ref().err().cloned();
                result
            }
        };
        match (result, &state.credential) {
            (Ok(credential), _) => {
                state.credential = Some(credential.clone());
                Ok(credential)
            }
            // Renewal begins before the expiry, so the old credentials are still valid.
            (Err(_), Some(kept)) if !kept.is_expired(SystemTime::now()) => Ok(kept.clone()),
            (Err(error), _) => Err(error),
        }
    }
}
