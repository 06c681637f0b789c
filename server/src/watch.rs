//! The events of a watch.

use crate::kinds::{Kind, Version};
use crate::represent::{Columns, Include, View, partial, table, table_metadata};
use crate::selector::Selector;
use crate::status::{Failure, expired};
use crate::store::{Change, Object, edit_metadata};
use crate::texts::{Texts, deleted};
use crate::wire::Wire;
use k8s_flowcontrol_types::Fact;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The annotation of the bookmark that follows the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

#[derive(Serialize)]
struct Event<T> {
    r#type: &'static str,
    object: T,
}

/// An event that a watch selected.
#[derive(Debug)]
pub(crate) enum Selected {
    /// The type of the event, and the present object.
    Present(&'static str, Object),
    /// The object before, and the revision of its deletion.
    Deleted(Object, u64),
}

/// Writes the events of a watch in one version.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) kind: Kind,
    version: Version,
    selector: Selector,
    view: View,
    include: Include,
    /// Whether the columns of a table were sent; only the first event has them.
    columns_sent: AtomicBool,
}

impl Lines {
    pub(crate) fn new(
        kind: Kind,
        version: Version,
        selector: Selector,
        view: View,
        include: Include,
    ) -> Self {
        Self {
            kind,
            version,
            selector,
            view,
            include,
            columns_sent: AtomicBool::new(false),
        }
    }

    /// Writes the event of an initial object.
    pub(crate) fn initial(&self, object: &Object, texts: &Texts, text: &mut Vec<u8>) {
        if self.selector.matches(object) {
            self.write(&Selected::Present("ADDED", object.clone()), texts, text);
        }
    }

    /// The event of a change. An object is added when it enters the selection, and deleted when it leaves it.
    pub(crate) fn select(&self, change: &Change) -> Option<Selected> {
        if change.kind != self.kind.index {
            return None;
        }
        let selected = |object: &&Object| self.selector.matches(object);
        let before = change.before.as_ref().filter(selected);
        let after = change.after.as_ref().filter(selected);
        Some(match (before, after) {
            (None, None) => return None,
            (None, Some(after)) => Selected::Present("ADDED", after.clone()),
            (Some(_), Some(after)) => Selected::Present("MODIFIED", after.clone()),
            (Some(before), None) => Selected::Deleted(before.clone(), change.revision),
        })
    }

    /// Writes an event. Whole objects are written once for all watches of a version.
    pub(crate) fn write(&self, event: &Selected, texts: &Texts, text: &mut Vec<u8>) {
        let (kind, version) = (&self.kind, self.version);
        if let View::Table(_) | View::Partial(_) = self.view {
            let line = match event {
                Selected::Present(r#type, object) => self.object(r#type, object),
                Selected::Deleted(object, revision) => {
                    self.object("DELETED", &Arc::new(deleted(object, *revision)))
                }
            };
            text.extend(line);
            return;
        }
        let (r#type, object) = match event {
            Selected::Present(r#type, object) => (*r#type, texts.of(object, kind, version)),
            Selected::Deleted(object, revision) => {
                let object = texts.of_deleted(object, *revision, kind, version);
                ("DELETED", object)
            }
        };
        text.reserve(object.len() + 64);
        text.extend_from_slice(br#"{"type":""#);
        text.extend_from_slice(r#type.as_bytes());
        text.extend_from_slice(br#"","object":"#);
        text.extend_from_slice(&object);
        text.extend_from_slice(b"}\n");
    }

    /// A bookmark: an event with only a resource version.
    pub(crate) fn bookmark(&self, revision: u64, ends_initial_events: bool) -> Vec<u8> {
        let mut object = self.kind.canonical(Value::Null, self.version);
        edit_metadata(&mut object, |metadata| {
            metadata.insert("resourceVersion".into(), revision.to_string().into());
            if ends_initial_events {
                let annotations = serde_json::json!({INITIAL_EVENTS_END: "true"});
                metadata.insert("annotations".into(), annotations);
            }
            // Go wrote unset times as null until it learned to leave them out.
            if self.kind.release.has(Fact::OmitsUnsetTimes) {
                metadata.remove("creationTimestamp");
            }
        });
        self.shown("BOOKMARK", &object, &object)
    }

    fn object(&self, r#type: &'static str, object: &Object) -> Vec<u8> {
        let shown = self.kind.in_version(object, self.version);
        self.shown(r#type, object, &shown)
    }

    /// The event of an object, given in hub form and as the client sees it.
    fn shown(&self, r#type: &'static str, hub: &Value, value: &Value) -> Vec<u8> {
        let schema = self.version.schema();
        match self.view {
            View::Table(version) => {
                let columns = Columns::of(&self.kind);
                let titles = !self.columns_sent.swap(true, Ordering::Relaxed);
                let metadata = table_metadata(Some(value));
                let objects = std::iter::once((hub, value));
                let include = self.include;
                let table = table(
                    &metadata, objects, schema, columns, version, include, titles,
                );
                line(r#type, table)
            }
            View::Partial(version) => line(r#type, partial(value, schema, version)),
            _ => line(r#type, Wire { value, schema }),
        }
    }
}

/// The failure of a watch from an expired resource version.
pub(crate) fn too_old(asked: u64, start: u64) -> Failure {
    expired(format!("too old resource version: {asked} ({start})"))
}

/// The event that ends a watch.
pub(crate) fn error(failure: Failure) -> Vec<u8> {
    line("ERROR", failure)
}

fn line(r#type: &'static str, object: impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(&Event { r#type, object }).unwrap_or_default();
    line.push(b'\n');
    line
}
