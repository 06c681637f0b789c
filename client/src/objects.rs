//! The verbs that `Api` and `Negotiated` have in common, so that a function is written once for both.

use crate::negotiate::negotiated::Negotiated;
use crate::verbs::api::Api;
use crate::verbs::update::UpdateWith;
use crate::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteIfExistsRequest, DeleteRequest,
    GetOptRequest, GetRequest, ListRequest, ReplaceRequest, WatchRequest,
};
use crate::wait::WaitFor;
use crate::watch::Watcher;
use crate::{Client, Error, PartialObjectMetadata, Resource};
use std::fmt::Debug;

mod sealed {
    use crate::{Api, Resource};

    pub trait Inner<K: Resource> {
        fn inner(&self) -> &Api<K>;
    }
}

/// Declares the trait, and the methods of `Negotiated`, which programs can call without importing the trait. `Api` has the
/// implementations.
macro_rules! verbs {
    ($(
        $(#[$attribute:meta])*
        fn $method:ident[$($generics:tt)*](&self $(, $argument:ident: $type:ty)*) -> $output:ty;
    )*) => {
        /// The objects of one kind on one server, in a fixed version ([`Api`]) or in a negotiated version ([`Negotiated`]).
        ///
        /// Both types have these methods, so that the trait need not be imported to call them. It is the bound of functions
        /// that work with both. Raw patches and subresources depend on the version, so that only [`Api`] has them. The
        /// trait cannot be implemented outside of this crate.
        ///
        /// ```no_run
        /// use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
        /// use k8s_flowcontrol::{Client, Error, Objects};
        ///
        /// async fn double(levels: &impl Objects<Level>, name: &str) -> Result<(), Error> {
        ///     let update = levels.update_with(name, |level| {
        ///         if let Some(limited) = &mut level.spec.limited {
        ///             limited.nominal_concurrency_shares = limited.nominal_concurrency_shares.map(|n| 2 * n);
        ///         }
        ///     });
        ///     update.await?;
        ///     Ok(())
        /// }
        ///
        /// # async fn example(client: Client) -> Result<(), Error> {
        /// double(&client.priority_level_configurations(), "workload-low").await?;
        /// double(&client.negotiated::<Level>().await?, "workload-low").await?;
        /// # Ok(())
        /// # }
        /// ```
        pub trait Objects<K: Resource>:
            sealed::Inner<K> + Clone + Debug + Send + Sync + 'static
        {
            $(
                $(#[$attribute])*
                fn $method<$($generics)*>(&self $(, $argument: $type)*) -> $output {
                    self.inner().$method($($argument),*)
                }
            )*
        }

        impl<K: Resource> Negotiated<K> {
            $(
                $(#[$attribute])*
                pub fn $method<$($generics)*>(&self $(, $argument: $type)*) -> $output {
                    self.api.$method($($argument),*)
                }
            )*
        }
    };
}

verbs! {
    /// The API version of the next request, such as `v1beta3`.
    fn wire_version[](&self) -> &'static str;

    /// The client.
    fn client[](&self) -> &Client;

    /// Reads objects, see [`Api::list`].
    fn list[](&self) -> ListRequest<K>;

    /// Reads an object, see [`Api::get`].
    fn get[](&self, name: &str) -> GetRequest<K>;

    /// Reads an object that may be missing, see [`Api::get_opt`].
    fn get_opt[](&self, name: &str) -> GetOptRequest<K>;

    /// Creates an object, see [`Api::create`].
    fn create[](&self, object: &K) -> CreateRequest<K>;

    /// Replaces an object, see [`Api::replace`].
    fn replace[](&self, object: &K) -> ReplaceRequest<K>;

    /// Applies an object by server-side apply, see [`Api::apply`]. Field ownership is recorded in the version on the wire.
    fn apply[](&self, object: &K) -> ApplyRequest<K>;

    /// Deletes an object, see [`Api::delete`].
    fn delete[](&self, name: &str) -> DeleteRequest<K>;

    /// Deletes an object that may be missing, see [`Api::delete_if_exists`].
    fn delete_if_exists[](&self, name: &str) -> DeleteIfExistsRequest<K>;

    /// Deletes many objects, see [`Api::delete_collection`].
    fn delete_collection[](&self) -> DeleteCollectionRequest<K>;

    /// Watches objects, see [`Api::watch`].
    fn watch[](&self) -> WatchRequest<K>;

    /// Watches objects for as long as the [`Watcher`] is polled, see [`Api::watcher`].
    ///
    /// Each event with an object has the `losses` of its conversion.
    fn watcher[](&self) -> Watcher<K>;

    /// Waits until a condition holds for an object, see [`Api::wait_for`].
    ///
    /// The object may lack fields that its conversion lost. Before changing it, use
    /// [`update_with`](Api::update_with) or [`get`](Api::get), which report them.
    fn wait_for['a](
        &self,
        name: &str,
        condition: impl FnMut(Option<&K>) -> bool + Send + 'a
    ) -> WaitFor<'a, K>;

    /// Reads an object through its status subresource, see [`Api::get_status`].
    fn get_status[](&self, name: &str) -> GetRequest<K>;

    /// Replaces the status of an object, see [`Api::replace_status`].
    fn replace_status[](&self, object: &K) -> ReplaceRequest<K>;

    /// Applies the status of an object by server-side apply, see [`Api::apply_status`].
    fn apply_status[](&self, object: &K) -> ApplyRequest<K>;

    /// Changes an object, see [`Api::update_with`].
    ///
    /// If reading loses fields, the update fails unless `.allow_loss()` is called, because the replace would remove them
    /// from the server.
    fn update_with['a](
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a
    ) -> UpdateWith<'a, K>;

    /// Changes an object, or creates it if it is missing, see [`Api::create_or_update`].
    fn create_or_update['a](
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a
    ) -> UpdateWith<'a, K>;

    /// Changes an object with a fallible function, see [`Api::try_update_with`].
    fn try_update_with['a, E: From<Error> + 'a](
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a
    ) -> UpdateWith<'a, K, E>;

    /// Changes the status of an object, see [`Api::update_status_with`].
    fn update_status_with['a](
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a
    ) -> UpdateWith<'a, K>;

    /// Changes the status of an object with a fallible function, see [`Api::try_update_status_with`].
    fn try_update_status_with['a, E: From<Error> + 'a](
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a
    ) -> UpdateWith<'a, K, E>;

    /// The metadata of the same objects, see [`Api::metadata`].
    fn metadata[](&self) -> Api<PartialObjectMetadata<K>>;
}

impl<K: Resource> Objects<K> for Api<K> {}

impl<K: Resource> sealed::Inner<K> for Api<K> {
    fn inner(&self) -> &Api<K> {
        self
    }
}

impl<K: Resource> Objects<K> for Negotiated<K> {}

impl<K: Resource> sealed::Inner<K> for Negotiated<K> {
    fn inner(&self) -> &Api<K> {
        &self.api
    }
}
