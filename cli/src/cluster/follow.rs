//! Following the changes of objects, across lost connections.

use super::live::Live;
use super::target::Target;
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::watch::{Store, StoreEvent, Subscription};
use k8s_flowcontrol::{DynamicObject, Kind};
use serde_json::Value;
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io::Write;
use std::pin::pin;
use std::task::Poll;

/// The changes of several targets in the order in which they arrive.
pub(crate) struct Follow {
    stores: Vec<(Kind, Subscription<DynamicObject>)>,
    /// The objects of a snapshot that were not returned yet.
    existing: VecDeque<Followed>,
}

/// A change of an object.
pub(crate) struct Followed {
    /// ADDED, MODIFIED or DELETED.
    pub(crate) event: &'static str,
    pub(crate) kind: Kind,
    pub(crate) old: Option<Value>,
    pub(crate) object: Value,
    /// Whether the object existed at the beginning.
    pub(crate) is_beginning: bool,
}

impl Follow {
    /// Begins with the existing objects of the targets.
    pub(crate) fn begin(live: &Live, targets: Vec<Target>, labels: Option<&str>) -> Self {
        let follow = |target: Target| {
            let mut watcher = live.objects(target.kind).watcher();
            if let Some(labels) = labels {
                watcher = watcher.label_selector(labels);
            }
            if let Some(name) = target.name {
                watcher = watcher.field_selector(format!("metadata.name={name}"));
            }
            (target.kind, Store::start(watcher).subscribe().with_errors())
        };
        Self {
            stores: targets.into_iter().map(follow).collect(),
            existing: VecDeque::new(),
        }
    }

    /// The next change. Errors that pass are printed.
    /// Errors: if an error persists without a change by the user.
    pub(crate) async fn next(
        &mut self,
        streams: &mut Streams,
    ) -> Result<Option<Followed>, Failure> {
        loop {
            if let Some(existing) = self.existing.pop_front() {
                return Ok(Some(existing));
            }
            let Some((kind, event)) = self.event().await else {
                return Ok(None);
            };
            let (event, old, object) = match event {
                StoreEvent::Snapshot(all) => {
                    let is_beginning = all.missed == 0;
                    if !is_beginning {
                        let missed = all.missed;
                        writeln!(
                            streams.err,
                            "{missed} changes were missed, all objects follow"
                        )?;
                    }
                    let objects = all.objects.iter().map(|object| Followed {
                        event: "ADDED",
                        kind,
                        old: None,
                        object: object.tree(),
                        is_beginning,
                    });
                    self.existing.extend(objects);
                    continue;
                }
                StoreEvent::Added { object, .. } => ("ADDED", None, object),
                StoreEvent::Modified { old, new, .. } => ("MODIFIED", Some(old.tree()), new),
                StoreEvent::Deleted { object } => ("DELETED", None, object),
                StoreEvent::Failed { error } if error.is_permanent() => {
                    return Err(Failure::from(&*error));
                }
                StoreEvent::Failed { error } => {
                    writeln!(streams.err, "{error}; trying again")?;
                    continue;
                }
                _ => continue,
            };
            return Ok(Some(Followed {
                event,
                kind,
                old,
                object: object.tree(),
                is_beginning: false,
            }));
        }
    }

    /// The next event of any store.
    async fn event(&mut self) -> Option<(Kind, StoreEvent<DynamicObject>)> {
        poll_fn(|cx| {
            for (kind, store) in &mut self.stores {
                if let Poll::Ready(event) = pin!(store.next()).poll(cx) {
                    return Poll::Ready(event.map(|event| (*kind, event)));
                }
            }
            Poll::Pending
        })
        .await
    }
}
