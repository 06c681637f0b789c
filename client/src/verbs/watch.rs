//! Opening a watch.

use super::call::{Call, builder};
use crate::Resource;
use crate::negotiate::codec::Codecs;
use crate::request::query::{pretty_setter, selection_setters, setters};
use crate::request::representation::without_managed_fields;
use crate::response::decode::Response;
use crate::stream::{DEFAULT_MAX_LINE, WatchStream};

builder! {
    /// Opens a watch, made by [`Api::watch`](crate::Api::watch).
    ///
    /// `.await` returns the open stream.
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
    WatchRequest<K: Resource> { codecs: Codecs<K>, max_event_size: usize } => WatchStream<K>, |this| {
        let mut call = this.call.checked()?;
        loop {
            let codec = this.codecs.of(call.version()?);
            match call.client.open_stream(call.request.clone()).await {
                Ok((line, head, body)) => {
                    let stream = WatchStream::new(codec, line, body, this.max_event_size);
                    return Ok(Response::new(stream, head));
                }
                Err(error) => call.renew(codec.map_error(error)).await?,
            }
        }
    }
}

pretty_setter!(WatchRequest);
selection_setters!(WatchRequest);

setters!(WatchRequest {
    /// Whether the server may send bookmarks: events with a newer resource version and no change.
    allow_watch_bookmarks(allow: bool) => "allowWatchBookmarks" = allow.to_string();
    /// Allows bookmarks.
    bookmarks() => "allowWatchBookmarks" = "true";
});

impl<K: Resource> WatchRequest<K> {
    pub(crate) fn new(mut call: Call, codecs: Codecs<K>) -> Self {
        call.set("watch", "true");
        Self {
            call,
            codecs,
            max_event_size: DEFAULT_MAX_LINE,
        }
    }

    /// Begins with an `Added` event for every existing object, followed by a bookmark that marks their end
    /// ([`Bookmark::ends_initial_events`](crate::watch::Bookmark::ends_initial_events)); a [streaming list].
    ///
    /// Also allows bookmarks and sets the resource version match `NotOlderThan`, as servers require. Needs the feature gate
    /// `WatchList` (since Kubernetes 1.27; on by default in 1.32 and since 1.34). Other servers respond with 422.
    ///
    /// [streaming list]: https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
    pub fn send_initial_events(mut self) -> Self {
        self.call.set("sendInitialEvents", "true");
        self.call.set("allowWatchBookmarks", "true");
        self.call.set("resourceVersionMatch", "NotOlderThan");
        self
    }

    /// Begins without events for existing objects, also where no resource version is named.
    ///
    /// Also sets the resource version match `NotOlderThan`, as servers require. Needs the same feature gate as
    /// [`send_initial_events`](Self::send_initial_events).
    pub fn skip_initial_events(mut self) -> Self {
        self.call.set("sendInitialEvents", "false");
        self.call.set("resourceVersionMatch", "NotOlderThan");
        self
    }

    /// Reads the objects without `metadata.managedFields`, often half of an object.
    ///
    /// The client asks the server to omit them (`Accept: application/json;drop=metadata.managedFields`), and removes
    /// them where the server sends them nevertheless, as all released servers do. A server keeps them when such an
    /// object is written back. [`is_applied`](crate::ownership::is_applied) and [`extract`](crate::ownership::extract)
    /// need them. Defaults to off.
    pub fn drop_managed_fields(mut self) -> Self {
        self.codecs = self.codecs.dropping_managed_fields();
        self.call
            .change(|request| request.accept = without_managed_fields(&request.accept));
        self
    }

    /// The maximum size of an event, in bytes. Defaults to 16 MiB. A larger event ends the stream with an error.
    /// Watchers and stores have the default.
    pub fn max_event_size(mut self, bytes: usize) -> Self {
        self.max_event_size = bytes;
        self
    }
}
