//! One type in the program, and the best version of the server on the wire.

use super::codec::{Codec, Codecs};
use super::negotiation::Negotiation;
use crate::api::{v1, v1beta1, v1beta2, v1beta3};
use crate::error::{Error, ErrorKind};
use crate::send::client::Client;
use crate::transport::BoxFuture;
use crate::verbs::api::Api;
use crate::{ApiVersion, Resource};

/// The objects of one kind in the best version of the server, made by [`Client::negotiated`].
///
/// It has the verbs of [`Api`] that send and return whole objects, and converts the objects. Raw patches contain the field
/// paths of one version, so only [`Api`] has them. [`Objects`](crate::Objects) is the trait of both.
///
/// A write that would lose or change fields in the server's version fails before it is sent ([`Error::is_lossy`]), unless
/// `.allow_loss()` is called. The losses of a read are in [`Response::losses`](crate::client::Response::losses). The causes of an
/// error ([`Error::causes`]) contain the field paths of `K`.
///
/// The version stays until the server no longer serves it, because it was upgraded or downgraded. Then the next request
/// negotiates again, once for all clones, and is written and sent again in the new version; its losses are checked for
/// that version. [Watchers](crate::watch::Watcher) and [stores](crate::watch::Store) list again. A list that is read page by
/// page does not continue in another version, and fails as if its token had expired ([`Error::is_expired`]).
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

/// A kind of this group, in any version.
pub trait Negotiable: Resource + sealed::HasCodecs {}

impl Client {
    /// The objects of a kind in the best version of the server: the type's own version if the server has it, else the
    /// newest version.
    ///
    /// Reads the versions and the release of the server.
    ///
    /// ```no_run
    /// use k8s_flowcontrol::api::v1::FlowSchema;
    ///
    /// # async fn example(client: k8s_flowcontrol::Client) -> Result<(), k8s_flowcontrol::Error> {
    /// // The same program for Kubernetes 1.25, which serves v1beta2, and 1.36, which serves v1.
    /// let schemas = client.negotiated::<FlowSchema>().await?;
    /// println!("{} schemas in {}", schemas.list().await?.items.len(), schemas.wire_version());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the request fails, or the server does not serve a version that this crate knows.
    pub fn negotiated<K: Negotiable>(&self) -> BoxFuture<Result<Negotiated<K>, Error>> {
        let client = self.clone();
        Box::pin(async move { Negotiated::find(&client).await })
    }
}

impl<K: Negotiable> Negotiated<K> {
    async fn find(client: &Client) -> Result<Self, Error> {
        match Negotiation::begin(client, K::GROUP, K::VERSION).await? {
            Ok(negotiation) => Ok(Self::with(client, negotiation)),
            Err(served) => Err(Error::new(ErrorKind::NotServed(format!(
                "the server serves {} in {}; expected v1, v1beta3, v1beta2 or v1beta1",
                K::GROUP,
                if served.is_empty() {
                    "no version".to_owned()
                } else {
                    served.join(", ")
                },
            )))),
        }
    }

    fn with(client: &Client, negotiation: Negotiation) -> Self {
        let codecs = Codecs::negotiated(negotiation, K::codec);
        Self {
            api: Api::negotiated(client.clone(), codecs),
        }
    }
}

mod sealed {
    use super::{ApiVersion, Codec, Resource};

    /// The codec of a kind in each version.
    pub trait HasCodecs: Resource {
        #[doc(hidden)]
        #[allow(private_interfaces)]
        fn codec(version: ApiVersion) -> Codec<Self>;
    }
}

macro_rules! negotiable {
    ($kind:ident: $($module:ident)*) => {$(
        impl Negotiable for $module::$kind {}

        #[allow(private_interfaces)]
        impl sealed::HasCodecs for $module::$kind {
            // Inline, so that a program compiles only the kinds that it negotiates.
            #[inline]
            fn codec(version: ApiVersion) -> Codec<Self> {
                match version {
                    ApiVersion::V1 => Codec::of::<v1::$kind>(),
                    ApiVersion::V1Beta3 => Codec::of::<v1beta3::$kind>(),
                    ApiVersion::V1Beta2 => Codec::of::<v1beta2::$kind>(),
                    ApiVersion::V1Beta1 => Codec::of::<v1beta1::$kind>(),
                }
            }
        }
    )*};
}
negotiable!(FlowSchema: v1 v1beta3 v1beta2 v1beta1);
negotiable!(PriorityLevelConfiguration: v1 v1beta3 v1beta2 v1beta1);
