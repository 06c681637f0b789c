//! The objects before an update.

use crate::documents::{Document, documents, read};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::{GROUP, Release};
use k8s_flowcontrol_manifests::Object;
use std::path::Path;

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

/// Whether a document is in v1alpha1, which no known release serves or converts.
pub(super) fn is_alpha(document: &Document) -> bool {
    let version = document
        .api_version()
        .and_then(|version| version.strip_prefix(GROUP));
    version == Some("/v1alpha1")
}
