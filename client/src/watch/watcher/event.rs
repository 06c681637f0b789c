//! What a watcher tells.

use crate::watch::ObjectKey;

/// What a [`Watcher`](super::Watcher) tells: enough to keep an exact copy of the server's objects.
///
/// A consumer that keeps a copy builds a new one between [`RestartBegin`](Self::RestartBegin) and
/// [`RestartEnd`](Self::RestartEnd), beside the old one, and then puts it in the old one's place. All that comes in
/// between belongs to the new copy, also `Deleted`. A restart that meets trouble begins again, with another
/// `RestartBegin`: what was built so far is then void.
///
/// ```
/// use k8s_flowcontrol::api::v1::FlowSchema;
/// use k8s_flowcontrol::watch::{ObjectKey, WatcherEvent};
/// use std::collections::BTreeMap;
///
/// #[derive(Default)]
/// struct Copy {
///     objects: BTreeMap<ObjectKey, FlowSchema>,
///     restart: Option<BTreeMap<ObjectKey, FlowSchema>>,
/// }
///
/// impl Copy {
///     fn apply(&mut self, event: WatcherEvent<FlowSchema>) {
///         let current = self.restart.as_mut().unwrap_or(&mut self.objects);
///         match event {
///             WatcherEvent::RestartBegin => self.restart = Some(BTreeMap::new()),
///             WatcherEvent::RestartItem(object) | WatcherEvent::Applied(object) => {
///                 current.insert(ObjectKey::of(&object), object);
///             }
///             WatcherEvent::Deleted(object) => {
///                 current.remove(&ObjectKey::of(&object));
///             }
///             WatcherEvent::RestartEnd { .. } => self.objects = self.restart.take().unwrap_or_default(),
///             _ => {}
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WatcherEvent<K> {
    /// The objects follow, all of them: at the beginning, and when the server no longer knows what changed since the
    /// last event.
    RestartBegin,
    /// An object that is there. One that came before in the same restart has changed meanwhile.
    RestartItem(K),
    /// All objects that are there have come.
    #[non_exhaustive]
    RestartEnd {
        /// What had come before, also in restarts that were not finished, and was neither reported deleted nor is
        /// there now.
        ///
        /// An object that was deleted and made again meanwhile is not among them: it came with another UID.
        disappeared: Vec<ObjectKey>,
    },
    /// The object is new, or is now like this.
    Applied(K),
    /// The object is gone, or does no longer fit the selectors. This is its last known state.
    Deleted(K),
}
