//! The names of the objects that were told, so that a restart can say which are gone.

use crate::Resource;
use crate::watch::ObjectKey;
use k8s_flowcontrol_types::order;
use std::collections::HashMap;

#[derive(Debug, Default)]
pub(super) struct Known {
    /// Each object, and the restart in or after which it was told last.
    told: HashMap<ObjectKey, u32>,
    restart: u32,
}

impl Known {
    pub(super) fn begin(&mut self) {
        self.restart = self.restart.wrapping_add(1);
    }

    pub(super) fn insert<K: Resource>(&mut self, object: &K) {
        // Mostly it is known; then no key need be made for a kind without namespaces.
        if object.metadata().namespace.is_none()
            && let Some(restart) = self.told.get_mut(object.name())
        {
            *restart = self.restart;
            return;
        }
        self.told.insert(ObjectKey::of(object), self.restart);
    }

    pub(super) fn remove<K: Resource>(&mut self, object: &K) {
        self.told.remove(&ObjectKey::of(object));
    }

    /// What was told before this restart and not again, in order. It is forgotten.
    pub(super) fn end(&mut self) -> Vec<ObjectKey> {
        let restart = self.restart;
        let gone = self.told.extract_if(|_, told| *told != restart);
        let mut gone: Vec<ObjectKey> = gone.map(|(key, _)| key).collect();
        order::sort_by(&mut gone, Ord::cmp);
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::v1::FlowSchema;

    fn schema(name: &str) -> FlowSchema {
        let mut schema = FlowSchema::default();
        schema.metadata.name = Some(name.into());
        schema
    }

    #[test]
    fn what_does_not_come_again_has_disappeared() {
        let mut known = Known::default();
        known.begin();
        for name in ["d", "c", "b", "a"] {
            known.insert(&schema(name));
        }
        assert_eq!(known.end(), []);
        known.remove(&schema("b"));
        known.begin();
        // A restart that is begun anew.
        known.insert(&schema("d"));
        known.begin();
        known.insert(&schema("c"));
        known.insert(&schema("e"));
        assert_eq!(known.end(), [ObjectKey::new("a"), ObjectKey::new("d")]);
        known.begin();
        assert_eq!(known.end(), [ObjectKey::new("c"), ObjectKey::new("e")]);
    }
}
