//! A plugin's credentials, shared by all requests of a client.

use super::{ExecCredential, ExecPlugin};
use crate::config::{Config, ConfigError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;
use tokio::sync::Mutex;

/// Runs a plugin when it must be, one run at a time.
pub(crate) struct SharedPlugin {
    plugin: Arc<ExecPlugin>,
    /// How many runs have ended.
    ended: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    credential: Option<Arc<ExecCredential>>,
    /// Why the last run failed, if it did.
    failure: Option<ConfigError>,
}

impl SharedPlugin {
    pub(crate) fn new(plugin: Arc<ExecPlugin>) -> Self {
        Self {
            plugin,
            ended: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// Whether a run may talk to somebody.
    pub(crate) fn asks_person(&self) -> bool {
        self.plugin.is_interactive().unwrap_or(false)
    }

    /// What holds now; `rejected` is what the server did not accept.
    ///
    /// Who waits for another's run takes its result, be it a failure. If the one whose run it is gives up, the
    /// next runs the plugin again.
    pub(crate) async fn credential(
        &self,
        config: &Config,
        rejected: Option<&Arc<ExecCredential>>,
    ) -> Result<Arc<ExecCredential>, ConfigError> {
        let before = self.ended.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        let waited = self.ended.load(Ordering::Acquire) > before;
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
                self.ended.fetch_add(1, Ordering::Release);
                state.failure = result.as_ref().err().cloned();
                result
            }
        };
        match (result, &state.credential) {
            (Ok(credential), _) => {
                state.credential = Some(credential.clone());
                Ok(credential)
            }
            // What was to be renewed a little early still holds.
            (Err(_), Some(kept)) if !kept.is_expired(SystemTime::now()) => Ok(kept.clone()),
            (Err(error), _) => Err(error),
        }
    }
}
