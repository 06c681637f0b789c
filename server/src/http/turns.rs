//! The turns of long work.

use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The most requests with long work that are worked on at once; the others wait in order. More would only wait for each
/// other's locks.
const AT_ONCE: usize = 2;

/// The turns of long work.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Waits for a turn, which lasts until the result is dropped.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        self.0.clone().acquire_owned().await.ok()
    }
}
