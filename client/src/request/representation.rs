//! Representations of a kind on the wire, such as `PartialObjectMetadata`.

use super::http_request::Verb;
use crate::Resource;
use crate::error::Error;
use http::HeaderValue;

/// The media type of a representation of a kind, such as `PartialObjectMetadata`; `None` for the kind itself.
pub(crate) fn accept<K: Resource>(verb: Verb) -> Option<HeaderValue> {
    let (group, version, kind) = representation::<K>()?;
    let list = match verb {
        Verb::List | Verb::DeleteCollection => "List",
        _ => "",
    };
    let media_type = format!("application/json;as={kind}{list};g={group};v={version}");
    HeaderValue::try_from(media_type).ok()
}

/// The media type without `metadata.managedFields` (KEP-5958), else the media type itself.
pub(crate) fn without_managed_fields(accept: &HeaderValue) -> HeaderValue {
    const DROPPED: &str = ";drop=metadata.managedFields";
    match accept.to_str() {
        Ok(accept) if !accept.contains(DROPPED) => {
            HeaderValue::try_from(format!("{accept}{DROPPED}, {accept}"))
        }
        _ => Ok(accept.clone()),
    }
    // Valid text stays valid with the constant.
    .unwrap_or_else(|_| accept.clone())
}

/// Representations are made by the server, so that it cannot store them.
/// Errors: for a type that is not the kind itself.
pub(crate) fn check_writable<K: Resource>() -> Result<(), Error> {
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
