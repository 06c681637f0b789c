//! Requests for the metadata of objects.

use super::api::Api;
use crate::{PartialObjectMetadata, Resource};

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
