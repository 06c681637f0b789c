//! Several selections as one.

use super::WatcherEvent;
use super::holders::Holders;
use super::source::{Signal, Source};
use crate::watch::ObjectKey;
use crate::{Error, Resource};
use k8s_flowcontrol_types::order;
use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

pub(super) struct Union<K: Resource> {
    sources: Vec<Source<K>>,
    holders: Holders<K>,
    /// Set while a restart is under way: they restart together.
    restart: Option<Restart>,
    /// The source that is asked first, so that none is left out.
    first: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

struct Restart {
    /// What the consumer had been told of before.
    before: HashSet<ObjectKey>,
    /// Where each source is.
    phases: Vec<Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Asked,
    Begun,
    Ended,
}

impl<K: Resource> Union<K> {
    pub(super) fn new(sources: Vec<Source<K>>) -> Self {
        Self {
            sources,
            holders: Holders::new(),
            restart: None,
            first: 0,
            timer: None,
        }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<WatcherEvent<K>, Error>> {
        loop {
            if let Some(object) = self.due() {
                return Poll::Ready(Ok(WatcherEvent::Deleted(object)));
            }
            let Some((source, signal)) = self.poll_sources(cx) else {
                if self.poll_timer(cx).is_pending() {
                    return Poll::Pending;
                }
                continue;
            };
            if let Some(event) = self.told(source, signal).transpose() {
                return Poll::Ready(event);
            }
        }
    }

    fn poll_sources(&mut self, cx: &mut Context<'_>) -> Option<(usize, Signal<K>)> {
        let count = self.sources.len();
        for offset in 0..count {
            let index = (self.first + offset) % count;
            if let Poll::Ready(signal) = self.sources.get_mut(index)?.poll(cx) {
                self.first = (index + 1) % count;
                return Some((index, signal));
            }
        }
        None
    }

    /// Ready when a deletion has waited long enough.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.holders.next_deadline() else {
            self.timer = None;
            return Poll::Pending;
        };
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(cx)
    }

    fn due(&mut self) -> Option<K> {
        self.holders.next_deadline()?;
        let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
        self.holders.due(&reached, Instant::now())
    }

    /// What a signal of a source means.
    fn told(&mut self, source: usize, signal: Signal<K>) -> Result<Option<WatcherEvent<K>>, Error> {
        Ok(match signal {
            Signal::Trouble(error) => return Err(error),
            Signal::Progress => {
                let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
                if self.holders.forget(&reached) {
                    return Ok(Some(self.begin(None)));
                }
                None
            }
            Signal::Begin => match &mut self.restart {
                Some(Restart { phases, .. }) if phases.get(source) == Some(&Phase::Asked) => {
                    set(phases, source, Phase::Begun);
                    None
                }
                _ => Some(self.begin(Some(source))),
            },
            Signal::End => self.end(source),
            Signal::Item(object) | Signal::Applied(object) => {
                let object = self.holders.applied(source, object);
                object.map(match self.restart {
                    Some(_) => WatcherEvent::RestartItem,
                    None => WatcherEvent::Applied,
                })
            }
            Signal::Deleted(object) => {
                self.holders.deleted(source, object, Instant::now());
                None
            }
        })
    }

    /// Everything begins anew, except what `source` has just begun.
    fn begin(&mut self, source: Option<usize>) -> WatcherEvent<K> {
        let mut before = self
            .restart
            .take()
            .map(|restart| restart.before)
            .unwrap_or_default();
        before.extend(self.holders.restart());
        let mut phases = vec![Phase::Asked; self.sources.len()];
        if let Some(source) = source {
            set(&mut phases, source, Phase::Begun);
        }
        for (index, other) in self.sources.iter_mut().enumerate() {
            if Some(index) != source {
                other.restart();
            }
        }
        self.restart = Some(Restart { before, phases });
        WatcherEvent::RestartBegin
    }

    fn end(&mut self, source: usize) -> Option<WatcherEvent<K>> {
        let phases = &mut self.restart.as_mut()?.phases;
        set(phases, source, Phase::Ended);
        if phases.iter().any(|phase| *phase != Phase::Ended) {
            return None;
        }
        let before = self.restart.take()?.before;
        let gone = before.into_iter().filter(|key| !self.holders.is_told(key));
        let mut disappeared: Vec<ObjectKey> = gone.collect();
        order::sort_by(&mut disappeared, Ord::cmp);
        Some(WatcherEvent::RestartEnd { disappeared })
    }
}

fn set(phases: &mut [Phase], source: usize, phase: Phase) {
    if let Some(current) = phases.get_mut(source) {
        *current = phase;
    }
}
