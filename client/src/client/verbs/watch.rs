//! Opening a watch.

use crate::Resource;
use crate::client::call::{Call, builder};
use crate::client::events::{DEFAULT_MAX_LINE, WatchStream};
use crate::client::params::{pretty_setter, selection_setters, setters};
use crate::client::response::Response;
use crate::client::wire::Wire;

builder! {
    /// Follows the changes of objects, made by [`Api::watch`](crate::client::Api::watch).
    ///
    /// Awaited, it gives the open stream.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::WatchEvent;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let mut events = client.flow_schemas().watch().bookmarks().timeout_seconds(60).await?;
    /// while let Some(event) = events.next().await {
    ///     match event? {
    ///         WatchEvent::Added { object, .. } => println!("new: {:?}", object.metadata.name),
    ///         WatchEvent::Bookmark(bookmark) => println!("at {}", bookmark.resource_version),
    ///         _ => {}
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    WatchRequest<K: Resource> { wire: Wire<K>, max_event_size: usize } => WatchStream<K>, |this| {
        let (client, request) = this.call.checked()?;
        let wire = this.wire;
        let opened = client.open_stream(request).await;
        let (line, head, body) = opened.map_err(|error| wire.map_error(error))?;
        let stream = WatchStream::new(wire, line, body, this.max_event_size);
        Ok(Response::new(stream, head))
    }
}

pretty_setter!(WatchRequest);
selection_setters!(WatchRequest);

setters!(WatchRequest {
    /// Whether the server may send bookmarks: events that hand over a newer resource version and nothing else.
    allow_watch_bookmarks(allow: bool) => "allowWatchBookmarks" = allow.to_string();
    /// Lets the server send bookmarks.
    bookmarks() => "allowWatchBookmarks" = "true";
});

impl<K: Resource> WatchRequest<K> {
    pub(crate) fn new(mut call: Call, wire: Wire<K>) -> Self {
        call.set("watch", "true");
        Self {
            call,
            wire,
            max_event_size: DEFAULT_MAX_LINE,
        }
    }

    /// Begins with one `Added` per existing object and then a bookmark that marks their end
    /// ([`Bookmark::ends_initial_events`](crate::watch::Bookmark::ends_initial_events)).
    ///
    /// Sets what servers require with it: bookmarks, and the resource version match `NotOlderThan`. Needs
    /// Kubernetes 1.27 with the feature gate `WatchList`; other servers answer 422.
    pub fn send_initial_events(mut self) -> Self {
        self.call.set("sendInitialEvents", "true");
        self.call.set("allowWatchBookmarks", "true");
        self.call.set("resourceVersionMatch", "NotOlderThan");
        self
    }

    /// Begins with changes only, whatever the resource version.
    pub fn skip_initial_events(mut self) -> Self {
        self.call.set("sendInitialEvents", "false");
        self.call.set("resourceVersionMatch", "NotOlderThan");
        self
    }

    /// The longest event taken, in bytes; 16 MiB unless said otherwise. A longer one ends the stream with an error.
    pub fn max_event_size(mut self, bytes: usize) -> Self {
        self.max_event_size = bytes;
        self
    }
}
