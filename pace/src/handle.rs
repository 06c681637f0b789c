//! The handle: settings, priorities, callers, metrics, and sending a request.

use crate::body::PacedBody;
use crate::class::{Class, Priority};
use crate::limit::Settings;
use crate::random::Random;
use crate::shape::Shape;
use crate::shared::Shared;
use crate::slot::Slot;
use crate::snapshot::LevelSnapshot;
use std::future::Future;
use std::sync::Arc;

/// Adaptive limits of requests in flight, one for each priority level of one server.
///
/// Clones share the limits. It is a tower [`Layer`](tower_layer::Layer); [`send`](Self::send) serves other clients. Programs that talk
/// to several servers need one for each. It runs within a tokio runtime with timers.
#[derive(Clone, Debug)]
pub struct Pace {
    pub(crate) shared: Arc<Shared>,
    class: Class,
}

/// Settings of a [`Pace`], each with a default.
#[derive(Clone, Debug)]
pub struct Builder {
    settings: Settings,
    seed: Option<u64>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            settings: Settings {
                max: 1000.0,
                tolerance: 0.25,
            },
            seed: None,
        }
    }
}

impl Builder {
    /// The maximum number of requests in flight for each level. Defaults to 1000; at least 1.
    #[must_use]
    pub fn max_limit(mut self, requests: u32) -> Self {
        self.settings.max = f64::from(requests.max(1));
        self
    }

    /// The part of its latency that a request may wait on the server, for a limit of 1; half of it for large limits. A higher value
    /// keeps the seats busier and lets others wait longer. Defaults to 0.25; from 0.05 to 10.
    #[must_use]
    pub fn tolerance(mut self, part: f64) -> Self {
        // A NaN stays the default.
        if !part.is_nan() {
            self.settings.tolerance = part.clamp(0.05, 10.0);
        }
        self
    }

    /// Makes the jitter the same in each run, for tests.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The limits with these settings.
    pub fn build(self) -> Pace {
        Pace {
            shared: Arc::new(Shared::new(self.settings, Random::new(self.seed))),
            class: Class::default(),
        }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self::new()
    }
}

impl Pace {
    /// The limits with default settings.
    pub fn new() -> Self {
        Self::builder().build()
    }

    /// Settings, each with a default.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// The same limits, for requests of a priority.
    #[must_use]
    pub fn with_priority(mut self, priority: Priority) -> Self {
        self.class.priority = priority;
        self
    }

    /// The same limits, for requests of a part of the program, such as a controller. Callers take turns while they wait, so that
    /// one with many requests does not delay the others.
    #[must_use]
    pub fn with_caller(mut self, name: impl AsRef<str>) -> Self {
        self.class.caller = name.as_ref().into();
        self
    }

    /// Removes the limit of a level, by the UID of the level `exempt`. By default only the group `system:masters` and the server's
    /// probes are exempt.
    pub fn exempt(&self, priority_level_uid: impl AsRef<str>) {
        self.shared.exempt(priority_level_uid.as_ref());
    }

    /// The state of all levels that are known, in the order of their UIDs.
    pub fn snapshot(&self) -> Vec<LevelSnapshot> {
        self.shared.snapshot()
    }

    /// Waits for a place, sends a request, and learns from the response. Dropping the future gives the place back.
    ///
    /// Watches and other requests that stay open are sent at once. A [`Priority`] in the extensions of the request replaces
    /// that of this handle.
    ///
    /// # Errors
    /// The error of `send`, unchanged.
    pub async fn send<B, C, E, F>(
        &self,
        request: http::Request<B>,
        send: impl FnOnce(http::Request<B>) -> F,
    ) -> Result<http::Response<PacedBody<C>>, E>
    where
        F: Future<Output = Result<http::Response<C>, E>>,
    {
        let (parts, body) = request.into_parts();
        let shape = Shape::of(&parts);
        let mut class = self.class.clone();
        if let Some(priority) = parts.extensions.get::<Priority>() {
            class.priority = *priority;
        }
        let request = http::Request::from_parts(parts, body);
        let mut slot = None;
        if !shape.is_long_running {
            let place = self.shared.place(&shape, &class).await;
            slot = Some(Slot::new(self.shared.clone(), shape, place));
        }
        let response = send(request).await?;
        let (parts, body) = response.into_parts();
        if let Some(slot) = &mut slot {
            slot.respond(parts.status, &parts.headers);
        }
        Ok(http::Response::from_parts(
            parts,
            PacedBody::new(body, slot),
        ))
    }
}
