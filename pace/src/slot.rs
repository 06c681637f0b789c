//! A place in the limit of a priority level, which a request has from its start to the end of its response.

use crate::response::{self, Outcome};
use crate::shape::Shape;
use crate::shared::Shared;
use http::StatusCode;
use http::header::HeaderMap;
use std::sync::Arc;
use tokio::time::Instant;

/// A place, which is free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    shared: Arc<Shared>,
    request: Started,
    /// The place after the head of the response.
    held: Option<Hold>,
}

impl Slot {
    pub(crate) fn new(shared: Arc<Shared>, shape: Shape, place: Place) -> Self {
        Self {
            shared,
            request: Started {
                shape,
                place,
                at: Instant::now(),
            },
            held: None,
        }
    }

    /// The head of the response has arrived.
    pub(crate) fn respond(&mut self, status: StatusCode, headers: &HeaderMap) {
        if let Some(level) = response::level(status, headers) {
            let request = &mut self.request;
            request.place.key = self.shared.learn(&request.shape, &request.place.key, level);
        }
        let outcome = Outcome::of(status, headers);
        self.held = Some(self.shared.observe(&self.request, outcome));
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.held {
            Some(held) => self.shared.end(&self.request.place.key, held),
            None => {
                self.shared.observe_abandoned(&self.request);
                self.shared.release(&self.request.place);
            }
        }
    }
}

/// The group of requests that share a limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The UID of a priority level; empty for responses without one.
    Level(Arc<str>),
    /// Requests of a shape whose level is not known yet.
    Unknown(Arc<str>),
}

/// A place in the limit of a group.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) key: Key,
    /// Whether it was the last one.
    pub(crate) is_last: bool,
}

/// A place that becomes free at a time: the time, and a number.
pub(crate) type Hold = (Instant, u64);

/// A request that has a place.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) shape: Shape,
    pub(crate) place: Place,
    pub(crate) at: Instant,
}
