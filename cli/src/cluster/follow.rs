//! Following the changes of objects, across lost connections.

use super::live::{Live, with_api};
use super::target::Target;
use super::tree::{name, tree};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::watch::WatcherEvent;
use k8s_flowcontrol::{ApiVersion, Error, Kind};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use tokio::sync::mpsc;

/// The changes of several targets in the order in which they arrive.
pub(crate) struct Follow {
    changes: mpsc::Receiver<Change>,
    /// The targets whose existing objects were not all received yet.
    pending: usize,
    seen: BTreeMap<(Kind, String), Value>,
}

/// A change of an object.
pub(crate) struct Followed {
    /// ADDED, MODIFIED or DELETED.
    pub(crate) event: &'static str,
    pub(crate) kind: Kind,
    pub(crate) old: Option<Value>,
    pub(crate) object: Value,
    /// Whether the existing objects of some target are still being received.
    pub(crate) is_beginning: bool,
}

/// A message of a watch.
enum Change {
    /// All existing objects were received.
    Ready,
    /// An object exists, with this content.
    Is(Kind, Value),
    /// An object was deleted.
    Gone(Kind, String),
    /// An error, after which the watch continues.
    Trouble(Error),
}

impl Follow {
    /// Begins with the existing objects of the targets.
    pub(crate) fn begin(live: &Live, targets: Vec<Target>, labels: Option<&str>) -> Self {
        let (sender, changes) = mpsc::channel(64);
        let pending = targets.len();
        for target in targets {
            follow(live, target, labels.map(str::to_owned), sender.clone());
        }
        Self {
            changes,
            pending,
            seen: BTreeMap::new(),
        }
    }

    /// The next change. Errors that pass are printed.
    ///
    /// # Errors
    /// If an error persists without a change by the user.
    pub(crate) async fn next(
        &mut self,
        streams: &mut Streams,
    ) -> Result<Option<Followed>, Failure> {
        while let Some(change) = self.changes.recv().await {
            let followed = match change {
                Change::Ready => {
                    self.pending = self.pending.saturating_sub(1);
                    None
                }
                Change::Is(kind, object) => self.changed(kind, object),
                Change::Gone(kind, name) => {
                    let old = self.seen.remove(&(kind, name));
                    old.map(|object| self.followed("DELETED", kind, None, object))
                }
                Change::Trouble(error) if is_permanent(&error) => return Err(error.into()),
                Change::Trouble(error) => {
                    writeln!(streams.err, "{error}; trying again")?;
                    None
                }
            };
            if followed.is_some() {
                return Ok(followed);
            }
        }
        Ok(None)
    }

    /// The change of an object since its last state; none if it is equal.
    fn changed(&mut self, kind: Kind, object: Value) -> Option<Followed> {
        let key = (kind, name(&object).to_owned());
        let old = self.seen.insert(key, object.clone());
        let event = match &old {
            None => "ADDED",
            Some(old) if *old == object => return None,
            Some(_) => "MODIFIED",
        };
        Some(self.followed(event, kind, old, object))
    }

    fn followed(
        &self,
        event: &'static str,
        kind: Kind,
        old: Option<Value>,
        object: Value,
    ) -> Followed {
        Followed {
            event,
            kind,
            old,
            object,
            is_beginning: self.pending > 0,
        }
    }
}

/// Whether an error persists without a change by the user.
fn is_permanent(error: &Error) -> bool {
    error.is_forbidden()
        || error.is_unauthorized()
        || error.is_not_found()
        || error.is_version_not_served()
        || error.is_bad_request()
}

/// Watches objects of a kind in a task, which ends with the receiver.
fn follow(live: &Live, target: Target, labels: Option<String>, sender: mpsc::Sender<Change>) {
    let kind = target.kind;
    with_api!(live, kind, api => {
        let mut watcher = api.watcher();
        if let Some(labels) = labels {
            watcher = watcher.label_selector(labels);
        }
        if let Some(name) = target.name {
            watcher = watcher.field_selector(format!("metadata.name={name}"));
        }
        tokio::spawn(async move {
            loop {
                let changes = match watcher.next().await {
                    Ok(WatcherEvent::ListItem { object, .. } | WatcherEvent::Applied { object, .. }) => {
                        vec![Change::Is(kind, tree(&object))]
                    }
                    Ok(WatcherEvent::Deleted { object, .. }) => {
                        vec![Change::Gone(kind, name(&tree(&object)).to_owned())]
                    }
                    Ok(WatcherEvent::ListEnd { disappeared, .. }) => {
                        let gone = disappeared.iter().map(|key| Change::Gone(kind, key.name().to_owned()));
                        gone.chain([Change::Ready]).collect()
                    }
                    Ok(_) => Vec::new(),
                    Err(error) => vec![Change::Trouble(error)],
                };
                for change in changes {
                    if sender.send(change).await.is_err() {
                        return;
                    }
                }
            }
        });
    });
}
