//! The settings of a watcher.

use super::selection::{Modify, Selection};
use super::{Settings, Watcher};
use crate::Resource;
use crate::verbs::api::Api;
use std::time::Duration;

/// Settings. Changing one after the first poll makes the watcher list again.
impl<K: Resource> Watcher<K> {
    pub(crate) fn new(api: Api<K>) -> Self {
        let settings = Settings {
            max_retry_after: api.client().retry_policy().max_retry_after(),
            ..Settings::default()
        };
        Self {
            api: api.keeping_invalid(true),
            settings,
            selection: Selection::default(),
            modify: Modify::default(),
            running: None,
            reports_disappeared: true,
        }
    }

    /// Only objects whose labels match, in kubectl's notation: `team=a,tier in (x,y),!old`.
    ///
    /// Further calls and the other selectors narrow the selection.
    pub fn label_selector(self, selector: impl Into<String>) -> Self {
        let selection = self.selection.clone().and_labels(selector);
        self.changed(|watcher| watcher.selection = selection)
    }

    /// Only objects whose fields have these values, such as `metadata.name=exempt`.
    ///
    /// Further calls and the other selectors narrow the selection.
    pub fn field_selector(self, selector: impl Into<String>) -> Self {
        let selection = self.selection.clone().and_fields(selector);
        self.changed(|watcher| watcher.selection = selection)
    }

    /// Begins with a watch of the changes after a resource version, such as the stored
    /// [`resource_version`](Self::resource_version) of an earlier watcher, instead of with a list.
    ///
    /// If the server no longer knows the version, the first result is an error for which
    /// [`is_expired`](crate::Error::is_expired) is true, and then the watcher lists. Its first list cannot report which of the objects from before `version` have disappeared.
    ///
    /// An empty version and `0` stand for a list. So does any version for the watcher of a [`Store`](crate::watch::Store),
    /// which needs all objects.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::WatcherEvent;
    ///
    /// # fn load() -> String { String::new() }
    /// # fn save(position: &str) {}
    /// # async fn example(client: k8s_flowcontrol::Client) {
    /// let mut watcher = client.flow_schemas().watcher().start_from(load());
    /// while let Some(event) = watcher.next().await {
    ///     match event {
    ///         Ok(event) => println!("{event:?}"), // finish its work before its position is saved
    ///         Err(error) => eprintln!("{error}; the watcher tries again"),
    ///     }
    ///     if let Some(position) = watcher.resource_version() {
    ///         save(position);
    ///     }
    /// }
    /// # }
    /// ```
    pub fn start_from(self, version: impl Into<String>) -> Self {
        let version = Some(version.into()).filter(|version| !matches!(&**version, "" | "0"));
        self.changed(|watcher| watcher.settings.start_from = version)
    }

    /// The number of objects per page of a list. Defaults to 500; 0 means all objects in one response.
    pub fn page_size(self, objects: u32) -> Self {
        self.changed(|watcher| watcher.settings.page_size = Some(objects).filter(|size| *size > 0))
    }

    /// Whether to try streaming lists, which costs one more request on servers without them. Defaults to `true`.
    pub fn streaming_lists(self, streaming: bool) -> Self {
        self.changed(|watcher| watcher.settings.streaming_lists = streaming)
    }

    /// The time after which the server closes a watch: a random time between this and twice this. Defaults to 290 s.
    /// Whole seconds, at least one.
    pub fn watch_timeout(self, timeout: Duration) -> Self {
        self.changed(|watcher| watcher.settings.watch_timeout = timeout)
    }

    /// The time after which a connection counts as dead that delivers neither a page of a list nor an event nor a
    /// bookmark. Defaults to 150 s; ten times as long for a list in one response.
    ///
    /// Servers send a bookmark about once a minute: a shorter timeout than that closes healthy watches. After twice this
    /// time without event or bookmark, in one connection or several, the watcher lists again.
    pub fn idle_timeout(self, timeout: Duration) -> Self {
        self.changed(|watcher| watcher.settings.idle_timeout = timeout)
    }

    /// The delays after the first failure and after many failures in a row. Default to 0.5 s and 30 s.
    ///
    /// The delay doubles with each failure, until a watch delivers a change. Before lists after failed watches it doubles until
    /// watches have lasted for the second of these times.
    pub fn backoff(self, min: Duration, max: Duration) -> Self {
        self.changed(|watcher| {
            watcher.settings.min_backoff = min;
            watcher.settings.max_backoff = max;
        })
    }

    /// The maximum `Retry-After` that the watcher obeys. Defaults to that of the client's
    /// [`RetryPolicy`](crate::client::RetryPolicy::with_max_retry_after), 60 s.
    ///
    /// If the server asks for a longer wait, the watcher waits this long and then tries again. API Priority and Fairness
    /// asks for at most 32 s; a much longer wait is a mistake of a server or a proxy, and the objects would be out of date
    /// for as long.
    pub fn max_retry_after(self, wait: Duration) -> Self {
        self.changed(|watcher| watcher.settings.max_retry_after = wait)
    }

    /// Whether an object that does not fit its type is an event, [`WatcherEvent::Invalid`](crate::watch::WatcherEvent::Invalid).
    /// Defaults to `true`. Otherwise it is an error ([`is_decode`](crate::Error::is_decode)), which repeats until the object
    /// is changed: no other object is reported meanwhile.
    pub fn keep_invalid(self, keep: bool) -> Self {
        self.changed(|watcher| watcher.api = watcher.api.clone().keeping_invalid(keep))
    }

    /// Changes each object before it is reported, for example to drop fields that the program does not need: a
    /// [`Store`](crate::watch::Store) then does not keep them in memory.
    ///
    /// Name, namespace, UID and resource version must stay. With several calls, the functions run one after the other. Do
    /// not write such an object back: a replace removes the dropped fields from the server.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::Store;
    ///
    /// # fn example(client: k8s_flowcontrol::Client) {
    /// let precedences = client.flow_schemas().watcher().drop_managed_fields().modify(|schema| {
    ///     schema.metadata.annotations = Default::default();
    ///     schema.spec.rules = Vec::new();
    ///     schema.status = None;
    /// });
    /// let store = Store::start(precedences);
    /// # }
    /// ```
    pub fn modify(self, modify: impl Fn(&mut K) + Send + Sync + 'static) -> Self {
        self.changed(|watcher| watcher.modify.push(modify))
    }

    /// Reads the objects without `metadata.managedFields`, often half of an object.
    ///
    /// The client asks the server to leave them out, see
    /// [`ListRequest::drop_managed_fields`](crate::client::ListRequest::drop_managed_fields), and removes them before the
    /// functions of [`modify`](Self::modify) run. A server keeps them when such an object is written back. [`is_applied`](crate::ownership::is_applied) and
    /// [`extract`](crate::ownership::extract) need them.
    pub fn drop_managed_fields(self) -> Self {
        self.changed(|watcher| watcher.api = watcher.api.clone().dropping_managed_fields())
    }

    /// For callers that need all objects and know their keys: begins with a list, and leaves
    /// [`WatcherEvent::ListEnd`](crate::watch::WatcherEvent::ListEnd) without the objects that disappeared.
    pub(crate) fn for_copy(self) -> Self {
        self.changed(|watcher| {
            watcher.reports_disappeared = false;
            watcher.settings.start_from = None;
        })
    }

    /// Lists again after each watch that the server ended without an event, as `kubectl wait` does. Cheap for one object.
    pub(crate) fn lists_after_end(self) -> Self {
        self.changed(|watcher| watcher.settings.lists_after_end = true)
    }

    fn changed(mut self, change: impl FnOnce(&mut Self)) -> Self {
        if self.running.take().is_some() {
            self.settings.start_from = None;
        }
        change(&mut self);
        self
    }
}
