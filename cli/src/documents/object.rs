//! Documents as objects.

use super::document::Document;
use crate::failure::Failure;
use crate::output::{Diagnostic, Streams};
use k8s_flowcontrol::convert::{Loss, Lossy};
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::conversion::server_tree;
use k8s_flowcontrol::rules::decode::{self, DecodeAs, Format, Problem};
use k8s_flowcontrol::{ApiVersion, Kind, Release, Resource};
use k8s_flowcontrol_text::{Content, DuplicateKey, Node, Span, SyntaxError, to_value};
use serde_json::Value;
use std::io::{self, Write};

/// An object as a server reads it.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    /// The document of the object.
    pub(crate) document: Document,
    /// The kind of the object.
    pub(crate) kind: Kind,
    /// The version of the object.
    pub(crate) version: ApiVersion,
    /// The object in its version: known fields only, without defaults.
    pub(crate) tree: Value,
    /// Unknown and duplicate fields.
    problems: Vec<Problem>,
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

    fn warn_of(
        &self,
        streams: &mut Streams,
        is_meant: impl Fn(&&Problem) -> bool,
    ) -> io::Result<()> {
        for problem in self.problems.iter().filter(is_meant) {
            let span = self.document.clamped(problem.span);
            let message = format!("{}: {}", self.document.title(), problem.message);
            let diagnostic = Diagnostic::warning(message)
                .at(&self.document.source, span.unwrap_or(self.document.start()));
            write!(streams.err, "{}", diagnostic.render())?;
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

impl Document {
    /// The object as a server of `release` decodes it.
    pub(crate) fn decode(&self, release: Release) -> Result<Object, Failure> {
        let fail = |message: &str, span: Option<Span>| {
            let span = span.and_then(|span| self.clamped(span));
            let diagnostic = Diagnostic::error(format!("{}: {message}", self.title()))
                .at(&self.source, span.unwrap_or(self.start()));
            Failure::input("cannot read an object").because(vec![diagnostic])
        };
        let syntax = |error: SyntaxError| {
            let at = error.offset();
            fail(error.message(), Some(Span::new(at, at + 1)))
        };
        let (tree, duplicates) = self.parse().map_err(syntax)?;
        let root = tree.root();
        if matches!(root.content(), Content::Null) {
            let message =
                "the document is empty: expected a FlowSchema or a PriorityLevelConfiguration";
            return Err(fail(message, None));
        }
        let kind = self.posted.kind;
        let written = self.identity.api_version.as_deref().unwrap_or_default();
        let shape = self.identity.shape();
        if self.posted.version.is_none() && shape.is_none() && !written.is_empty() {
            let message = format!(
                "{written:?} is no version of flow control: expected one of v1, v1beta3, v1beta2 and v1beta1"
            );
            let span = root.get("apiVersion").map(Node::span);
            return Err(fail(&message, span));
        }
        let version = shape.unwrap_or(self.version(release));
        let target = DecodeAs::from(VersionedKind::new(kind, version, release))
            .sorted(self.body().0 == Format::Yaml);
        let decoded =
            decode::decode(root, target).map_err(|error| fail(&error.message, Some(error.span)))?;
        let mut tree = decoded.value;
        tree["apiVersion"] = version.api_version().into();
        tree["kind"] = kind.as_str().into();
        let problem = |key: DuplicateKey| Problem {
            message: key.to_string(),
            span: key.span,
        };
        let duplicates = duplicates.into_iter().map(problem);
        Ok(Object {
            document: self.clone(),
            kind,
            version,
            tree,
            problems: duplicates.chain(decoded.problems).collect(),
        })
    }

    /// The object with its unknown fields and without the fields that servers fill in; none for a malformed text.
    pub(crate) fn stripped(&self) -> Option<Value> {
        let mut value = self.value()?;
        strip_server_fields(&mut value);
        Some(value)
    }

    /// The object with its unknown fields; none for a malformed text.
    pub(crate) fn value(&self) -> Option<Value> {
        let (tree, _) = self.parse().ok()?;
        to_value(tree.root()).ok()
    }

    /// Whether the object was exported from a cluster: it cannot be created with its resourceVersion.
    pub(crate) fn has_resource_version(&self) -> bool {
        self.identity.has_resource_version
    }
}

/// Removes the fields that servers fill in.
pub(crate) fn strip_server_fields(object: &mut Value) {
    let Some(fields) = object.as_object_mut() else {
        return;
    };
    fields.remove("status");
    if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in [
            "creationTimestamp",
            "generation",
            "managedFields",
            "resourceVersion",
            "selfLink",
            "uid",
        ] {
            metadata.remove(name);
        }
    }
}
