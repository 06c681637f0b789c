//! The leader, which renews its lease.

use super::candidate::Observed;
use super::election::Election;
use crate::Error;
use crate::config::random_fraction;
use std::fmt;
use std::sync::Arc;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, sleep_until};

/// The leadership that [`Election::acquire`] won. A task renews it.
///
/// Dropping it ends the renewals, so that others lead after the Lease has expired; [`release`](Self::release) lets them lead at once.
#[must_use = "the leadership ends when this is dropped"]
pub struct Leadership {
    election: Election,
    state: Arc<Mutex<Observed>>,
    /// Until when this candidate certainly leads; `Err` once it has lost.
    valid: watch::Receiver<Result<Instant, LeaseLost>>,
    renewals: JoinHandle<()>,
}

/// The error of a leader that could not renew its Lease in time, or whose Lease another candidate has.
#[derive(Clone, Debug)]
pub struct LeaseLost {
    lease: String,
    holder: Option<String>,
    error: Option<Arc<Error>>,
}

impl LeaseLost {
    /// Who holds the Lease now, if another candidate took it.
    pub fn holder(&self) -> Option<&str> {
        self.holder.as_deref()
    }
}

impl Leadership {
    /// `renewed`: the time before the successful attempt, from which others count at the earliest.
    pub(super) fn start(election: Election, observed: Observed, renewed: Instant) -> Self {
        let state = Arc::new(Mutex::new(observed));
        let (sender, valid) = watch::channel(Ok(renewed + election.renew_deadline));
        let renewals = tokio::spawn(renew(election.clone(), state.clone(), sender, renewed));
        Self {
            election,
            state,
            valid,
            renewals,
        }
    }

    /// Whether this candidate leads, also if the runtime was blocked for a long time.
    pub fn is_leader(&self) -> bool {
        matches!(&*self.valid.borrow(), Ok(until) if Instant::now() < *until)
    }

    /// Waits until this candidate does not lead any more. Cancel safe.
    pub async fn lost(&self) -> LeaseLost {
        let mut valid = self.valid.clone();
        let lost = valid.wait_for(Result::is_err).await;
        match lost.as_deref() {
            Ok(Err(lost)) => lost.clone(),
            // The task has ended without a word: the runtime shuts down.
            _ => self.election.lost(None, None),
        }
    }

    /// Gives the Lease up, so that another candidate can lead at once. Stop all work before.
    ///
    /// # Errors
    /// The Lease could not be written, or [may have been](Error::may_have_taken_effect): others may wait until it expires. A server that
    /// does not respond delays the error by the renew deadline at most.
    pub async fn release(mut self) -> Result<(), Error> {
        self.renewals.abort();
        let _aborted = (&mut self.renewals).await;
        let mut observed = self.state.lock().await;
        self.election.give_up(&mut observed).await
    }
}

impl Election {
    /// Waits until this candidate leads. If the future is dropped, the candidate may have the Lease, which then expires.
    ///
    /// # Errors
    /// Waiting does not change the reason: the Lease may not be read or written, or the namespace does not exist. After all other errors the
    /// candidate tries again.
    pub async fn acquire(&self) -> Result<Leadership, Error> {
        let mut observed = Observed::nothing();
        let mut is_warned = false;
        loop {
            let begin = Instant::now();
            let deadline = begin + self.renew_deadline;
            match self.attempt(&mut observed, deadline).await {
                Some(Ok(true)) => return Ok(Leadership::start(self.clone(), observed, begin)),
                // Another candidate leads.
                Some(Ok(false)) => is_warned = false,
                // A lease that was deleted after it was read is created next time.
                Some(Err(error))
                    if error.is_permanent()
                        && !(error.is_not_found() && observed.lease.is_some()) =>
                {
                    return Err(error);
                }
                failed => {
                    if !is_warned {
                        report(self.lease_name(), failed.and_then(Result::err));
                    }
                    is_warned = true;
                }
            }
            // Candidates that started together do not stay together.
            sleep(self.retry_period.mul_f64(1.0 + 0.2 * random_fraction())).await;
        }
    }

    fn lost(&self, holder: Option<&str>, error: Option<Arc<Error>>) -> LeaseLost {
        LeaseLost {
            lease: self.lease_name().to_owned(),
            holder: holder.map(str::to_owned),
            error,
        }
    }
}

fn report(lease: &str, error: Option<Error>) {
    match error {
        None => tracing::warn!(lease, "an attempt did not end in time; trying again"),
        Some(error) if error.is_unanswered() => {
            tracing::warn!(lease, %error, "the server does not respond; trying again");
        }
        // With its causes.
        Some(error) => tracing::warn!(
            lease,
            ?error,
            "the lease cannot be read or written; trying again"
        ),
    }
}

async fn renew(
    election: Election,
    state: Arc<Mutex<Observed>>,
    valid: watch::Sender<Result<Instant, LeaseLost>>,
    mut renewed: Instant,
) {
    let mut last_error = None;
    let lost = loop {
        let deadline = renewed + election.renew_deadline;
        let now = Instant::now();
        let is_last = now + election.retry_period >= deadline && last_error.is_some();
        if is_last || now >= deadline {
            sleep_until(deadline).await;
            break election.lost(None, last_error);
        }
        // Without a failure there is another attempt before the deadline.
        let remaining = deadline.saturating_duration_since(now);
        sleep(election.retry_period.min(remaining / 2)).await;
        let begin = Instant::now();
        let mut observed = state.lock().await;
        match election.attempt(&mut observed, deadline).await {
            Some(Ok(true)) => {
                (renewed, last_error) = (begin, None);
                let _before = valid.send_replace(Ok(renewed + election.renew_deadline));
            }
            // The lease is still its own: somebody else has changed it twice at the same time, such as its labels.
            Some(Ok(false)) if observed.holder() == Some(election.identity()) => {}
            Some(Ok(false)) => break election.lost(observed.holder(), None),
            // The failure before says more.
            Some(Err(error)) if error.is_unanswered() && Instant::now() >= deadline => {
                break election.lost(None, last_error);
            }
            Some(Err(error)) => {
                tracing::warn!(
                    lease = election.lease_name(),
                    ?error,
                    "the lease was not renewed; trying again"
                );
                last_error = Some(Arc::new(error));
            }
            None => break election.lost(None, last_error),
        }
    };
    let _before = valid.send_replace(Err(lost));
}

impl Drop for Leadership {
    fn drop(&mut self) {
        self.renewals.abort();
    }
}

impl fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the lease `{}` was lost: ", self.lease)?;
        match (&self.holder, &self.error) {
            (Some(holder), _) => write!(f, "`{holder}` holds it"),
            (None, Some(error)) => {
                write!(f, "it was not renewed in time; the last attempt: {error}")
            }
            (None, None) => f.write_str("it was not renewed in time"),
        }
    }
}

/// The text contains that of the error, but not its source.
impl std::error::Error for LeaseLost {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match (&self.holder, &self.error) {
            (None, Some(error)) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("election", &self.election)
            .field("is_leader", &self.is_leader())
            .finish_non_exhaustive()
    }
}
