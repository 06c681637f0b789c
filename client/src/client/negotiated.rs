//! One type in the program, the best served version on the wire.

use super::BoxFuture;
use super::api::Api;
use super::connection::Client;
use super::error::{Error, Kind};
use super::update::UpdateWith;
use super::verbs::{
    ApplyRequest, CreateRequest, DeleteCollectionRequest, DeleteRequest, GetRequest, ListRequest,
    ReplaceRequest, WatchRequest,
};
use super::wire::Wire;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::meta::Info;
use crate::{ApiVersion, Release, Resource};

/// The objects of one kind in whatever version the server serves, made by [`Client::negotiated`].
///
/// Has the verbs of [`Api`] that take and give whole objects; they are converted on the way. Raw patches speak
/// the paths of one version and are left to [`Api`].
///
/// A write that would lose or change meaning in the wire's version fails before it is sent
/// ([`Error::is_lossy`]), unless `.allow_loss()` is called on it. What reading lost is in
/// [`Response::losses`](super::Response::losses). The paths in [`Error::causes`] are those of `K`.
///
/// ```no_run
/// use k8s_flowcontrol::api::v1;
///
/// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
/// let levels = client.negotiated::<v1::PriorityLevelConfiguration>().await?;
/// println!("speaking {}", levels.wire_version());
/// let mut level = levels.get("workload-low").await?;
/// if let Some(limited) = &mut level.spec.limited {
///     limited.nominal_concurrency_shares = Some(0);
/// }
/// match levels.replace(&level).await {
///     Err(error) if error.is_lossy() => println!("an old server: {}", error.losses()[0]),
///     other => drop(other?),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Negotiated<K: Resource> {
    pub(crate) api: Api<K>,
}

/// A kind of this group, in any version: what [`Client::negotiated`] can convert.
pub trait Negotiable: Resource + sealed::Wires {}

impl Client {
    /// A kind's objects in whatever version the server serves: the type's own one if it can be had, else the
    /// newest.
    ///
    /// # Errors
    /// When the server does not answer, or serves no version that this crate knows.
    pub fn negotiated<K: Negotiable>(&self) -> BoxFuture<Result<Negotiated<K>, Error>> {
        let client = self.clone();
        Box::pin(async move { Negotiated::find(&client).await })
    }
}

impl<K: Negotiable> Negotiated<K> {
    async fn find(client: &Client) -> Result<Self, Error> {
        let group = client.api_group(K::GROUP).await?;
        let served: Vec<&str> = group
            .versions
            .iter()
            .map(|version| version.version.as_str())
            .collect();
        let Some(version) = choose(K::VERSION, &served) else {
            return Err(Error::new(Kind::NotServed(format!(
                "the server serves {} in {}; expected v1, v1beta3, v1beta2 or v1beta1",
                K::GROUP,
                if served.is_empty() {
                    "no version".to_owned()
                } else {
                    served.join(", ")
                },
            ))));
        };
        // A user may be forbidden to read the release; the versions then tell enough.
        let release = client.version().await.ok();
        let wire = Wire {
            release: server_release(release.as_ref(), &served),
            ..K::wire(version)
        };
        Ok(Self {
            api: Api::with_wire(client.clone(), wire, None),
        })
    }
}

impl<K: Resource> Negotiated<K> {
    /// The API version on the wire, such as `v1beta3`.
    pub fn wire_version(&self) -> &'static str {
        self.api.wire_version()
    }

    /// The client that the requests go through.
    pub fn client(&self) -> &Client {
        self.api.client()
    }

    /// Reads objects, see [`Api::list`].
    pub fn list(&self) -> ListRequest<K> {
        self.api.list()
    }

    /// Reads an object, see [`Api::get`].
    pub fn get(&self, name: &str) -> GetRequest<K> {
        self.api.get(name)
    }

    /// Creates an object, see [`Api::create`].
    pub fn create(&self, object: &K) -> CreateRequest<K> {
        self.api.create(object)
    }

    /// Replaces an object, see [`Api::replace`].
    pub fn replace(&self, object: &K) -> ReplaceRequest<K> {
        self.api.replace(object)
    }

    /// Server-side apply, see [`Api::apply`]. The fields are booked in the wire's version.
    pub fn apply(&self, object: &K) -> ApplyRequest<K> {
        self.api.apply(object)
    }

    /// Deletes an object, see [`Api::delete`].
    pub fn delete(&self, name: &str) -> DeleteRequest<K> {
        self.api.delete(name)
    }

    /// Deletes many objects, see [`Api::delete_collection`].
    pub fn delete_collection(&self) -> DeleteCollectionRequest<K> {
        self.api.delete_collection()
    }

    /// Follows the changes of objects, see [`Api::watch`].
    pub fn watch(&self) -> WatchRequest<K> {
        self.api.watch()
    }

    /// Reads an object through its status subresource, see [`Api::get_status`].
    pub fn get_status(&self, name: &str) -> GetRequest<K> {
        self.api.get_status(name)
    }

    /// Replaces the status of an object, see [`Api::replace_status`].
    pub fn replace_status(&self, object: &K) -> ReplaceRequest<K> {
        self.api.replace_status(object)
    }

    /// Server-side apply of the status of an object, see [`Api::apply_status`].
    pub fn apply_status(&self, object: &K) -> ApplyRequest<K> {
        self.api.apply_status(object)
    }

    /// Changes an object, see [`Api::update_with`]. What reading has lost the replace would lose to the server, so
    /// that such an update fails, unless `.allow_loss()` is called on it.
    pub fn update_with<'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a,
    ) -> UpdateWith<'a, K> {
        self.api.update_with(name, change)
    }

    /// Changes an object or refuses to, see [`Api::try_update_with`].
    pub fn try_update_with<'a, E: From<Error> + 'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a,
    ) -> UpdateWith<'a, K, E> {
        self.api.try_update_with(name, change)
    }

    /// Changes the status of an object, see [`Api::update_status_with`].
    pub fn update_status_with<'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) + Send + 'a,
    ) -> UpdateWith<'a, K> {
        self.api.update_status_with(name, change)
    }

    /// Changes the status of an object or refuses to, see [`Api::try_update_status_with`].
    pub fn try_update_status_with<'a, E: From<Error> + 'a>(
        &self,
        name: &str,
        change: impl FnMut(&mut K) -> Result<(), E> + Send + 'a,
    ) -> UpdateWith<'a, K, E> {
        self.api.try_update_status_with(name, change)
    }
}

/// The wanted version when it is served, else the newest of those served that the crate knows.
fn choose(wanted: &str, served: &[&str]) -> Option<ApiVersion> {
    let known = ApiVersion::ALL
        .into_iter()
        .filter(|version| served.contains(&version.as_str()));
    known
        .clone()
        .find(|version| version.as_str() == wanted)
        .or_else(|| known.max())
}

/// The release of a server, from its own answer if there is one, else the oldest that serves these versions.
fn server_release(info: Option<&Info>, served: &[&str]) -> Release {
    let introduced = ApiVersion::ALL
        .into_iter()
        .filter(|version| served.contains(&version.as_str()))
        .map(|version| version.lifecycle().introduced)
        .max();
    let minor = info.and_then(minor).or(introduced);
    minor.map_or(Release::NEWEST, Release::nearest)
}

/// The 29 of `1.29`; some vendors write `29+`.
fn minor(info: &Info) -> Option<u32> {
    if info.major.trim() != "1" {
        return None;
    }
    let digits = info
        .minor
        .trim()
        .split(|c: char| !c.is_ascii_digit())
        .next()?;
    digits.parse().ok()
}

mod sealed {
    use super::{ApiVersion, Resource, Wire};

    /// How a kind travels in each version.
    pub trait Wires: Resource {
        #[doc(hidden)]
        #[allow(private_interfaces)]
        fn wire(version: ApiVersion) -> Wire<Self>;
    }
}

macro_rules! negotiable {
    ($kind:ident: $($module:ident)*) => {$(
        impl Negotiable for $module::$kind {}

        #[allow(private_interfaces)]
        impl sealed::Wires for $module::$kind {
            fn wire(version: ApiVersion) -> Wire<Self> {
                match version {
                    ApiVersion::V1 => Wire::of::<v1::$kind>(),
                    ApiVersion::V1Beta3 => Wire::of::<v1beta3::$kind>(),
                    ApiVersion::V1Beta2 => Wire::of::<v1beta2::$kind>(),
                    ApiVersion::V1Beta1 => Wire::of::<v1beta1::$kind>(),
                }
            }
        }
    )*};
}
negotiable!(FlowSchema: v1 v1beta3 v1beta2 v1beta1);
negotiable!(PriorityLevelConfiguration: v1 v1beta3 v1beta2 v1beta1);

#[cfg(test)]
mod tests;
