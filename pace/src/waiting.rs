//! A request that waits for a place.

use crate::class::Class;
use crate::queue::Waiter;
use crate::shape::Shape;
use crate::shared::{Granted, LONGEST_READ, Shared};
use crate::slot::Place;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A request that waits, and leaves the queue when it is dropped.
struct Waiting<'a> {
    shared: &'a Shared,
    class: Class,
    id: u64,
    begin: Instant,
    granted: oneshot::Receiver<Place>,
}

impl Shared {
    /// Waits for a place. Cancel safe.
    pub(crate) async fn place(&self, shape: &Shape, class: &Class) -> Place {
        let mut waiting = {
            let mut state = self.lock();
            let key = state.key(shape);
            let now = Instant::now();
            let level = state.level(&key, self.settings);
            if let Some(place) = level.take(now, &key) {
                return place;
            }
            state.number += 1;
            let id = state.number;
            let (grant, granted) = oneshot::channel();
            let class = class.clone();
            state.level(&key, self.settings).queue.push(Waiter {
                id,
                class: class.clone(),
                grant,
            });
            state.waits.insert(id, key);
            Waiting {
                shared: self,
                class,
                id,
                begin: now,
                granted,
            }
        };
        waiting.granted().await
    }
}

impl Waiting<'_> {
    async fn granted(&mut self) -> Place {
        loop {
            // Before the look at the level, so that no notification is lost.
            let changed = self.shared.waits_for_time.notified();
            let event = self.advance();
            let time = tokio::time::sleep_until(event);
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

    /// Grants the places that became free with time, and returns the time of the next look.
    fn advance(&self) -> Instant {
        let mut granted = Granted::new();
        let now = Instant::now();
        // Bodies that begin during the wait and are not read notify nobody, and other requests may never end.
        let mut event = now + LONGEST_READ;
        {
            let mut guard = self.shared.lock();
            let state = &mut *guard;
            // Not the level of the shape, which may have changed while the request waits.
            let key = state.waits.get(&self.id);
            if let Some(key) = key
                && let Some(level) = state.levels.get_mut(key)
            {
                level.grant(now, key, &mut granted);
                event = level.next_event().map_or(event, |next| next.min(event));
            }
        }
        self.shared.send(granted);
        event
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let is_out = {
            let mut state = self.shared.lock();
            let key = state.waits.remove(&self.id);
            let level = key.and_then(|key| state.levels.get_mut(&key));
            level.is_some_and(|level| {
                level.waited += self.begin.elapsed();
                level.queue.remove(self.id, &self.class).is_some()
            })
        };
        self.granted.close();
        if !is_out && let Ok(place) = self.granted.try_recv() {
            self.shared.release(&place);
        }
    }
}
