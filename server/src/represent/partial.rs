//! The metadata of objects, without the rest.

use super::view::MetaVersion;
use crate::wire::WireValue;
use k8s_flowcontrol_types::schema::TypeSchema;
use serde::Serialize;
use serde_json::Value;

/// The metadata of an object, with its fields in Go's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Partial<'a> {
    kind: &'static str,
    api_version: &'static str,
    metadata: Option<WireValue<'a>>,
}

/// The metadata of `object` with the schema `schema`.
pub(crate) fn partial<'a>(
    object: &'a Value,
    schema: &'a TypeSchema,
    version: MetaVersion,
) -> Partial<'a> {
    let metadata = schema
        .field("metadata")
        .zip(object.get("metadata"))
        .map(|(field, value)| WireValue {
            value,
            shape: &field.shape,
        });
    Partial {
        kind: "PartialObjectMetadata",
        api_version: version.api_version(),
        metadata,
    }
}

/// A list of the metadata of objects.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PartialList<'a, M> {
    kind: &'static str,
    api_version: &'static str,
    metadata: &'a M,
    /// Go writes an empty list as `null`.
    items: Option<Vec<Partial<'a>>>,
}

/// The metadata of the items of a list, and of the list.
pub(crate) fn partial_list<'a, M: Serialize>(
    metadata: &'a M,
    items: &'a [Value],
    schema: &'a TypeSchema,
    version: MetaVersion,
) -> PartialList<'a, M> {
    PartialList {
        kind: "PartialObjectMetadataList",
        api_version: version.api_version(),
        metadata,
        items: (!items.is_empty()).then(|| {
            let partial = |item| partial(item, schema, version);
            items.iter().map(partial).collect()
        }),
    }
}
