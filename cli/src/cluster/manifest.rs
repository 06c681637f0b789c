//! Objects of files, converted to the API version of the requests.

use super::live::Live;
use crate::documents::{Document, FileArgs, each_object};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams};
use k8s_flowcontrol::convert::{Lossy, shape_tree};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::bootstrap::{self, AUTO_UPDATE_ANNOTATION};
use k8s_flowcontrol::{Kind, Release};
use k8s_flowcontrol_manifests::strip_server_fields;
use serde_json::Value;

/// An object of a file in the API version of the requests.
pub(crate) struct Manifest {
    pub(crate) document: Document,
    pub(crate) kind: Kind,
    pub(crate) tree: Value,
}

impl Manifest {
    pub(crate) fn name(&self) -> &str {
        super::fields::name(&self.tree)
    }

    /// The objects of files without the fields that servers fill in. Levels come first, because schemas refer to them.
    /// Errors: if objects are missing or unreadable, and if fields are lost and `allow_loss` is false; otherwise the losses are printed.
    pub(crate) fn read(
        command: &str,
        files: &FileArgs,
        live: &Live,
        release: Release,
        allow_loss: bool,
        streams: &mut Streams,
    ) -> Result<Vec<Self>, Failure> {
        let mut manifests = Vec::new();
        let mut losses = Vec::new();
        each_object(files, release, streams, |object, streams| {
            object.warn_of_duplicates(streams)?;
            let kind = object.kind;
            let from = VersionedKind::new(kind, object.version, release);
            let (mut tree, lost) = Lossy::parts(shape_tree(object.written(), from, live.version));
            let document = object.document;
            for loss in lost {
                let message = format!("{}: {}: {}", document.title(), loss.path, loss.why);
                let diagnostic = Diagnostic::error(message).id("loss");
                losses.push(diagnostic.at(&document.source, document.locate(&loss.path)));
            }
            tree["apiVersion"] = live.version.api_version().into();
            tree["kind"] = kind.as_str().into();
            strip_server_fields(&mut tree);
            drop_foreign_annotation(kind, &mut tree, &document, release, streams)?;
            manifests.push(Self {
                document,
                kind,
                tree,
            });
            Ok(())
        })?;
        if manifests.is_empty() {
            return Err(no_objects(command));
        }
        if allow_loss {
            for loss in losses.drain(..) {
                loss.downgraded().write(&mut streams.err)?;
            }
        }
        if !losses.is_empty() {
            let message = format!(
                "converting to {}, the version of the requests, loses fields",
                live.version
            );
            let failure = Failure::new(Exit::Loss, message).because(losses);
            return Err(
                failure.hint("change the objects, or accept the losses with `--allow-loss`")
            );
        }
        manifests.sort_by_key(|manifest| manifest.kind == Kind::FlowSchema);
        Ok(manifests)
    }
}

/// Removes the annotation with which a server deletes objects that are not built in. Copies of built-in objects have it.
fn drop_foreign_annotation(
    kind: Kind,
    tree: &mut Value,
    document: &Document,
    release: Release,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let name = super::fields::name(tree).to_owned();
    let is_built_in = bootstrap::is_built_in(kind, &name, release);
    let annotations = tree
        .pointer_mut("/metadata/annotations")
        .and_then(Value::as_object_mut);
    let removed = annotations
        .filter(|annotations| {
            !is_built_in
                && annotations
                    .get(AUTO_UPDATE_ANNOTATION)
                    .is_some_and(|value| value == "true")
        })
        .and_then(|annotations| annotations.remove(AUTO_UPDATE_ANNOTATION));
    if removed.is_some() {
        let message = format!(
            "{}: removed the annotation {AUTO_UPDATE_ANNOTATION}: the server would delete an object that has it and is not built in",
            document.title()
        );
        let place = document.locate("metadata.annotations");
        let warning = Diagnostic::warning(message).at(&document.source, place);
        warning.write(&mut streams.err)?;
    }
    Ok(())
}

/// The error about files without flow-control objects, in kubectl's words.
pub(crate) fn no_objects(command: &str) -> Failure {
    Failure::input(format!("no objects passed to {command}"))
        .hint("the files must contain flow schemas or priority levels")
}
