//! The attempts at one request, and whether another one follows.

use super::{Budget, Repeat, RetryClass};
use crate::config::{RetryLimit, RetryPolicy};
use crate::error::{Error, ErrorKind, Reached};
use crate::request::http_request::HttpRequest;
use crate::send::progress::Progress;
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

pub(crate) struct Attempts<'a> {
    policy: &'a RetryPolicy,
    budget: &'a Budget,
    repeat: Repeat,
    limit: Option<Duration>,
    started: Instant,
    deadline: Option<Instant>,
    count: u32,
    /// The failure after which the request may or may not have been carried out.
    unclear: Option<Error>,
    /// The last failure, if it is another one.
    previous: Option<Error>,
    /// The tokens of the last retry.
    taken: Option<u32>,
    /// The limit that allows no further attempt.
    ended_by: Option<RetryLimit>,
}

impl<'a> Attempts<'a> {
    /// The time limit starts now.
    pub(crate) fn new(
        request: &HttpRequest,
        policy: &'a RetryPolicy,
        budget: &'a Budget,
        limit: Option<Duration>,
    ) -> Self {
        let started = Instant::now();
        Self {
            policy,
            budget,
            repeat: Repeat::of(request),
            limit,
            started,
            deadline: limit.and_then(|limit| started.checked_add(limit)),
            count: 0,
            unclear: None,
            previous: None,
            taken: None,
            ended_by: None,
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Whether an attempt may have been carried out.
    pub(crate) fn is_unclear(&self) -> bool {
        self.unclear.is_some()
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Makes an attempt within the remaining time.
    pub(crate) async fn make<T>(
        &mut self,
        attempt: impl Future<Output = Result<T, Error>>,
        progress: &Progress,
    ) -> Result<T, Error> {
        self.count += 1;
        let result = match (self.deadline, self.limit) {
            (Some(deadline), Some(limit)) => {
                let result = timeout_at(deadline, attempt).await;
                result.unwrap_or_else(|_elapsed| {
                    let reached = progress.reached();
                    let what = match reached {
                        Reached::Nothing => "obtaining the credentials",
                        Reached::Sent | Reached::Head(_) => "the request",
                    };
                    Err(Error::new(ErrorKind::TimedOut {
                        what: what.to_owned(),
                        limit,
                        reached,
                    }))
                })
            }
            _ => attempt.await,
        };
        if result.as_ref().err().is_none_or(RetryClass::is_answer) {
            self.budget.answered(self.taken);
        }
        if result.is_err() && progress.reached() == Reached::Nothing {
            self.count -= 1;
        }
        result.map_err(|error| error.with_attempts(self.count))
    }

    /// The pause before the next attempt; `None` if this error is final.
    pub(crate) fn pause(&mut self, error: &Error) -> Option<Duration> {
        if !self.repeat.allows(RetryClass::of(error)) {
            return None;
        }
        let now = Instant::now();
        let remaining = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(now));
        let elapsed = now.saturating_duration_since(self.started);
        let pause = self
            .policy
            .pause(self.count, elapsed, remaining, error.retry_after());
        let pause = pause.and_then(|pause| {
            self.taken = self.budget.take(error.is_timeout());
            self.taken.map(|_| pause).ok_or(RetryLimit::Budget)
        });
        self.ended_by = pause.err();
        pause.ok()
    }

    /// Records an error that is followed by another attempt.
    pub(crate) fn remember(&mut self, error: Error) {
        self.previous = None;
        match RetryClass::may_have_taken_effect(&error) {
            true => self.unclear = Some(error),
            false => self.previous = Some(error),
        }
    }

    /// The error to return after the last attempt.
    pub(crate) fn final_error(self, error: Error) -> Error {
        let is_unclear = self.is_unclear();
        let error = match self.unclear {
            Some(unclear) if self.repeat.may_be_self_inflicted(&error) => {
                unclear.with_attempts(self.count)
            }
            // The reason why the time ran out.
            unclear if matches!(error.kind(), ErrorKind::TimedOut { .. }) => {
                match self.previous.or(unclear) {
                    Some(previous) => error.with_source(previous),
                    None => error,
                }
            }
            _ => error,
        };
        let effect = RetryClass::effect(&error, self.repeat.is_write(), is_unclear);
        let error = error.with_effect(effect);
        match self.ended_by {
            Some(limit) => error.with_retry_limit(limit),
            None => error,
        }
    }
}
