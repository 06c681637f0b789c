//! The JSON of objects, written once for all clients that read the same state of an object in the same version.

use crate::kinds::{Kind, Version};
use crate::locks::lock;
use crate::store::{Object, edit_metadata};
use crate::wire::Wire;
use hyper::body::Bytes;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// The most bytes of all kept texts: 8 MiB. When they are more, all are dropped, so that keeping costs next to nothing.
const MOST: usize = 8 << 20;

#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<Key, (Weak<Value>, Bytes)>,
    bytes: usize,
}

/// The address of an object, which the weak reference beside it reserves, the version of the text, and the revision at which the
/// object was deleted.
type Key = (usize, &'static str, Option<u64>);

impl Texts {
    /// The text of an object as a client of `version` sees it.
    pub(crate) fn of(&self, object: &Object, kind: &Kind, version: Version) -> Bytes {
        self.kept(object, version, None, || {
            written(&kind.in_version(object, version), version)
        })
    }

    /// The text of the last state of an object that was deleted at `revision`.
    pub(crate) fn of_deleted(
        &self,
        object: &Object,
        revision: u64,
        kind: &Kind,
        version: Version,
    ) -> Bytes {
        self.kept(object, version, Some(revision), || {
            let gone = deleted(object, revision);
            written(&kind.in_version(&gone, version), version)
        })
    }

    fn kept(
        &self,
        object: &Object,
        version: Version,
        deleted: Option<u64>,
        write: impl FnOnce() -> Bytes,
    ) -> Bytes {
        let key = (Arc::as_ptr(object).addr(), version.name(), deleted);
        if let Some((_, text)) = lock(&self.0).texts.get(&key) {
            return text.clone();
        }
        let text = write();
        let mut kept = lock(&self.0);
        kept.bytes += text.len();
        if kept.bytes > MOST {
            kept.texts.clear();
            kept.bytes = text.len();
        }
        kept.texts
            .insert(key, (Arc::downgrade(object), text.clone()));
        text
    }
}

/// The last state of an object, at the revision of its deletion.
pub(crate) fn deleted(object: &Object, revision: u64) -> Value {
    let mut gone = (**object).clone();
    edit_metadata(&mut gone, |metadata| {
        metadata.insert("resourceVersion".into(), revision.to_string().into())
    });
    gone
}

fn written(value: &Value, version: Version) -> Bytes {
    let schema = version.schema();
    let text = serde_json::to_vec(&Wire { value, schema });
    text.unwrap_or_default().into()
}
