//! When and how often a failed request is sent again.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

/// When and how often a failed request is sent again.
///
/// Two guarantees hold for every request:
///
/// 1. **A write that may have taken effect is not sent again**, unless the server would reject its repetition.
/// 2. **A request that certainly has not taken effect is sent again**, as long as the limits below allow it and another
///    attempt may succeed.
///
/// The table shows the reaction to each failure:
///
/// | Failure | Carried out? | Sent again |
/// |---|---|---|
/// | no connection: refused, unreachable, unknown host, timeout, closed before the request was begun | no | all requests |
/// | HTTP/2 `REFUSED_STREAM`, or `GOAWAY` before the request was processed | no | all requests |
/// | 429, as plain text or a `Status`, with or without `Retry-After` | no | all requests |
/// | 503 with `Retry-After` | no | all requests |
/// | the connection broke before or within the response, or the response cannot be decompressed | unknown | reads, dry runs, guarded writes |
/// | 408, 502, 504, 503 without `Retry-After`, any other 5xx with `Retry-After` or the reason `Timeout` or `ServerTimeout` | unknown | reads, dry runs, guarded writes |
/// | the request's timeout, an untrusted certificate or another error of TLS, a response that cannot be decoded, the `Status` of a failure in a 2xx response, any other code | | none |
///
/// Reads are get, list, discovery and the opening of a watch. Dry runs of subresources other than the status count as
/// writes, because not every subresource supports them. The server rejects the repetition of a *guarded* write: a
/// replace with a resource version, and a delete with a precondition. Other creates, applies, patches and deletes are
/// not sent again after an unknown outcome, because they could create an object twice or undo another client's change.
/// If a guarded write is sent again and fails with a conflict or a missing object, the first attempt may be the cause.
/// The returned error is then the earlier one.
/// [`Error::may_have_taken_effect`](crate::Error::may_have_taken_effect) reports whether a failed write may have been
/// carried out.
///
/// Not guaranteed: that a server or proxy sends 429, 503 with `Retry-After`, `REFUSED_STREAM` and `GOAWAY` correctly; that a
/// request is carried out only once if the program repeats it; that the client knows whether the server had read the request
/// when the connection broke (a write is then not sent again).
///
/// The first pause is at most [`with_initial_backoff`](Self::with_initial_backoff). Each further pause doubles, up to
/// [`with_max_backoff`](Self::with_max_backoff). Half of each pause is random, so that clients do not retry at the same
/// time. The server's `Retry-After` (seconds or a date) is added. After the last attempt
/// ([`with_max_attempts`](Self::with_max_attempts)), or if the next one would exceed the time limit
/// ([`with_max_elapsed`](Self::with_max_elapsed), the request's timeout), or if the server asks for a longer wait than
/// [`with_max_retry_after`](Self::with_max_retry_after), the last error is returned at once. All requests of a client and
/// its clones also share a retry budget, so that an overloaded server does not get every client's retries, see
/// [`Config::with_retry_budget`](super::Config::with_retry_budget).
/// [`Error::attempts`](crate::Error::attempts) is the number of attempts.
///
/// Every attempt is a `tracing` event, and is reported to [`Client::on_request`](crate::Client::on_request).
///
/// ```
/// use k8s_flowcontrol::Client;
/// use k8s_flowcontrol::client::RetryPolicy;
/// use k8s_flowcontrol::config::Config;
/// use std::time::Duration;
///
/// // For a program that prefers waiting to failing.
/// let patient = RetryPolicy::default().with_max_attempts(20).with_max_elapsed(Duration::from_secs(600));
/// let config = Config::new("http://127.0.0.1:8080")?.with_timeout(None).with_retry_policy(patient);
/// let client = Client::new(config)?;
///
/// // This request is sent at most once.
/// let once = client.flow_schemas().get("exempt").retry_policy(RetryPolicy::none());
/// # drop(once);
/// # Ok::<(), k8s_flowcontrol::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    max_attempts: u32,
    backoff: Backoff,
    max_elapsed: Duration,
    max_retry_after: Duration,
}

impl Default for RetryPolicy {
    /// 5 attempts within 60 s, with pauses of up to 100 ms, 200 ms, and so on up to 10 s, and a `Retry-After` of up to
    /// 60 s.
    fn default() -> Self {
        Self {
            max_attempts: 5,
            backoff: Backoff::new(Duration::from_millis(100), Duration::from_secs(10)),
            max_elapsed: Duration::from_secs(60),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Sends every request once.
    ///
    /// After a 401 a request is still sent again with new credentials.
    #[must_use]
    pub fn none() -> Self {
        Self::default().with_max_attempts(1)
    }

    /// The maximum number of attempts, including the first. Defaults to 5; 0 means 1.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// The maximum first pause. Defaults to 100 ms.
    #[must_use]
    pub fn with_initial_backoff(mut self, pause: Duration) -> Self {
        self.backoff = Backoff::new(pause, self.backoff.max());
        self
    }

    /// The maximum pause, not including the server's `Retry-After`. Defaults to 10 s.
    #[must_use]
    pub fn with_max_backoff(mut self, pause: Duration) -> Self {
        self.backoff = Backoff::new(self.backoff.initial(), pause);
        self
    }

    /// The maximum time between the beginnings of the first and the last attempt. Defaults to 60 s.
    #[must_use]
    pub fn with_max_elapsed(mut self, elapsed: Duration) -> Self {
        self.max_elapsed = elapsed;
        self
    }

    /// The maximum `Retry-After` that the client obeys. Defaults to 60 s.
    ///
    /// If the server asks for a longer wait, a request fails at once with the server's error, and
    /// [`Error::retry_after`](crate::Error::retry_after) is the wait. Watchers, stores and `wait_for` do not fail: they
    /// wait this long and then try again.
    #[must_use]
    pub fn with_max_retry_after(mut self, wait: Duration) -> Self {
        self.max_retry_after = wait;
        self
    }

    /// The maximum number of attempts.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// The maximum first pause.
    pub fn initial_backoff(&self) -> Duration {
        self.backoff.initial()
    }

    /// The maximum pause, not including the server's `Retry-After`.
    pub fn max_backoff(&self) -> Duration {
        self.backoff.max()
    }

    /// The maximum time between the beginnings of the first and the last attempt.
    pub fn max_elapsed(&self) -> Duration {
        self.max_elapsed
    }

    /// The maximum `Retry-After` that the client obeys.
    pub fn max_retry_after(&self) -> Duration {
        self.max_retry_after
    }

    /// The pause before the next attempt, or the limit that does not allow one.
    ///
    /// `remaining` is the rest of the request's timeout.
    pub(crate) fn pause(
        &self,
        attempts: u32,
        elapsed: Duration,
        remaining: Option<Duration>,
        retry_after: Option<Duration>,
    ) -> Result<Duration, RetryLimit> {
        if attempts >= self.max_attempts {
            return Err(RetryLimit::Attempts);
        }
        let requested = retry_after.unwrap_or_default();
        if requested > self.max_retry_after {
            return Err(RetryLimit::RetryAfter(self.max_retry_after));
        }
        let pause = requested.saturating_add(self.backoff.pause(attempts));
        if elapsed.saturating_add(pause) > self.max_elapsed {
            return Err(RetryLimit::Elapsed(self.max_elapsed));
        }
        match remaining {
            Some(remaining) if pause >= remaining => Err(RetryLimit::Timeout),
            _ => Ok(pause),
        }
    }
}

/// The limit that allows no further attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryLimit {
    /// The number of attempts.
    Attempts,
    /// The time between the first and the last attempt.
    Elapsed(Duration),
    /// The server asks for a longer wait than this.
    RetryAfter(Duration),
    /// The request's timeout ends before the next attempt.
    Timeout,
    /// The retry budget of the client.
    Budget,
}

impl fmt::Display for RetryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attempts => f.write_str("the limit of the retry policy"),
            Self::Elapsed(limit) => write!(
                f,
                "the retry policy allows attempts within {limit:?} after the first"
            ),
            Self::RetryAfter(limit) => write!(
                f,
                "the server asks for a longer wait than the {limit:?} of the retry policy"
            ),
            Self::Timeout => f.write_str("its timeout ends before the next attempt"),
            Self::Budget => f.write_str("the client's retry budget is used up"),
        }
    }
}

/// Pauses that double after each failure, up to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    initial: Duration,
    max: Duration,
}

impl Backoff {
    pub(crate) const fn new(initial: Duration, max: Duration) -> Self {
        Self { initial, max }
    }

    pub(crate) const fn initial(&self) -> Duration {
        self.initial
    }

    pub(crate) const fn max(&self) -> Duration {
        self.max
    }

    /// The pause after a number of consecutive failures, at least 1: a random time between half the full pause and the
    /// full pause.
    pub(crate) fn pause(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
        let longest = self.initial.saturating_mul(doubled).min(self.max);
        longest.mul_f64(0.5 + random_fraction() / 2.0)
    }
}

/// A random number from 0 (inclusive) to 1 (exclusive), from the seeds of the standard library's hash maps.
pub(crate) fn random_fraction() -> f64 {
    // 52 random bits make the fraction of a number between 1 and 2.
    let bits = RandomState::new().build_hasher().finish() >> 12;
    f64::from_bits(1_f64.to_bits() | bits) - 1.0
}
