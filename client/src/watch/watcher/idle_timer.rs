//! The time for which a connection may be silent.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

pub(super) struct IdleTimer {
    timeout: Duration,
    timer: Pin<Box<Sleep>>,
    /// Something was received since the timer was set.
    received: bool,
}

impl IdleTimer {
    pub(super) fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            timer: Box::pin(sleep(timeout)),
            received: false,
        }
    }

    /// Something was received: the time starts again.
    pub(super) fn restart(&mut self) {
        self.received = true;
    }

    /// Ready when nothing was received for too long.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Set once per silence, not per event: setting a timer is not free.
        if std::mem::take(&mut self.received)
            && let Some(deadline) = Instant::now().checked_add(self.timeout)
        {
            self.timer.as_mut().reset(deadline);
        }
        self.timer.as_mut().poll(cx)
    }
}
