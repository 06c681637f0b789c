//! The keys of the objects that a watcher has reported, so that a list shows which have disappeared.

use super::event::WatcherEvent;
use crate::Resource;
use crate::watch::key::ObjectKey;
use k8s_flowcontrol_types::order;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct ReportedKeys {
    /// Each key, with the number of the list in or after which the object was reported last.
    lists: HashMap<ObjectKey, u32>,
    /// The number of the current list.
    list: u32,
}

impl ReportedKeys {
    /// Notes the event, and fills in the objects that have disappeared at the end of a list.
    pub(super) fn note<K: Resource>(&mut self, event: &mut WatcherEvent<K>) {
        match event {
            WatcherEvent::ListBegin => self.list = self.list.wrapping_add(1),
            WatcherEvent::ListItem { object, .. } | WatcherEvent::Applied { object, .. } => {
                self.insert(object);
            }
            WatcherEvent::Deleted { object, .. } => {
                self.lists.remove(&ObjectKey::of(object));
            }
            WatcherEvent::Invalid { object, .. } => {
                self.lists.remove(&ObjectKey::of_metadata(&object.metadata));
            }
            WatcherEvent::ListEnd { disappeared } => *disappeared = self.take_disappeared(),
        }
    }

    fn insert<K: Resource>(&mut self, object: &K) {
        // Saves the allocation of a key in the common case: a known object of a kind without namespaces.
        if object.metadata().namespace.is_none()
            && let Some(list) = self.lists.get_mut(object.name())
        {
            *list = self.list;
            return;
        }
        self.lists.insert(ObjectKey::of(object), self.list);
    }

    /// Removes the keys of earlier lists, and returns them in order.
    fn take_disappeared(&mut self) -> Vec<ObjectKey> {
        let current = self.list;
        let disappeared = self.lists.extract_if(|_, list| *list != current);
        let mut disappeared: Vec<ObjectKey> = disappeared.map(|(key, _)| key).collect();
        order::sort_by(&mut disappeared, Ord::cmp);
        disappeared
    }
}
