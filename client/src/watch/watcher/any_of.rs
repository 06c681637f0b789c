//! The events of several selections as one stream.

use super::event::WatcherEvent;
use super::invalid_states::InvalidStates;
use super::matches::{Change, Matches};
use super::source::{Received, Source};
use crate::Resource;
use crate::response::decode::Decoded;
use crate::watch::key::ObjectKey;
use k8s_flowcontrol_types::order;
use std::collections::HashSet;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::time::{Instant, Sleep, sleep_until};

pub(super) struct AnyOf<K: Resource> {
    sources: Vec<Source<K>>,
    matches: Matches<K>,
    invalid: InvalidStates,
    /// Set during a list; all sources list together.
    list: Option<Listing>,
    /// The source to poll first, in turn, so that a busy one does not starve the others.
    first: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

struct Listing {
    /// Whether its beginning was reported.
    is_reported: bool,
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
        let first_list = Listing {
            is_reported: false,
            before: HashSet::new(),
            phases: vec![Phase::Requested; sources.len()],
        };
        Self {
            sources,
            matches: Matches::new(),
            invalid: InvalidStates::default(),
            list: Some(first_list),
            first: 0,
            timer: None,
        }
    }

    /// The next event, and the number of its source.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<(usize, Received<K>)> {
        loop {
            if let Some(event) = self.next_pending() {
                return Poll::Ready((0, Received::Event(event)));
            }
            let Some((source, received)) = self.poll_sources(cx) else {
                if self.poll_timer(cx).is_pending() {
                    return Poll::Pending;
                }
                continue;
            };
            let (merged, otherwise) = match received {
                Received::Event(event) => (self.merge(source, event), Received::Recovered),
                received @ Received::Failed(_) => return Poll::Ready((source, received)),
                received => (self.advanced(), received),
            };
            return Poll::Ready((source, merged.map_or(otherwise, Received::Event)));
        }
    }

    /// Whether the last failure of a source is not over.
    pub(super) fn is_degraded(&self, source: usize) -> bool {
        self.sources.get(source).is_some_and(Source::is_degraded)
    }

    fn poll_sources(&mut self, cx: &mut Context<'_>) -> Option<(usize, Received<K>)> {
        let count = self.sources.len();
        for offset in 0..count {
            let index = (self.first + offset) % count;
            if self.has_listed(index) {
                continue;
            }
            if let Poll::Ready(received) = self.sources.get_mut(index)?.poll(cx) {
                self.first = (index + 1) % count;
                return Some((index, received));
            }
        }
        None
    }

    /// Whether a source waits for the lists of the others. A watch that fails leads to another list of all sources: were
    /// it to begin before, a long list might never end.
    fn has_listed(&self, source: usize) -> bool {
        let list = self.list.as_ref();
        list.is_some_and(|list| list.phases.get(source) == Some(&Phase::Ended))
    }

    /// Ready when a change has waited long enough.
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

    /// The next event of a change that had to wait.
    fn next_pending(&mut self) -> Option<WatcherEvent<K>> {
        if !self.matches.has_pending() {
            return None;
        }
        let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
        let change = self.matches.next(&reached, Instant::now())?;
        Some(match change {
            Change::Applied(object) => self.applied(object),
            Change::Deleted(Decoded {
                value: object,
                losses,
            }) => WatcherEvent::Deleted { object, losses },
        })
    }

    fn applied(&self, object: Decoded<K>) -> WatcherEvent<K> {
        let Decoded {
            value: object,
            losses,
        } = object;
        match self.list {
            Some(_) => WatcherEvent::ListItem { object, losses },
            None => WatcherEvent::Applied { object, losses },
        }
    }

    /// The event to report after the resource version of a source has advanced, if any.
    fn advanced(&mut self) -> Option<WatcherEvent<K>> {
        let reached: Vec<_> = self.sources.iter().map(Source::version).collect();
        let has_too_many = self.matches.forget_deleted(&reached);
        has_too_many.then(|| self.begin_list(None))
    }

    /// The event to report after an event of a source, if any.
    fn merge(&mut self, source: usize, event: WatcherEvent<K>) -> Option<WatcherEvent<K>> {
        match event {
            WatcherEvent::Invalid { object, is_deleted } => {
                let is_new = self.invalid.note(&object.metadata, is_deleted);
                self.matches
                    .unreport(&ObjectKey::of_metadata(&object.metadata));
                is_new.then_some(WatcherEvent::Invalid { object, is_deleted })
            }
            WatcherEvent::ListBegin => match &mut self.list {
                Some(list) if list.phases.get(source) == Some(&Phase::Requested) => {
                    set(&mut list.phases, source, Phase::Begun);
                    let is_first = !std::mem::replace(&mut list.is_reported, true);
                    is_first.then_some(WatcherEvent::ListBegin)
                }
                _ => Some(self.begin_list(Some(source))),
            },
            WatcherEvent::ListEnd { .. } => self.end_list(source),
            WatcherEvent::ListItem {
                object: value,
                losses,
            }
            | WatcherEvent::Applied {
                object: value,
                losses,
            } => {
                let object = Decoded { value, losses };
                let new = self.matches.applied(source, object, Instant::now());
                new.map(|object| self.applied(object))
            }
            WatcherEvent::Deleted {
                object: value,
                losses,
            } => {
                let object = Decoded { value, losses };
                self.matches.deleted(source, object, Instant::now());
                None
            }
        }
    }

    /// Makes all sources list again, except `begun`, which has just begun its list.
    fn begin_list(&mut self, begun: Option<usize>) -> WatcherEvent<K> {
        self.invalid = InvalidStates::default();
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
        self.list = Some(Listing {
            is_reported: true,
            before,
            phases,
        });
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
