//! The states of objects that do not fit their type, for watchers of several selections. No I/O.

use crate::meta::ObjectMeta;
use crate::watch::key::ObjectKey;
use std::collections::HashMap;

/// The states that were reported since the last list began: each selection that matches an object reports it.
#[derive(Default)]
pub(super) struct InvalidStates {
    /// The resource version of each object, and whether it was deleted.
    reported: HashMap<ObjectKey, (String, bool)>,
}

impl InvalidStates {
    /// Notes a state. Returns whether it is a new one.
    ///
    /// A selection that an object leaves reports a deletion at the resource version of a state that another selection matches.
    /// The deletion does not count then.
    pub(super) fn note(&mut self, metadata: &ObjectMeta, is_deleted: bool) -> bool {
        let (Some(_), Some(version)) = (&metadata.name, &metadata.resource_version) else {
            return true;
        };
        let key = ObjectKey::of_metadata(metadata);
        let state = (version.clone(), is_deleted);
        match self.reported.get_mut(&key) {
            Some(known) if known.0 == state.0 && (is_deleted || !known.1) => false,
            Some(known) => {
                *known = state;
                true
            }
            None => {
                self.reported.insert(key, state);
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_is_new_once() {
        let mut states = InvalidStates::default();
        let mut note = |version: &str, is_deleted| {
            let metadata = ObjectMeta {
                name: Some("a".to_owned()),
                resource_version: Some(version.to_owned()),
                ..ObjectMeta::default()
            };
            states.note(&metadata, is_deleted)
        };
        assert!(note("1", false) && !note("1", false) && !note("1", true));
        assert!(note("2", true) && !note("2", true) && note("2", false) && !note("2", true));
        assert!(note("3", false));
        let nameless = ObjectMeta::default();
        assert!(states.note(&nameless, false) && states.note(&nameless, false));
    }
}
