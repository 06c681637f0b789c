//! The place of a request, from its start to the end of its response.

use crate::level::{Hold, Place};
use crate::shape::Shape;
use crate::shared::Shared;
use http::StatusCode;
use http::header::{HeaderMap, RETRY_AFTER};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

const LEVEL: &str = "x-kubernetes-pf-prioritylevel-uid";
/// A rejection without `Retry-After`.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_secs(1);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// A place, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    shared: Arc<Shared>,
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    pub(crate) started: Instant,
    /// The place after the head of the response.
    held: Option<Hold>,
}

/// The effect of a response on the limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The latency says something.
    Served,
    /// With the time until the next attempt.
    Rejected(Duration),
    /// Failures take another time than successes.
    Failed,
}

impl Slot {
    pub(crate) fn new(shared: Arc<Shared>, shape: Shape, place: Place) -> Self {
        Self {
            shared,
            shape,
            place,
            started: Instant::now(),
            held: None,
        }
    }

    /// The head of the response has arrived.
    pub(crate) fn respond(&mut self, status: StatusCode, headers: &HeaderMap) {
        let outcome = outcome(status, headers);
        if let Some(level) = level(status, headers) {
            self.place.key = self.shared.learn(&self.shape, &self.place.key, level);
        }
        self.held = Some(self.shared.observe(self, outcome));
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.held {
            Some(held) => self.shared.end(&self.place.key, held),
            None => {
                self.shared.observe_abandoned(self);
                self.shared.release(&self.place);
            }
        }
    }
}

/// The UID of the level; empty for a server without flow control, and `None` for responses from before flow control.
fn level(status: StatusCode, headers: &HeaderMap) -> Option<&str> {
    match headers.get(LEVEL) {
        Some(uid) => uid.to_str().ok(),
        None if status.is_success() => Some(""),
        None => None,
    }
}

fn outcome(status: StatusCode, headers: &HeaderMap) -> Outcome {
    let after = headers.get(RETRY_AFTER).and_then(|value| {
        let seconds = value.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds).min(LONGEST_RETRY_AFTER))
    });
    match (status, after) {
        (StatusCode::TOO_MANY_REQUESTS, after) => {
            Outcome::Rejected(after.unwrap_or(DEFAULT_RETRY_AFTER))
        }
        (StatusCode::SERVICE_UNAVAILABLE, Some(after)) => Outcome::Rejected(after),
        (status, _) if status.is_success() => Outcome::Served,
        _ => Outcome::Failed,
    }
}
