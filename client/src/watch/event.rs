//! An event of a watch, decoded from its line.

use crate::Resource;
use crate::client::read_json;
use crate::meta::{RawJson, Status};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

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
    read_json::<Event<K>>(line)
}

impl<'de, K: Resource> Deserialize<'de> for Event<K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor(PhantomData))
    }
}

struct EventVisitor<K>(PhantomData<K>);

impl<'de, K: Resource> Visitor<'de> for EventVisitor<K> {
    type Value = Event<K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a watch event: a JSON object with `type` and `object`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<K>, A::Error> {
        let mut kind: Option<Type> = None;
        let mut kept: Option<RawJson> = None;
        let mut event: Option<Event<K>> = None;
        while let Some(name) = map.next_key::<Name>()? {
            match name {
                Name::Type if kind.is_some() => return Err(A::Error::duplicate_field("type")),
                Name::Object if kept.is_some() || event.is_some() => {
                    return Err(A::Error::duplicate_field("object"));
                }
                Name::Type => kind = Some(map.next_value()?),
                Name::Object => match kind {
                    Some(kind) => event = Some(kind.read_from(&mut map)?),
                    // What it is will be known later.
                    None => kept = Some(map.next_value()?),
                },
                Name::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match (event, kind, kept) {
            (Some(event), _, _) => Ok(event),
            (None, Some(kind), Some(object)) => kind.read(&object).map_err(A::Error::custom),
            (None, None, _) => Err(A::Error::missing_field("type")),
            (None, Some(_), None) => Err(A::Error::missing_field("object")),
        }
    }
}

/// A member of an event.
enum Name {
    Type,
    Object,
    Other,
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(StrVisitor("a member name", |name: &str| {
            Ok(match name {
                "type" => Self::Type,
                "object" => Self::Object,
                _ => Self::Other,
            })
        }))
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
    fn read_from<'de, K: Resource, A: MapAccess<'de>>(
        self,
        map: &mut A,
    ) -> Result<Event<K>, A::Error> {
        Ok(match self {
            Self::Error => Event::Error(map.next_value()?),
            _ => self.change(map.next_value()?),
        })
    }

    fn read<K: Resource>(self, object: &RawJson) -> Result<Event<K>, crate::meta::InvalidJson> {
        Ok(match self {
            Self::Error => Event::Error(object.to()?),
            _ => self.change(object.to()?),
        })
    }

    fn change<K: Resource>(self, object: K) -> Event<K> {
        Event::Change(match self {
            Self::Added => WatchEvent::Added(object),
            Self::Modified => WatchEvent::Modified(object),
            Self::Deleted => WatchEvent::Deleted(object),
            Self::Bookmark | Self::Error => {
                let metadata = object.metadata();
                let end = metadata.annotations.get(INITIAL_EVENTS_END);
                WatchEvent::Bookmark(Bookmark {
                    resource_version: metadata.resource_version.clone().unwrap_or_default(),
                    ends_initial_events: end.is_some_and(|value| value == "true"),
                })
            }
        })
    }
}

impl<'de> Deserialize<'de> for Type {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(StrVisitor("the type of an event", |text: &str| {
            Ok(match text {
                "ADDED" => Self::Added,
                "MODIFIED" => Self::Modified,
                "DELETED" => Self::Deleted,
                "BOOKMARK" => Self::Bookmark,
                "ERROR" => Self::Error,
                other => {
                    return Err(format!(
                        "unknown event type `{other}`, expected ADDED, MODIFIED, DELETED, BOOKMARK or ERROR"
                    ));
                }
            })
        }))
    }
}

/// Reads a text without owning it.
struct StrVisitor<F>(&'static str, F);

impl<T, F: FnOnce(&str) -> Result<T, String>> Visitor<'_> for StrVisitor<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        (self.1)(text).map_err(E::custom)
    }
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
