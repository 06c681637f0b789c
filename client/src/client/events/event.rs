//! An event of a watch, decoded from its line.

use crate::Resource;
use crate::meta::{ObjectMeta, Status};
use crate::rt::json::{self, Fault, ReadJson, Reader};

/// The annotation of the bookmark that ends the initial events.
const INITIAL_EVENTS_END: &str = "k8s.io/initial-events-end";

/// A change of an object.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatchEvent<K> {
    /// The object is new, or was there when the watch began, or has come to fit the selectors.
    Added(K),
    /// The object is now like this.
    Modified(K),
    /// The object is gone, or does no longer fit the selectors. This is its last state.
    Deleted(K),
    /// Nothing changed up to this resource version.
    Bookmark(Bookmark),
}

impl<K: Resource> WatchEvent<K> {
    /// The resource version of the event: go on from there.
    pub fn resource_version(&self) -> Option<&str> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => {
                object.metadata().resource_version.as_deref()
            }
            Self::Bookmark(bookmark) => Some(&bookmark.resource_version),
        }
    }
}

/// How far a watch has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bookmark {
    /// A watch that goes on from here misses nothing.
    pub resource_version: String,
    /// Whether the objects that existed when the watch began have now all been sent.
    pub ends_initial_events: bool,
}

/// A line of a watch.
#[derive(Debug)]
pub(crate) enum Event<K> {
    Change(WatchEvent<K>),
    /// The watch has failed and ends.
    Error(Box<Status>),
}

impl<W> Event<W> {
    pub(crate) fn map<K>(self, convert: impl FnOnce(W) -> K) -> Event<K> {
        Event::Change(match self {
            Self::Change(WatchEvent::Added(object)) => WatchEvent::Added(convert(object)),
            Self::Change(WatchEvent::Modified(object)) => WatchEvent::Modified(convert(object)),
            Self::Change(WatchEvent::Deleted(object)) => WatchEvent::Deleted(convert(object)),
            Self::Change(WatchEvent::Bookmark(bookmark)) => WatchEvent::Bookmark(bookmark),
            Self::Error(status) => return Event::Error(status),
        })
    }
}

/// Decodes a line: a JSON object with the members `type` and `object`, in any order.
pub(crate) fn decode<K: Resource>(line: &[u8]) -> Result<Event<K>, serde_json::Error> {
    let mut object = K::default();
    let mut status: Option<Box<Status>> = None;
    let kind = read(line, &mut |kind, reader| match kind {
        Type::Error => status.insert(Box::default()).read_json(reader),
        _ => object.read_json(reader),
    })?;
    Ok(Event::Change(match kind {
        Type::Added => WatchEvent::Added(object),
        Type::Modified => WatchEvent::Modified(object),
        Type::Deleted => WatchEvent::Deleted(object),
        Type::Bookmark => WatchEvent::Bookmark(bookmark(object.metadata())),
        Type::Error => return Ok(Event::Error(status.unwrap_or_default())),
    }))
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

/// Lets `read_object` read the event's object, and says what kind of an event it is.
fn read(
    line: &[u8],
    read_object: &mut dyn FnMut(Type, &mut Reader<'_>) -> Result<(), Fault>,
) -> Result<Type, serde_json::Error> {
    const EXPECTED: &str = "a watch event: a JSON object with `type` and `object`";
    json::read_whole(json::utf8(line)?, |reader| {
        let mut kind = None;
        // Where the object begins, and whether it was read: without its type it waits.
        let mut object: Option<(Reader<'_>, bool)> = None;
        reader.members(&EXPECTED, &mut |name, reader| match &*name {
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
                object = Some((reader.clone(), kind.is_some()));
                match kind {
                    Some(kind) => read_object(kind, reader),
                    None => reader.skip(),
                }
            }
            _ => reader.skip(),
        })?;
        let kind = kind.ok_or_else(|| reader.fault("missing field `type`"))?;
        let (mut start, was_read) = object.ok_or_else(|| reader.fault("missing field `object`"))?;
        if !was_read {
            read_object(kind, &mut start)?;
        }
        Ok(kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::v1::FlowSchema;

    const OBJECT: &str = r#"{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"name":"a","resourceVersion":"7"},"spec":{"priorityLevelConfiguration":{"name":"x"}}}"#;

    fn both_orders(kind: &str, object: &str) -> [String; 2] {
        [
            format!(r#"{{"type":"{kind}","object":{object}}}"#),
            format!(r#"{{"more":[1], "object": {object} ,"type":"{kind}"}}"#),
        ]
    }

    #[test]
    fn changes() {
        let expected: FlowSchema = serde_json::from_str(OBJECT).unwrap();
        for line in both_orders("MODIFIED", OBJECT) {
            match decode::<FlowSchema>(line.as_bytes()).unwrap() {
                Event::Change(event @ WatchEvent::Modified(_)) => {
                    assert_eq!(event.resource_version(), Some("7"));
                    assert_eq!(event, WatchEvent::Modified(expected.clone()));
                }
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn bookmarks() {
        let object = r#"{"kind":"FlowSchema","apiVersion":"flowcontrol.apiserver.k8s.io/v1","metadata":{"resourceVersion":"9","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}},"spec":{"matchingPrecedence":0,"priorityLevelConfiguration":{"name":""}},"status":{}}"#;
        for line in both_orders("BOOKMARK", object) {
            let Ok(Event::Change(WatchEvent::Bookmark(bookmark))) =
                decode::<FlowSchema>(line.as_bytes())
            else {
                panic!()
            };
            assert_eq!(
                bookmark,
                Bookmark {
                    resource_version: "9".into(),
                    ends_initial_events: true
                }
            );
        }
    }

    #[test]
    fn errors() {
        let status = r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (9)","reason":"Expired","code":410}"#;
        for line in both_orders("ERROR", status) {
            let Ok(Event::Error(status)) = decode::<FlowSchema>(line.as_bytes()) else {
                panic!()
            };
            assert_eq!(status.code, Some(410));
        }
    }

    #[test]
    fn what_is_no_event() {
        for (line, expected) in [
            (r#"{"type":"ADDED"}"#, "missing field `object`"),
            (r#"{"object":{}}"#, "missing field `type`"),
            (r#"{}"#, "missing field `type`"),
            (r#"[]"#, "a watch event"),
            (
                r#"{"type":"PAINTED","object":{}}"#,
                "unknown event type `PAINTED`",
            ),
            (
                r#"{"type":"ADDED","type":"ADDED","object":{}}"#,
                "duplicate field `type`",
            ),
            (
                r#"{"type":"ADDED","object":{},"object":{}}"#,
                "duplicate field `object`",
            ),
            (
                r#"{"type":"ADDED","object":{"kind":"Other"}}"#,
                "expected kind `FlowSchema`, found `Other`",
            ),
            (
                r#"{"object":{"kind":"Other"},"type":"ADDED"}"#,
                "expected kind `FlowSchema`, found `Other`",
            ),
            (r#"{"type":"ADDED","object":{"#, "EOF"),
        ] {
            let error = decode::<FlowSchema>(line.as_bytes())
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
