//! Documents as objects.

use super::document::Document;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams};
use k8s_flowcontrol::convert::{Loss, Lossy};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::conversion::server_tree;
use k8s_flowcontrol::rules::decode::Problem;
use k8s_flowcontrol::{ApiVersion, Kind, Release, Resource};
use serde_json::Value;
use std::io;

/// An object as a server reads it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) document: Document,
    pub(crate) kind: Kind,
    pub(crate) version: ApiVersion,
    /// The object in its version: known fields only, without defaults.
    pub(crate) tree: Value,
    /// Unknown and duplicate fields.
    pub(super) problems: Vec<Problem>,
}

impl Document {
    /// The object as a server of `release` decodes it.
    pub(crate) fn object(&self, release: Release) -> Result<Object, Failure> {
        let object = self.decode(release).map_err(|error| {
            let diagnostic = Diagnostic::error(self.decode_message(&error))
                .at(&self.source, error.span)
                .help_if(self.decode_help());
            Failure::input("cannot read an object").because(vec![diagnostic])
        })?;
        if !self.has_type() && object.tree.get("spec").is_none() {
            let message = "an object without apiVersion, kind and spec: expected a FlowSchema or a \
                           PriorityLevelConfiguration";
            let diagnostic = Diagnostic::error(message).at(&self.source, self.start());
            return Err(Failure::input("cannot read an object").because(vec![diagnostic]));
        }
        Ok(Object {
            document: self.clone(),
            kind: object.kind,
            version: object.version,
            tree: object.tree,
            problems: object.problems,
        })
    }
}

impl Object {
    pub(crate) fn name(&self) -> &str {
        self.tree["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// The object with its unknown fields, so that their loss is reported; without them if the object is too large.
    pub(crate) fn written(&self) -> Value {
        let value = self.document.value().filter(Value::is_object);
        value.unwrap_or_else(|| self.tree.clone())
    }

    /// Warns of unknown and duplicate fields.
    pub(crate) fn warn(&self, streams: &mut Streams) -> io::Result<()> {
        self.warn_of(streams, |_| true)
    }

    /// Warns of duplicate fields, of which only one has an effect.
    pub(crate) fn warn_of_duplicates(&self, streams: &mut Streams) -> io::Result<()> {
        self.warn_of(streams, |problem| !problem.message.starts_with("unknown"))
    }

    /// Warns of unknown and duplicate fields, except of unknown fields at these paths.
    pub(crate) fn warn_except(&self, paths: &[&str], streams: &mut Streams) -> io::Result<()> {
        self.warn_of(streams, |problem| {
            let unknown = problem.message.strip_prefix("unknown field ");
            unknown.is_none_or(|path| !paths.contains(&path.trim_matches('"')))
        })
    }

    fn warn_of(
        &self,
        streams: &mut Streams,
        is_meant: impl Fn(&&Problem) -> bool,
    ) -> io::Result<()> {
        for problem in self.problems.iter().filter(is_meant) {
            let message = format!("{}: {}", self.document.title(), problem.message);
            let diagnostic = Diagnostic::warning(message).at(&self.document.source, problem.span);
            diagnostic.write(&mut streams.err)?;
        }
        Ok(())
    }

    /// The object as a server of `release` returns it in v1, and the losses of the conversion.
    pub(crate) fn in_v1<K: Resource>(&self, release: Release) -> Result<(K, Vec<Loss>), Failure> {
        let kind = VersionedKind::new(self.kind, self.version, release);
        let (tree, losses) = Lossy::parts(server_tree(self.tree.clone(), kind, ApiVersion::V1));
        let object = serde_json::from_value(tree).map_err(|error| {
            let diagnostic = Diagnostic::error(format!("{}: {error}", self.document.title()))
                .at(&self.document.source, self.document.start());
            Failure::input("cannot read an object").because(vec![diagnostic])
        })?;
        Ok((object, losses))
    }
}
