//! When and how often a failed request is sent again.

use super::Backoff;
use std::time::Duration;

/// When and how often a failed request is sent again.
///
/// A request is sent again only when that cannot do harm:
///
/// | What went wrong | Was it carried out? | Sent again |
/// |---|---|---|
/// | no connection came about: refused, unreachable, no such name, too slow | no | any request |
/// | an HTTP/2 server refused the request unseen, or said farewell before it (`GOAWAY`) | no | any request |
/// | 429, in plain text or as a `Status`, with or without `Retry-After` | no | any request |
/// | 503 with `Retry-After` | no | any request |
/// | the connection broke before the answer or within it | unknown | reads, dry runs, guarded writes |
/// | 408, 502, 504, 503 without `Retry-After`, 500 with `Retry-After` or reason `ServerTimeout` | unknown | reads, dry runs, guarded writes |
/// | the request's own time ran out, the certificate is not trusted, the answer does not decode, any other code | | nothing |
///
/// Reads are get, list, discovery and the opening of a watch. *Guarded* are writes that a server refuses the second
/// time by itself: a replace with a resource version, and a delete with a precondition. Creates, applies, patches
/// and deletes without precondition are never repeated on suspicion: an object could be made twice, or someone
/// else's change undone. When a guarded write is repeated and then meets a conflict or a missing object, that may be its
/// own doing: the error is then the one before, which left open what happened.
///
/// The first pause is up to [`with_initial_backoff`](Self::with_initial_backoff), each further one twice as long up to
/// [`with_max_backoff`](Self::with_max_backoff); half of each is random, so that clients do not come back together. What
/// the server asks for in `Retry-After` (seconds or a date) comes on top. When attempts
/// ([`with_max_attempts`](Self::with_max_attempts)) or time ([`with_max_elapsed`](Self::with_max_elapsed), the request's
/// timeout) do not suffice for one more try, the last error is handed on; [`Error::attempts`](crate::Error::attempts)
/// says how many there were.
///
/// What is retried can be seen: [`Client::on_request`](crate::Client::on_request) is told of each attempt, and each is
/// a `tracing` event.
///
/// ```
/// use k8s_flowcontrol::Client;
/// use k8s_flowcontrol::client::RetryPolicy;
/// use k8s_flowcontrol::config::Config;
/// use std::time::Duration;
///
/// // For a program that would rather wait than fail.
/// let patient = RetryPolicy::default().with_max_attempts(20).with_max_elapsed(Duration::from_secs(600));
/// let config = Config::new("http://127.0.0.1:8080")?.with_timeout(None).with_retry_policy(patient);
/// let client = Client::new(config)?;
///
/// // One request that is sent exactly once.
/// let once = client.flow_schemas().get("exempt").retry_policy(RetryPolicy::none());
/// # drop(once);
/// # Ok::<(), k8s_flowcontrol::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    max_attempts: u32,
    backoff: Backoff,
    max_elapsed: Duration,
}

impl Default for RetryPolicy {
    /// 5 attempts within 60 s, with pauses of 100 ms, 200 ms and so on up to 10 s.
    fn default() -> Self {
        Self {
            max_attempts: 5,
            backoff: Backoff::new(Duration::from_millis(100), Duration::from_secs(10)),
            max_elapsed: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Every request is sent once.
    ///
    /// Fresh credentials after a 401 are no retry in this sense and not turned off by it.
    #[must_use]
    pub fn none() -> Self {
        Self::default().with_max_attempts(1)
    }

    /// How often a request is sent at most, the first time included; 5 unless said otherwise. 0 is taken for 1.
    #[must_use]
    pub fn with_max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts.max(1);
        self
    }

    /// The longest first pause; 100 ms unless said otherwise.
    #[must_use]
    pub fn with_initial_backoff(mut self, pause: Duration) -> Self {
        self.backoff = Backoff::new(pause, self.backoff.max());
        self
    }

    /// The longest pause, without what the server asks for; 10 s unless said otherwise.
    #[must_use]
    pub fn with_max_backoff(mut self, pause: Duration) -> Self {
        self.backoff = Backoff::new(self.backoff.initial(), pause);
        self
    }

    /// How long after the first attempt began the last one may begin; 60 s unless said otherwise.
    #[must_use]
    pub fn with_max_elapsed(mut self, elapsed: Duration) -> Self {
        self.max_elapsed = elapsed;
        self
    }

    /// How often a request is sent at most.
    pub fn max_attempts(&self) -> u32 {
        self.max_attempts
    }

    /// The longest first pause.
    pub fn initial_backoff(&self) -> Duration {
        self.backoff.initial()
    }

    /// The longest pause, without what the server asks for.
    pub fn max_backoff(&self) -> Duration {
        self.backoff.max()
    }

    /// How long after the first attempt began the last one may begin.
    pub fn max_elapsed(&self) -> Duration {
        self.max_elapsed
    }

    pub(crate) fn backoff(&self) -> Backoff {
        self.backoff
    }

    /// The pause after so many attempts in so much time; `None` when there is to be no other one.
    ///
    /// `remaining` is what the request's timeout leaves.
    pub(crate) fn pause(
        &self,
        attempts: u32,
        elapsed: Duration,
        remaining: Option<Duration>,
        retry_after: Option<Duration>,
    ) -> Option<Duration> {
        if attempts >= self.max_attempts {
            return None;
        }
        let asked = retry_after.unwrap_or_default();
        let pause = asked.saturating_add(self.backoff.pause(attempts));
        let in_time = elapsed.saturating_add(pause) <= self.max_elapsed;
        (in_time && remaining.is_none_or(|remaining| pause < remaining)).then_some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn policy() -> RetryPolicy {
        RetryPolicy::default()
            .with_max_attempts(3)
            .with_initial_backoff(Duration::ZERO)
            .with_max_elapsed(10 * SECOND)
    }

    #[test]
    fn attempts_are_counted() {
        let pause = |attempts| policy().pause(attempts, Duration::ZERO, None, None);
        assert!(pause(2).is_some());
        assert_eq!(pause(3), None);
        assert_eq!(
            RetryPolicy::none().pause(1, Duration::ZERO, None, None),
            None
        );
        assert_eq!(policy().with_max_attempts(0).max_attempts(), 1);
    }

    #[test]
    fn what_the_server_asks_for_is_waited_or_nothing_is() {
        let pause = |elapsed, remaining, asked| policy().pause(1, elapsed, remaining, Some(asked));
        assert_eq!(pause(Duration::ZERO, None, 7 * SECOND), Some(7 * SECOND));
        assert_eq!(
            pause(4 * SECOND, None, 7 * SECOND),
            None,
            "beyond max_elapsed"
        );
        assert_eq!(
            pause(Duration::ZERO, Some(5 * SECOND), 7 * SECOND),
            None,
            "beyond the timeout"
        );
        assert_eq!(pause(Duration::ZERO, None, Duration::MAX), None);
    }
}
