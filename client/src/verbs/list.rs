//! Reading many objects.

use super::call::builder;
use super::page_token::PageToken;
use super::pages::{Items, Pages};
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{pretty_setter, selection_setters, setters};
use crate::request::representation::without_managed_fields;
use crate::{List, Resource};

builder! {
    /// Reads objects, made by [`Api::list`](crate::Api::list).
    ///
    /// `.await` sends one request; with a [`limit`](Self::limit) it returns the first page.
    /// [`pages`](Self::pages) and [`items`](Self::items) read all pages.
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
    ListRequest<K: Resource> { codecs: Codecs<K> } => List<K>, |this| this.call.send_in(&this.codecs, Codec::list).await
}

pretty_setter!(ListRequest);
selection_setters!(ListRequest);

setters!(ListRequest {
    /// Documented for lists as for watches. Has no effect on a list.
    allow_watch_bookmarks(allow: bool) => "allowWatchBookmarks" = allow.to_string();
    /// Documented for lists as for watches. An error for a list (422).
    send_initial_events(send: bool) => "sendInitialEvents" = send.to_string();
});

impl<K: Resource> ListRequest<K> {
    /// Continues a list that was read in part, perhaps by another process, with its selectors and page size.
    ///
    /// A list of another collection or API version, or with other selectors, is an error for which
    /// [`is_argument`](crate::Error::is_argument) is true. An expired token is an error of the server
    /// ([`is_expired`](crate::Error::is_expired)), and so is a token of an API version that
    /// [`Negotiated`](crate::client::Negotiated) no longer uses.
    pub fn page_token(mut self, token: &PageToken) -> Self {
        self.call = self.call.try_change(|request| token.resume(request));
        self
    }

    /// The pages of the list, as a stream. [`limit`](Self::limit) is the size of a page and defaults to 500 objects.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let mut pages = client.flow_schemas().list().limit(100).pages();
    /// while let Some(page) = pages.next().await {
    ///     let page = page?;
    ///     println!("{} of about {:?} more", page.items.len(), page.metadata.remaining_item_count);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages(self) -> Pages<K> {
        Pages::new(self.call, self.codecs)
    }

    /// Whether objects that do not fit their type are kept in [`List::invalid`]. Defaults to `false`: the list fails because
    /// of them.
    ///
    /// Without effect on [`items`](Self::items).
    pub fn keep_invalid(mut self, keep: bool) -> Self {
        self.codecs = self.codecs.keeping_invalid(keep);
        self
    }

    /// Reads the objects without `metadata.managedFields`, often half of an object.
    ///
    /// The client asks the server to omit them (`Accept: application/json;drop=metadata.managedFields`), and removes
    /// them if the server sends them nevertheless, as all released servers do: that saves only memory. A server keeps them when
    /// such an object is written back. [`is_applied`](crate::ownership::is_applied) and
    /// [`extract`](crate::ownership::extract) need them. Defaults to off.
    pub fn drop_managed_fields(mut self) -> Self {
        self.codecs = self.codecs.dropping_managed_fields();
        self.call
            .change(|request| request.accept = without_managed_fields(&request.accept));
        self
    }

    /// The objects of all pages, as a stream.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Resource;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let mut items = client.flow_schemas().list().label_selector("team=a").items();
    /// while let Some(schema) = items.next().await {
    ///     println!("{}", schema?.name());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn items(mut self) -> Items<K> {
        self.codecs = self.codecs.keeping_invalid(false);
        Items::new(self.pages())
    }
}
