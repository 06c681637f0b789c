//! Reading one object, and the metadata of objects alone.

use super::api::Api;
use super::call::builder;
use crate::negotiate::codec::{Codec, Codecs};
use crate::request::query::{pretty_setter, setters};
use crate::response::decode::if_found;
use crate::{PartialObjectMetadata, Resource};

builder! {
    /// Reads an object, made by [`Api::get`](crate::Api::get) and
    /// [`Api::get_status`](crate::Api::get_status).
    GetRequest<K: Resource> { codecs: Codecs<K> } => K, |this| this.call.send_in(&this.codecs, Codec::object).await
}

builder! {
    /// Reads an object that may be missing, made by [`Api::get_opt`](crate::Api::get_opt).
    GetOptRequest<K: Resource> { codecs: Codecs<K> } => Option<K>, |this| {
        if_found(this.call.send_in(&this.codecs, Codec::object).await)
    }
}

macro_rules! get_setters {
    ($($builder:ident)*) => {$(
        pretty_setter!($builder);
        setters!($builder {
            /// The minimum state to read. Unset means the newest state; `0` means any state in the server's cache; see
            /// [resource versions].
            ///
            /// [resource versions]: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
            resource_version(version: impl Into<String>) => "resourceVersion" = version;
        });
    )*};
}

get_setters!(GetRequest GetOptRequest);

impl<K: Resource> Api<K> {
    /// The metadata of the same objects: get, list, watch, delete and patch return the metadata alone.
    ///
    /// Saves the traffic, time and memory of everything else where a program only needs names, labels, owners or
    /// resource versions. [Watchers](Self::watcher) and [stores](crate::watch::Store) work with it too. It is the same as
    /// [`Client::api`](crate::Client::api) of a [`PartialObjectMetadata`]. See [metadata-only fetches].
    ///
    /// Change an object with a [`patch`](Self::patch). Requests that send a whole object fail with an error for which
    /// [`is_argument`](crate::Error::is_argument) is true.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::Resource;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let schemas = client.flow_schemas().metadata();
    /// for schema in schemas.list().label_selector("team=a").await? {
    ///     println!("{} {:?}", schema.name(), schema.metadata.creation_timestamp);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [metadata-only fetches]: https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches
    pub fn metadata(&self) -> Api<PartialObjectMetadata<K>> {
        self.represented()
    }
}
