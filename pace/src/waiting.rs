//! A request that waits for a place.

use crate::class::Class;
use crate::level::Place;
use crate::shape::Shape;
use crate::shared::{Granted, Shared};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A request that waits, and leaves the queue when it is dropped.
pub(crate) struct Waiting<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) shape: &'a Shape,
    pub(crate) class: Class,
    pub(crate) id: u64,
    pub(crate) granted: oneshot::Receiver<Place>,
}

impl Waiting<'_> {
    pub(crate) async fn granted(&mut self) -> Place {
        loop {
            // Before the look at the level, so that no notification is lost.
            let changed = self.shared.waits_for_time.notified();
            let event = self.advance();
            let time = async {
                match event {
                    Some(event) => tokio::time::sleep_until(event).await,
                    None => std::future::pending().await,
                }
            };
            let place = tokio::select! {
                biased;
                place = &mut self.granted => place,
                () = changed => continue,
                () = time => continue,
            };
            // The sender is in a queue until it is used.
            if let Ok(place) = place {
                return place;
            }
        }
    }

    /// Grants the places that became free with time, and returns the time of the next one.
    fn advance(&self) -> Option<Instant> {
        let mut granted = Granted::new();
        let event = {
            let mut state = self.shared.lock();
            let key = state.key(self.shape);
            let level = state.levels.get_mut(&key)?;
            level.grant(Instant::now(), &key, &mut granted);
            level.next_event()
        };
        self.shared.send(granted);
        event
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let is_out = {
            let mut state = self.shared.lock();
            let mut levels = state.levels.values_mut();
            levels.any(|level| level.queue.remove(self.id, &self.class).is_some())
        };
        self.granted.close();
        if !is_out && let Ok(place) = self.granted.try_recv() {
            self.shared.release(&place);
        }
    }
}
