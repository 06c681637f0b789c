//! Requests for the metadata of objects.

use super::api::Api;
use super::error::Error;
use super::request::Verb;
use crate::{PartialObjectMetadata, Resource};
use http::HeaderValue;

impl<K: Resource> Api<K> {
    /// The metadata of the same objects: get, list, watch, delete and patch return the metadata alone.
    ///
    /// Saves the traffic, time and memory of everything else where a program only needs names, labels, owners or
    /// resource versions. [Watchers](Self::watcher) and [stores](crate::watch::Store) work with it too. It is the same as
    /// [`Client::api`](crate::Client::api) of a [`PartialObjectMetadata`]. See [metadata-only fetches].
    ///
    /// Change an object with a [`patch`](Self::patch). Requests that send a whole object fail with an error that
    /// [`is_argument`](Error::is_argument).
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

/// The media type of a representation of a kind, such as `PartialObjectMetadata`; `None` for the kind itself.
pub(super) fn accept<K: Resource>(verb: Verb) -> Option<HeaderValue> {
    let (group, version, kind) = representation::<K>()?;
    let list = match verb {
        Verb::List | Verb::DeleteCollection => "List",
        _ => "",
    };
    let media_type = format!("application/json;as={kind}{list};g={group};v={version}");
    HeaderValue::try_from(media_type).ok()
}

/// Representations are made by the server, so that it cannot store them.
///
/// # Errors
/// For a type that is not the kind itself.
pub(super) fn check_writable<K: Resource>() -> Result<(), Error> {
    match representation::<K>() {
        None => Ok(()),
        Some((_, _, representation)) => Err(Error::argument(format!(
            "a {representation} cannot be written; patch the object, or write a {}",
            K::KIND
        ))),
    }
}

/// The group, version and kind of the objects on the wire, if `K` is a representation of another kind.
fn representation<K: Resource>() -> Option<(&'static str, &'static str, &'static str)> {
    let wire = K::TABLE.type_meta?;
    if wire.kind == K::KIND && wire.api_version == K::API_VERSION {
        return None;
    }
    let (group, version) = wire.api_version.split_once('/')?;
    Some((group, version, wire.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::v1::FlowSchema;

    #[test]
    fn only_representations_have_a_media_type_of_their_own() {
        assert_eq!(accept::<FlowSchema>(Verb::Get), None);
        let accept = |verb| accept::<PartialObjectMetadata<FlowSchema>>(verb).unwrap();
        for (verb, kind) in [
            (Verb::Get, "PartialObjectMetadata"),
            (Verb::Watch, "PartialObjectMetadata"),
            (Verb::List, "PartialObjectMetadataList"),
        ] {
            let expected = format!("application/json;as={kind};g=meta.k8s.io;v=v1");
            assert_eq!(accept(verb), expected);
        }
    }
}
