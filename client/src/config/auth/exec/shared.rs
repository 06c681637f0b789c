//! The credentials of a plugin or of the program's code, shared by all requests of a client.

use super::{ExecCredential, ExecPlugin};
use crate::config::auth::token_source::OwnTokens;
use crate::config::{Config, ConfigError, notice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::task::AbortHandle;

/// The minimum time between the beginnings of early renewals.
const PAUSE: Duration = Duration::from_secs(5);

/// What provides the credentials.
pub(crate) enum Provider {
    Plugin(Arc<ExecPlugin>),
    Own(OwnTokens),
}

/// Runs a plugin, or the program's code, when its credentials are missing, due or rejected; one run at a time.
pub(crate) struct SharedPlugin {
    runs: Arc<Runs>,
    /// The task of the last early renewal, and its beginning.
    renewal: Mutex<Option<(AbortHandle, Instant)>>,
}

struct Runs {
    provider: Provider,
    /// Held during a run.
    turn: tokio::sync::Mutex<()>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    credential: Option<Arc<ExecCredential>>,
    /// The number of finished runs.
    finished: u64,
    /// The error of the last run.
    failure: Option<ConfigError>,
}

impl SharedPlugin {
    pub(crate) fn new(provider: Provider) -> Self {
        Self {
            runs: Arc::new(Runs {
                provider,
                turn: tokio::sync::Mutex::default(),
                state: Mutex::default(),
            }),
            renewal: Mutex::default(),
        }
    }

    /// Whether a run may wait for a person.
    pub(crate) fn is_interactive(&self) -> bool {
        match &self.runs.provider {
            Provider::Plugin(plugin) => plugin.is_interactive().unwrap_or(false),
            Provider::Own(_) => false,
        }
    }

    /// The current credentials. `rejected` are credentials that the server did not accept.
    ///
    /// Credentials that are due but valid are renewed in the background. Otherwise concurrent callers share one run and its
    /// result, including an error. If the caller that started the run is cancelled, the next one starts another.
    pub(crate) async fn credential(
        &self,
        config: &Config,
        rejected: Option<&Arc<ExecCredential>>,
    ) -> Result<Arc<ExecCredential>, ConfigError> {
        let before = {
            let mut state = self.runs.state();
            if let (Some(rejected), Some(kept)) = (rejected, &state.credential)
                && Arc::ptr_eq(rejected, kept)
            {
                state.credential = None;
            }
            if let Some(kept) = &state.credential
                && !kept.is_expired(SystemTime::now())
            {
                let is_due = self.runs.is_due(kept);
                if !is_due || !self.is_interactive() {
                    if is_due {
                        self.renew(config);
                    }
                    return Ok(kept.clone());
                }
            }
            state.finished
        };
        let _turn = self.runs.turn.lock().await;
        let shared = {
            let state = self.runs.state();
            (state.finished > before).then(|| (state.failure.clone(), state.credential.clone()))
        };
        let result = match shared {
            Some((Some(failure), _)) => Err(failure),
            Some((None, Some(credential))) => Ok(credential),
            _ => self.runs.run(config).await,
        };
        result.or_else(|error| match &self.runs.state().credential {
            Some(kept) if !kept.is_expired(SystemTime::now()) => {
                stays_in_use(&error);
                Ok(kept.clone())
            }
            _ => Err(error),
        })
    }

    /// Starts an early renewal, unless one is running or began only now.
    fn renew(&self, config: &Config) {
        let mut renewal = self.renewal.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((task, begun)) = &*renewal
            && (!task.is_finished() || begun.elapsed() < PAUSE)
        {
            return;
        }
        let (runs, config) = (Arc::clone(&self.runs), config.clone());
        let task = tokio::spawn(async move {
            let _turn = runs.turn.lock().await;
            if let Err(error) = runs.run(&config).await {
                stays_in_use(&error);
            }
        });
        *renewal = Some((task.abort_handle(), Instant::now()));
    }
}

impl Drop for SharedPlugin {
    fn drop(&mut self) {
        let renewal = self
            .renewal
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((task, _)) = renewal {
            task.abort();
        }
    }
}

impl Runs {
    /// Nothing panics while the lock is held.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_due(&self, credential: &ExecCredential) -> bool {
        let early = match &self.provider {
            Provider::Plugin(plugin) => plugin.renew_before,
            Provider::Own(_) => None,
        };
        credential.is_due(early)
    }

    /// Runs the plugin and keeps the result. A failure keeps the previous credentials.
    async fn run(&self, config: &Config) -> Result<Arc<ExecCredential>, ConfigError> {
        let result = match &self.provider {
            Provider::Plugin(plugin) => plugin.run(config).await,
            Provider::Own(tokens) => tokens.run().await,
        };
        let result = result.map(Arc::new);
        let mut state = self.state();
        state.finished += 1;
        state.failure = result.as_ref().err().cloned();
        if let Ok(credential) = &result {
            state.credential = Some(credential.clone());
        }
        result
    }
}

fn stays_in_use(error: &ConfigError) {
    notice(&format_args!(
        "{error}; the previous credential is used until it expires"
    ));
}
