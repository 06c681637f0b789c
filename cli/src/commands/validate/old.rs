//! The objects before an update.

use crate::documents::{Document, documents, read};
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::Streams;
use k8s_flowcontrol::kind::Versioned;
use k8s_flowcontrol::rules::decode;
use k8s_flowcontrol::{ApiVersion, GROUP, Kind, Release};
use k8s_flowcontrol_manifests::Object;
use std::path::Path;

/// Reads the old objects of a file.
pub(super) fn read_old(
    file: &Path,
    release: Release,
    streams: &mut Streams,
) -> Result<Vec<Object>, Failure> {
    let source = read(file, true)?;
    let name = source.name.clone();
    let mut old = Vec::new();
    for document in &documents(source).documents {
        let object = document.object(release)?;
        object.warn(streams)?;
        old.push(Object::new(object.kind, object.version, object.tree));
    }
    if old.is_empty() {
        return Err(Failure::input(format!(
            "{name} contains no flow-control object to update"
        )));
    }
    Ok(old)
}

/// The objects of a cluster.
pub(super) fn live_old(objects: &Objects) -> Vec<Object> {
    fn old<K: Versioned>(kind: Kind, object: &K) -> Object {
        Object::new(kind, ApiVersion::V1, decode::tree_of(object))
    }
    let schemas = objects.flow_schemas.iter();
    let schemas = schemas.map(|schema| old(Kind::FlowSchema, schema));
    let levels = objects.levels.iter();
    let levels = levels.map(|level| old(Kind::PriorityLevelConfiguration, level));
    schemas.chain(levels).collect()
}

/// Whether a document is in v1alpha1, which no known release serves or converts.
pub(super) fn is_alpha(document: &Document) -> bool {
    let version = document
        .api_version()
        .and_then(|version| version.strip_prefix(GROUP));
    version == Some("/v1alpha1")
}
