//! The views of an object that a client can request.

/// The version of `meta.k8s.io` that the client requests.
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

    pub(super) fn api_version(self) -> &'static str {
        match self {
            Self::V1 => "meta.k8s.io/v1",
            Self::V1Beta1 => "meta.k8s.io/v1beta1",
        }
    }
}

/// The view of an object that a client requests.
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
