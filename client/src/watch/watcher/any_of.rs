//! The events of several selections as one stream.

use super::event::WatcherEvent;
use super::matches::Matches;
use super::source::Source;
use crate::client::Decoded;
use crate::watch::key::ObjectKey;
use crate::{Error, Resource};
use k8s_flowcontrol_types::order;
use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

pub(super) struct AnyOf<K: Resource> {
    sources: Vec<Source<K>>,
    matches: Matches<K>,
    /// Set during a list; all sources list together.
    list: Option<Listing>,
    /// The source to poll first, in turn, so that a busy one does not starve the others.
    first: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

struct Listing {
    /// The objects that were reported before.
    before: HashSet<ObjectKey>,
    /// One per source.
    phases: Vec<Phase>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Requested,
    Begun,
    Ended,
}

impl<K: Resource> AnyOf<K> {
    pub(super) fn new(sources: Vec<Source<K>>) -> Self {
        Self {
            sources,
            matches: Matches::new(),
            list: None,
            first: 0,
            timer: None,
        }
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<WatcherEvent<K>, Error>> {
        loop {
            if let Some(deleted) = self.next_deletion() {
                return Poll::Ready(Ok(WatcherEvent::Deleted {
                    object: deleted.value,
                    losses: deleted.losses,
                }));
            }
            let Some((source, event)) = self.poll_sources(cx) else {
                if self.poll_timer(cx).is_pending() {
                    return Poll::Pending;
                }
                continue;
            };
            if let Some(event) = self.merge(source, event?) {
                return Poll::Ready(Ok(event));
            }
        }
    }

    #[allow(clippy::type_complexity)]
    fn poll_sources(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Option<(usize, Result<Option<WatcherEvent<K>>, Error>)> {
        let count = self.sources.len();
        for offset in 0..count {
            let index = (self.first + offset) % count;
            if let Poll::Ready(event) = self.sources.get_mut(index)?.poll(cx) {
                self.first = (index + 1) % count;
                return Some((index, event));
            }
        }
        None
    }

    /// Ready when a deletion has waited long enough.
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.matches.next_deadline() else {
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

    fn next_deletion(&mut self) -> Option<Decoded<K>> {
        self.matches.next_deadline()?;
        let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
        self.matches.next_deletion(&reached, Instant::now())
    }

    /// The event to report after an event of a source, if any.
    fn merge(&mut self, source: usize, event: Option<WatcherEvent<K>>) -> Option<WatcherEvent<K>> {
        let Some(event) = event else {
            let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
            let has_too_many = self.matches.forget_deleted(&reached);
            return has_too_many.then(|| self.begin_list(None));
        };
        match event {
            WatcherEvent::ListBegin => match &mut self.list {
                Some(Listing { phases, .. }) if phases.get(source) == Some(&Phase::Requested) => {
                    set(phases, source, Phase::Begun);
                    None
                }
                _ => Some(self.begin_list(Some(source))),
            },
            WatcherEvent::ListEnd { .. } => self.end_list(source),
            WatcherEvent::ListItem { object, losses }
            | WatcherEvent::Applied { object, losses } => {
                let is_new = self.matches.applied(source, &object);
                is_new.then(|| match self.list {
                    Some(_) => WatcherEvent::ListItem { object, losses },
                    None => WatcherEvent::Applied { object, losses },
                })
            }
            WatcherEvent::Deleted { object, losses } => {
                let value = object;
                let deleted = Decoded { value, losses };
                self.matches.deleted(source, deleted, Instant::now());
                None
            }
        }
    }

    /// Makes all sources list again, except `begun`, which has just begun its list.
    fn begin_list(&mut self, begun: Option<usize>) -> WatcherEvent<K> {
        let mut before = self.list.take().map(|list| list.before).unwrap_or_default();
        before.extend(self.matches.clear());
        let mut phases = vec![Phase::Requested; self.sources.len()];
        if let Some(source) = begun {
            set(&mut phases, source, Phase::Begun);
        }
        for (index, other) in self.sources.iter_mut().enumerate() {
            if Some(index) != begun {
                other.relist();
            }
        }
        self.list = Some(Listing { before, phases });
        WatcherEvent::ListBegin
    }

    /// A source has ended its list; the list ends with the last one.
    fn end_list(&mut self, source: usize) -> Option<WatcherEvent<K>> {
        let phases = &mut self.list.as_mut()?.phases;
        set(phases, source, Phase::Ended);
        if phases.iter().any(|phase| *phase != Phase::Ended) {
            return None;
        }
        let before = self.list.take()?.before.into_iter();
        let disappeared = before.filter(|key| !self.matches.is_reported(key));
        let mut disappeared: Vec<ObjectKey> = disappeared.collect();
        order::sort_by(&mut disappeared, Ord::cmp);
        Some(WatcherEvent::ListEnd { disappeared })
    }
}

fn set(phases: &mut [Phase], source: usize, phase: Phase) {
    if let Some(current) = phases.get_mut(source) {
        *current = phase;
    }
}
