//! How an object is shown to a client that asks for something else than the object: its metadata alone,
//! or a table for people; and as YAML.

mod age;
mod columns;
mod descriptions;
mod partial;
pub(crate) mod protobuf;
mod protobuf_messages;
mod table;
mod yaml;

pub(crate) use columns::Columns;
pub(crate) use partial::{partial, partial_list};
pub(crate) use table::{Include, table, table_metadata};
pub use yaml::to_yaml;

/// The version of `meta.k8s.io` that the client asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    V1,
    V1Beta1,
}

impl MetaVersion {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text {
            "v1" => Some(Self::V1),
            "v1beta1" => Some(Self::V1Beta1),
            _ => None,
        }
    }

    fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// What a client wants to see of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// The object itself.
    Whole,
    /// `PartialObjectMetadata`.
    Partial(MetaVersion),
    /// `PartialObjectMetadataList`.
    PartialList(MetaVersion),
    /// `Table`.
    Table(MetaVersion),
}
