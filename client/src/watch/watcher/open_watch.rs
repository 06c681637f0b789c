//! An open watch with its timers.

use crate::stream::{WatchEvent, WatchStream};
use crate::{Error, Resource};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

pub(super) struct OpenWatch<K: Resource> {
    stream: WatchStream<K>,
    idle: IdleTimer,
    /// When the request was sent, since some proxies send the head of the response with the first event; or when a
    /// streaming list ended.
    since: Instant,
    alarm: Option<Pin<Box<Sleep>>>,
}

pub(super) enum Polled<K> {
    Event(WatchEvent<K>),
    Failed(Error),
    Ended,
    /// Nothing was received for too long.
    Silent,
    /// The time of [`OpenWatch::set_alarm`] has come.
    Alarm,
}

impl<K: Resource> OpenWatch<K> {
    pub(super) fn new(stream: WatchStream<K>, idle_timeout: Duration, since: Instant) -> Self {
        Self {
            stream,
            idle: IdleTimer::new(idle_timeout),
            since,
            alarm: None,
        }
    }

    /// The time since the request was sent, or since a streaming list ended.
    pub(super) fn lived(&self) -> Duration {
        self.since.elapsed()
    }

    /// The streaming list has ended, and the watch begins.
    pub(super) fn begin_watch(&mut self) {
        self.since = Instant::now();
        self.alarm = None;
    }

    /// Ends a poll with [`Polled::Alarm`], once, when the watch has lived this long.
    pub(super) fn set_alarm(&mut self, after: Duration) {
        let deadline = self.since.checked_add(after);
        self.alarm = deadline.map(|deadline| Box::pin(sleep_until(deadline)));
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Polled<K>> {
        // Before the events, which may never stop.
        if let Some(alarm) = &mut self.alarm
            && alarm.as_mut().poll(cx).is_ready()
        {
            self.alarm = None;
            return Poll::Ready(Polled::Alarm);
        }
        match self.stream.poll(cx) {
            Poll::Ready(Some(Ok(event))) => {
                self.idle.restart();
                Poll::Ready(Polled::Event(event))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Polled::Failed(error)),
            Poll::Ready(None) => Poll::Ready(Polled::Ended),
            Poll::Pending => self.idle.poll(cx).map(|()| Polled::Silent),
        }
    }
}

struct IdleTimer {
    timeout: Duration,
    timer: Pin<Box<Sleep>>,
    /// Something was received since the timer was set.
    received: bool,
}

impl IdleTimer {
    fn new(timeout: Duration) -> Self {
        Self {
            timeout,
            timer: Box::pin(sleep(timeout)),
            received: false,
        }
    }

    /// Something was received: the time starts again.
    fn restart(&mut self) {
        self.received = true;
    }

    /// Ready when nothing was received for too long.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Set once per silence, not per event: setting a timer is not free.
        if std::mem::take(&mut self.received)
            && let Some(deadline) = Instant::now().checked_add(self.timeout)
        {
            self.timer.as_mut().reset(deadline);
        }
        self.timer.as_mut().poll(cx)
    }
}
