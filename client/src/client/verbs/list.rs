//! Reading many objects.

use crate::client::call::builder;
use crate::client::pages::{Items, Pages};
use crate::client::params::{pretty_setter, selection_setters, setters};
use crate::client::wire::Wire;
use crate::{List, Resource};

builder! {
    /// Reads objects, made by [`Api::list`](crate::client::Api::list).
    ///
    /// Awaited, it is one request: with a [`limit`](Self::limit) the first page only.
    /// [`pages`](Self::pages) and [`items`](Self::items) go through all of them.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let mut schemas = client.flow_schemas().list().label_selector("team=a").items();
    /// while let Some(schema) = schemas.next().await {
    ///     println!("{}", schema?.metadata.name.unwrap_or_default());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ListRequest<K: Resource> { wire: Wire<K> } => List<K>, |this| this.call.send(this.wire.list()).await
}

pretty_setter!(ListRequest);
selection_setters!(ListRequest);

setters!(ListRequest {
    /// Documented for lists as for watches; a list takes no notice of it.
    allow_watch_bookmarks(allow: bool) => "allowWatchBookmarks" = allow.to_string();
    /// Documented for lists as for watches; a list with it is answered with 422.
    send_initial_events(send: bool) => "sendInitialEvents" = send.to_string();
});

impl<K: Resource> ListRequest<K> {
    /// The list page by page, of 500 objects unless [`limit`](Self::limit) says otherwise.
    pub fn pages(self) -> Pages<K> {
        Pages::new(self.call.client, self.wire, self.call.request)
    }

    /// The objects one by one, read page by page.
    pub fn items(self) -> Items<K> {
        Items::new(self.pages())
    }
}
