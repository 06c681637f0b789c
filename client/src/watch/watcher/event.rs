//! The events of a watcher.

use crate::InvalidObject;
use crate::convert::Loss;
use crate::watch::key::ObjectKey;

/// An event of a [`Watcher`](super::Watcher). Together the events are enough to keep an exact copy of the server's objects.
///
/// The watcher lists all objects at the beginning, and again when the server no longer knows the changes since the last
/// event. Such a list is the events from [`ListBegin`](Self::ListBegin) to [`ListEnd`](Self::ListEnd). A copy is built
/// again from the events in between, `Deleted` included, and replaces the old copy at the end. A list that fails starts
/// over with another `ListBegin`; then discard the objects since the previous one.
///
/// `losses` are the fields that the conversion from the version on the wire lost. They are always empty unless the
/// watcher belongs to a [`Negotiated`](crate::client::Negotiated); do not write an object with losses back.
///
/// ```
/// use k8s_flowcontrol::api::v1::FlowSchema;
/// use k8s_flowcontrol::watch::{ObjectKey, WatcherEvent};
/// use std::collections::BTreeMap;
///
/// #[derive(Default)]
/// struct Copy {
///     objects: BTreeMap<ObjectKey, FlowSchema>,
///     list: Option<BTreeMap<ObjectKey, FlowSchema>>,
/// }
///
/// impl Copy {
///     fn apply(&mut self, event: WatcherEvent<FlowSchema>) {
///         let current = self.list.as_mut().unwrap_or(&mut self.objects);
///         match event {
///             WatcherEvent::ListBegin => self.list = Some(BTreeMap::new()),
///             WatcherEvent::ListItem { object, .. } | WatcherEvent::Applied { object, .. } => {
///                 current.insert(ObjectKey::of(&object), object);
///             }
///             WatcherEvent::Deleted { object, .. } => {
///                 current.remove(&ObjectKey::of(&object));
///             }
///             WatcherEvent::Invalid { object, .. } => {
///                 eprintln!("{object}");
///                 current.remove(&ObjectKey::of_metadata(&object.metadata));
///             }
///             WatcherEvent::ListEnd { .. } => self.objects = self.list.take().unwrap_or_default(),
///             _ => {}
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatcherEvent<K> {
    /// A list of all objects begins.
    ListBegin,
    /// An object of the list. It replaces an object with the same key from the same list.
    ListItem {
        /// The object.
        object: K,
        /// The fields that the conversion lost.
        losses: Vec<Loss>,
    },
    /// The list is complete.
    ListEnd {
        /// The objects of earlier events, failed lists included, that no longer exist and were not reported deleted.
        ///
        /// An object that was deleted and created again meanwhile is not among them: its list item has another UID.
        disappeared: Vec<ObjectKey>,
    },
    /// The object is new or has changed.
    Applied {
        /// The current object.
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
    /// The object does not fit its type, in a list or since a change; a copy removes it. The watcher continues with the other
    /// objects, unless [`keep_invalid`](super::Watcher::keep_invalid) is `false`.
    ///
    /// When the object fits again, it is `Applied`. It is not among the objects that have `disappeared` from a list.
    Invalid {
        /// The object, with the error.
        object: Box<InvalidObject>,
        /// Whether the object was deleted.
        is_deleted: bool,
    },
}
