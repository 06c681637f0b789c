//! Opening a watch.

use crate::Resource;
use crate::client::call::{Call, sendable};
use crate::client::error::Error;
use crate::client::events::{DEFAULT_MAX_LINE, WatchStream};
use crate::client::params::{common_setters, selection_setters, setters};
use crate::client::response::Response;
use std::fmt;

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
///         WatchEvent::Added(schema) => println!("new: {:?}", schema.metadata.name),
///         WatchEvent::Bookmark(bookmark) => println!("at {}", bookmark.resource_version),
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "a request does nothing until it is awaited or sent"]
pub struct WatchRequest<K: Resource> {
    pub(crate) call: Call<K>,
    max_line: usize,
}

common_setters!(WatchRequest);
selection_setters!(WatchRequest);

setters!(WatchRequest {
    /// Whether the server may send bookmarks: events that hand over a newer resource version and nothing else.
    allow_watch_bookmarks(allow: bool) => "allowWatchBookmarks" = allow.to_string();
    /// Lets the server send bookmarks.
    bookmarks() => "allowWatchBookmarks" = "true";
});

impl<K: Resource> WatchRequest<K> {
    pub(crate) fn new(mut call: Call<K>) -> Self {
        call.set("watch", "true");
        Self {
            call,
            max_line: DEFAULT_MAX_LINE,
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
        self.max_line = bytes;
        self
    }

    /// Sends the request; gives the open stream together with status code, warnings and other headers.
    ///
    /// # Errors
    /// See [`Error`]. A resource version that is too old may be reported here or by the stream's first event.
    pub async fn send(self) -> Result<Response<WatchStream<K>>, Error> {
        let (client, wire, request) = self.call.checked()?;
        let (line, head, body) = client
            .open_stream(request)
            .await
            .map_err(|error| wire.map_error(error))?;
        Ok(Response::new(
            WatchStream::new(wire, line, body, self.max_line),
            head,
        ))
    }
}

sendable!(@await WatchRequest => WatchStream<K>);

impl<K: Resource> fmt::Debug for WatchRequest<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WatchRequest")
            .field(&self.call.request)
            .finish()
    }
}
