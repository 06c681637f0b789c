//! One kind in one version: the verbs that read. `write` has the verbs that write.

mod write;

use super::call::Call;
use super::{GetOptRequest, GetRequest, ListRequest, WatchRequest};
use crate::Resource;
use crate::api::v1;
use crate::error::Error;
use crate::negotiate::call::NegotiatedCall;
use crate::negotiate::codec::Codecs;
use crate::request::http_request::Verb;
use crate::request::path::{Collection, Target};
use crate::request::representation::{accept, without_managed_fields};
use crate::request::resource_kind::ResourceKind;
use crate::resource::Namespaced;
use crate::send::client::Client;
use std::fmt;

const STATUS: Option<&str> = Some("status");

/// The objects of one kind in one API version on one server. Cheap to clone.
///
/// Each verb returns a builder. Nothing is sent before the builder is awaited, and an invalid argument is reported then
/// ([`Error::is_argument`]). `.await` returns the value; `.send().await` returns a [`Response`](crate::client::Response) with the
/// status code and the headers too.
///
/// A future that is dropped cancels its request; a write may have taken effect by then.
///
/// ```no_run
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// let schemas = client.flow_schemas();
/// let mine = schemas.get("mine").await?;
/// schemas.apply(&mine).field_manager("me").force().await?;
/// schemas.delete("mine").dry_run().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Api<K: Resource> {
    client: Client,
    namespace: Option<String>,
    codecs: Codecs<K>,
}

impl Client {
    /// The priority levels, in v1.
    pub fn priority_level_configurations(&self) -> Api<v1::PriorityLevelConfiguration> {
        self.api()
    }

    /// The flow schemas, in v1.
    pub fn flow_schemas(&self) -> Api<v1::FlowSchema> {
        self.api()
    }

    /// The objects of a kind, in the version of its type. For a namespaced kind, the objects of all namespaces.
    ///
    /// [`negotiated`](Self::negotiated) uses the best version of the server instead.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::api::v1beta3;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let schemas = client.api::<v1beta3::FlowSchema>().list().await?;
    /// # drop(schemas);
    /// # Ok(())
    /// # }
    /// ```
    pub fn api<K: Resource>(&self) -> Api<K> {
        Api::new(self.clone(), None)
    }

    /// The objects of a namespaced kind in one namespace. For a kind without namespaces this does not compile:
    ///
    /// ```compile_fail,E0271
    /// use k8s_flowcontrol::api::v1::FlowSchema;
    ///
    /// # fn example(client: k8s_flowcontrol::Client) {
    /// let schemas = client.namespaced_api::<FlowSchema>("team");
    /// # }
    /// ```
    pub fn namespaced_api<K: Resource<Scope = Namespaced>>(&self, namespace: &str) -> Api<K> {
        Api::new(self.clone(), Some(namespace.to_owned()))
    }
}

impl<K: Resource> Api<K> {
    pub(crate) fn new(client: Client, namespace: Option<String>) -> Self {
        Self::of_kind(client, ResourceKind::of::<K>(), namespace)
    }

    pub(crate) fn of_kind(
        client: Client,
        resource: ResourceKind,
        namespace: Option<String>,
    ) -> Self {
        Self {
            client,
            namespace,
            codecs: Codecs::own(resource),
        }
    }

    /// The objects of all namespaces, in negotiated versions.
    pub(crate) fn negotiated(client: Client, codecs: Codecs<K>) -> Self {
        Self {
            client,
            namespace: None,
            codecs,
        }
    }

    /// The same objects in the current version only: a request fails when the server no longer serves it.
    pub(crate) fn pin(&self) -> Self {
        Self {
            codecs: self.codecs.pin(),
            ..self.clone()
        }
    }

    /// Whether the version of [`pin`](Self::pin) is still the negotiated one.
    pub(crate) fn is_current(&self) -> bool {
        self.codecs.is_current()
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The same collection without `metadata.managedFields` in lists and watches.
    pub(crate) fn dropping_managed_fields(mut self) -> Self {
        self.codecs = self.codecs.dropping_managed_fields();
        self
    }

    /// Whether lists and watches keep objects that do not fit their type, instead of failing because of them.
    pub(crate) fn keeping_invalid(mut self, keeps: bool) -> Self {
        self.codecs = self.codecs.keeping_invalid(keeps);
        self
    }

    /// The kind of the objects.
    pub fn kind(&self) -> ResourceKind {
        self.codecs.resource()
    }

    /// The API version on the wire, such as `v1beta3`.
    pub fn wire_version(&self) -> &'static str {
        self.codecs.version()
    }

    /// Reads all objects, or those matching selectors.
    ///
    /// `.await` sends one request and returns the [`List`](crate::List). Large collections are read in chunks: with
    /// [`limit`](ListRequest::limit) the response is one page and `metadata.continue` the token for the next;
    /// [`pages`](ListRequest::pages) and [`items`](ListRequest::items) follow these tokens.
    ///
    /// All objects come from one state of the collection. By default that is the newest state;
    /// [`resource_version`](ListRequest::resource_version) selects another, such as `0` for the server's cache. The
    /// list's `metadata.resource_version` is the place to [`watch`](Self::watch) from. See [resource versions] and
    /// [chunks].
    ///
    /// # Errors
    /// - [`is_forbidden`](Error::is_forbidden) without the permission to list.
    /// - [`is_bad_request`](Error::is_bad_request) for an invalid selector.
    /// - [`is_expired`](Error::is_expired) if the continue token or the exact resource version is too old: list again.
    /// - [`is_version_not_served`](Error::is_version_not_served) if the server does not serve this API version.
    /// - [`is_too_many_requests`](Error::is_too_many_requests) and other temporary errors, after
    ///   [retries](crate::client::RetryPolicy).
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let levels = client.priority_level_configurations();
    /// let team_a = levels.list().label_selector("team=a").await?;
    /// println!("{} levels at {:?}", team_a.items.len(), team_a.metadata.resource_version);
    ///
    /// let mut all = levels.list().limit(100).items();
    /// while let Some(level) = all.next().await {
    ///     println!("{:?}", level?.metadata.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [resource versions]: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
    /// [chunks]: https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
    pub fn list(&self) -> ListRequest<K> {
        ListRequest {
            call: self.call(Verb::List, |collection| collection.all()),
            codecs: self.codecs.clone(),
        }
    }

    /// Reads an object.
    ///
    /// By default the server returns the newest state. [`resource_version`](GetRequest::resource_version) accepts an older
    /// one from the server's cache, see [the semantics of get].
    ///
    /// # Errors
    /// - [`is_not_found`](Error::is_not_found) if the object does not exist.
    /// - [`is_version_not_served`](Error::is_version_not_served) if the server does not serve this API version.
    /// - [`is_forbidden`](Error::is_forbidden) without the permission to get.
    /// - [`is_argument`](Error::is_argument) if `name` is empty, `.` or `..`, or contains `/` or `%`.
    /// - [`is_too_many_requests`](Error::is_too_many_requests) and other temporary errors, after
    ///   [retries](crate::client::RetryPolicy).
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// match client.flow_schemas().get("exempt").await {
    ///     Ok(schema) => println!("precedence {:?}", schema.spec.matching_precedence),
    ///     Err(error) if error.is_not_found() => println!("does not exist"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [the semantics of get]: https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
    pub fn get(&self, name: &str) -> GetRequest<K> {
        self.read(name, None)
    }

    /// Reads an object that may be missing: `None` if it does not exist.
    ///
    /// # Errors
    /// As [`get`](Self::get), except for the missing object. A version that the server does not serve is an error.
    ///
    /// ```no_run
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// if client.flow_schemas().get_opt("mine").await?.is_none() {
    ///     println!("does not exist");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_opt(&self, name: &str) -> GetOptRequest<K> {
        let GetRequest { call, codecs } = self.get(name);
        GetOptRequest { call, codecs }
    }

    /// Opens a watch: a stream of the changes of objects.
    ///
    /// Watch from the `metadata.resource_version` of a [`list`](Self::list) to receive every change. The stream ends
    /// when the server closes it. [`watcher`](Self::watcher) lists, watches and reconnects automatically. See
    /// [watches].
    ///
    /// # Errors
    /// - [`is_expired`](Error::is_expired) if the resource version is too old: list again. This error can also be the first
    ///   event of the stream.
    /// - [`is_bad_request`](Error::is_bad_request) for an invalid selector.
    /// - [`is_forbidden`](Error::is_forbidden) without the permission to watch.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::watch::WatchEvent;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// let schemas = client.flow_schemas();
    /// let version = schemas.list().await?.metadata.resource_version.unwrap_or_default();
    /// let mut events = schemas.watch().resource_version(version).bookmarks().await?;
    /// while let Some(event) = events.next().await {
    ///     if let WatchEvent::Deleted { object, .. } = event? {
    ///         println!("deleted: {:?}", object.metadata.name);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [watches]: https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
    pub fn watch(&self) -> WatchRequest<K> {
        self.follow(|collection| collection.all())
    }

    /// Reads an object through its subresource `status`, as [`get`](Self::get).
    pub fn get_status(&self, name: &str) -> GetRequest<K> {
        self.read(name, STATUS)
    }

    /// Opens a watch through the deprecated endpoint below `watch/`.
    #[deprecated(note = "Kubernetes deprecates the endpoints below watch/; use `watch`")]
    pub fn watch_list_deprecated(&self) -> WatchRequest<K> {
        self.follow(|collection| collection.watch(None))
    }

    /// Opens a watch of one object through the deprecated endpoint below `watch/`.
    #[deprecated(
        note = "Kubernetes deprecates the endpoints below watch/; use `watch` with the field selector `metadata.name=NAME`"
    )]
    pub fn watch_object_deprecated(&self, name: &str) -> WatchRequest<K> {
        self.follow(|collection| collection.watch(Some(name)))
    }

    fn read(&self, name: &str, subresource: Option<&str>) -> GetRequest<K> {
        GetRequest {
            call: self.object_call(Verb::Get, name, subresource),
            codecs: self.codecs.clone(),
        }
    }

    fn follow(
        &self,
        target: impl FnOnce(Collection<'_>) -> Result<Target, Error>,
    ) -> WatchRequest<K> {
        WatchRequest::new(self.call(Verb::Watch, target), self.codecs.clone())
    }

    /// The same collection as objects of another type, which the server converts.
    pub(crate) fn represented<R: Resource>(&self) -> Api<R> {
        Api {
            client: self.client.clone(),
            namespace: self.namespace.clone(),
            codecs: self.codecs.represented(),
        }
    }

    pub(crate) fn call(
        &self,
        verb: Verb,
        target: impl FnOnce(Collection<'_>) -> Result<Target, Error>,
    ) -> Call {
        let negotiated = self.codecs.call();
        let agreed = negotiated.as_ref().map(NegotiatedCall::agreed);
        let resource = self.codecs.resource();
        let collection = Collection {
            resource,
            version: agreed.map_or(resource.version(), |agreed| agreed.version.as_str()),
            namespace: self.namespace.as_deref(),
        };
        let mut call = Call::new(&self.client, verb, target(collection));
        if let Some(accept) = accept::<K>(verb) {
            call.change(|request| request.accept = accept);
        }
        if self.codecs.reading().drops_managed_fields && matches!(verb, Verb::List | Verb::Watch) {
            call.change(|request| request.accept = without_managed_fields(&request.accept));
        }
        match negotiated {
            Some(negotiated) => call.negotiated(negotiated),
            None => call,
        }
    }

    pub(crate) fn object_call(&self, verb: Verb, name: &str, subresource: Option<&str>) -> Call {
        self.call(verb, |collection| collection.object(name, subresource))
    }
}

impl<K: Resource> fmt::Debug for Api<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api")
            .field("kind", &self.codecs.resource().kind())
            .field("version", &self.codecs.version())
            .field("namespace", &self.namespace)
            .field("client", &self.client)
            .finish()
    }
}
