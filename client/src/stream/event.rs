//! An event of a watch, decoded from its line.

use crate::convert::Loss;
use crate::error::{Error, ErrorKind};
use crate::json;
use crate::json::{Fault, FieldPredictor, Mark, ReadJson, Reader};
use crate::meta::{ObjectMeta, Status};
use crate::negotiate::codec::Codec;
use crate::request::resource_kind::ResourceKind;
use crate::response::decode::{Decoded, excerpt, failed_status, undecodable};
use crate::{InvalidObject, Resource};

/// The annotation of the bookmark that ends the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// An event of a [`WatchStream`](super::WatchStream): one line of a watch.
///
/// `losses` are the fields that the conversion from the version on the wire lost. They are always empty unless the watch
/// belongs to a [`Negotiated`](crate::client::Negotiated); do not write an object with losses back.
///
/// A line of the type `ERROR` is not an event: the stream returns it as an [`Error`](crate::Error) and ends.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatchEvent<K> {
    /// The object is new, existed when the watch began, or started to match the selectors.
    Added {
        /// The object.
        object: K,
        /// The fields that the conversion lost.
        losses: Vec<Loss>,
    },
    /// The object changed.
    Modified {
        /// The object after the change.
        object: K,
        /// The fields that the conversion lost.
        losses: Vec<Loss>,
    },
    /// The object was deleted, or no longer matches the selectors.
    Deleted {
        /// The last state of the object.
        object: K,
        /// The fields that the conversion lost.
        losses: Vec<Loss>,
    },
    /// The server has sent all changes up to this resource version.
    Bookmark(Bookmark),
    /// The object was added, changed or deleted, and does not fit its type. Only the watches of a
    /// [`Watcher`](crate::watch::Watcher) have this event; in others such an object is an error.
    Invalid {
        /// The object, with the error.
        object: Box<InvalidObject>,
        /// Whether the object was deleted.
        is_deleted: bool,
    },
}

impl<K: Resource> WatchEvent<K> {
    /// The resource version of the event, from which another watch can continue.
    pub fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Added { object, .. }
            | Self::Modified { object, .. }
            | Self::Deleted { object, .. } => object.metadata().resource_version.as_deref(),
            Self::Bookmark(bookmark) => Some(&bookmark.resource_version),
            Self::Invalid { object, .. } => object.metadata.resource_version.as_deref(),
        }
    }

    /// Decodes a line of a watch in the version of `K`. For the fuzz targets of this repository; it may change at any time.
    #[doc(hidden)]
    pub fn from_line(line: &[u8]) -> Result<Self, Error> {
        let codec = Codec::own(ResourceKind::of::<K>());
        decode(&codec, line, &mut FieldPredictor::default(), false)
    }
}

/// A resource version up to which the server has sent all changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bookmark {
    /// A watch that continues from this resource version misses nothing.
    pub resource_version: String,
    /// Whether the server has now sent all objects that existed when the watch began.
    pub ends_initial_events: bool,
}

/// Decodes a line: a JSON object with the fields `type` and `object`, in any order. The predictor knows the lines before
/// it. If the last line of a body is not complete, the connection broke.
pub(crate) fn decode<K: Resource>(
    codec: &Codec<K>,
    line: &[u8],
    predictor: &mut FieldPredictor,
    is_last: bool,
) -> Result<WatchEvent<K>, Error> {
    let mut decoded = Decoded {
        value: K::default(),
        losses: Vec::new(),
    };
    let mut status: Option<Box<Status>> = None;
    let mut invalid = None;
    let read = read(line, predictor, &mut |kind, reader| match kind {
        Type::Error => status.insert(Box::default()).read_json(reader),
        Type::Bookmark => codec.read(&mut decoded, reader),
        _ => {
            let start = codec.reading.keeps_invalid.then(|| reader.mark());
            let Err(fault) = codec.read(&mut decoded, reader) else {
                return Ok(());
            };
            let Some(start) = start else {
                return Err(fault);
            };
            reader.go_to(start);
            // Text that is not JSON is an error of the watch.
            let object = reader.raw_json()?;
            invalid = Some(Box::new(InvalidObject::new(&fault, object)));
            Ok(())
        }
    });
    let kind = match read {
        Ok(kind) => kind,
        Err(error) if is_last && error.is_eof() => {
            return Err(Error::new(ErrorKind::CutOff).with_source(error));
        }
        Err(error) => {
            // Instead of an event.
            if let Some(status) = failed_status(line) {
                return Err(codec.map_error(Error::new(ErrorKind::Status(status))));
            }
            let (kind, version) = (codec.resource.kind(), codec.version);
            let expected = format!("watch event of {kind} ({version})");
            return Err(undecodable(
                expected,
                error.to_string(),
                excerpt(line),
                error,
            ));
        }
    };
    if let Some(object) = invalid {
        let is_deleted = matches!(kind, Type::Deleted);
        return Ok(WatchEvent::Invalid { object, is_deleted });
    }
    let (object, losses) = (decoded.value, decoded.losses);
    match kind {
        Type::Added => Ok(WatchEvent::Added { object, losses }),
        Type::Modified => Ok(WatchEvent::Modified { object, losses }),
        Type::Deleted => Ok(WatchEvent::Deleted { object, losses }),
        Type::Bookmark => Ok(WatchEvent::Bookmark(bookmark(object.metadata()))),
        Type::Error => {
            let status = ErrorKind::Status(status.unwrap_or_default());
            Err(codec.map_error(Error::new(status)))
        }
    }
}

fn bookmark(metadata: &ObjectMeta) -> Bookmark {
    let end = metadata.annotations.get(INITIAL_EVENTS_END);
    Bookmark {
        resource_version: metadata.resource_version.clone().unwrap_or_default(),
        ends_initial_events: end.is_some_and(|value| value == "true"),
    }
}

#[derive(Clone, Copy)]
enum Type {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

impl Type {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "ADDED" => Self::Added,
            "MODIFIED" => Self::Modified,
            "DELETED" => Self::Deleted,
            "BOOKMARK" => Self::Bookmark,
            "ERROR" => Self::Error,
            _ => return None,
        })
    }
}

/// Reads the event's object with `read_object`, and returns the event's type.
fn read(
    line: &[u8],
    predictor: &mut FieldPredictor,
    read_object: &mut dyn FnMut(Type, &mut Reader<'_>) -> Result<(), Fault>,
) -> Result<Type, serde_json::Error> {
    const EXPECTED: &str = "a watch event: a JSON object with `type` and `object`";
    json::read_whole_like(json::utf8(line)?, predictor, |reader| {
        let mut kind = None;
        // Where the object begins, if it was not read: it cannot be before its type is known.
        let mut object: Option<Option<Mark>> = None;
        reader.fields(&EXPECTED, &mut |name, reader| match &*name {
            "type" if kind.is_some() => Err(reader.fault("duplicate field `type`")),
            "object" if object.is_some() => Err(reader.fault("duplicate field `object`")),
            "type" => {
                let name = reader.string(&"the type of an event")?;
                kind = Some(Type::parse(&name).ok_or_else(|| {
                    reader.fault(format!("unknown event type `{name}`, expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR"))
                })?);
                Ok(())
            }
            "object" => {
                object = Some(kind.is_none().then(|| reader.mark()));
                match kind {
                    Some(kind) => read_object(kind, reader),
                    None => reader.skip(),
                }
            }
            _ => reader.skip(),
        })?;
        let kind = kind.ok_or_else(|| reader.fault("missing field `type`"))?;
        if let Some(start) = object.ok_or_else(|| reader.fault("missing field `object`"))? {
            let end = reader.mark();
            reader.go_to(start);
            read_object(kind, reader)?;
            reader.go_to(end);
        }
        Ok(kind)
    })
}
