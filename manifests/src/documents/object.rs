//! Documents as objects.

use super::document::Document;
use k8s_flowcontrol_rules::decode::{self, DecodeAs, Format, Problem};
use k8s_flowcontrol_rules::strip_server_fields;
use k8s_flowcontrol_text::{Content, DuplicateKey, Node, Span, SyntaxError, to_value};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::Value;
use std::fmt;

/// An object as a server reads it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Object {
    /// The kind of the object.
    pub kind: Kind,
    /// The version of the object.
    pub version: ApiVersion,
    /// The object in its version: known fields only, without defaults.
    pub tree: Value,
    /// Unknown and duplicate fields, with their places in the text.
    pub problems: Vec<Problem>,
}

impl Object {
    /// An object in a version, without problems.
    pub fn new(kind: Kind, version: ApiVersion, tree: Value) -> Self {
        Self {
            kind,
            version,
            tree,
            problems: Vec::new(),
        }
    }
}

/// The reason why a document is not an object.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The reason, in the server's words where a server has the same one.
    pub message: String,
    /// The place in the text.
    pub span: Span,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DecodeError {}

impl Document {
    /// The object as a server of `release` decodes it. `server_tree` of `k8s_flowcontrol_rules::conversion` converts it to another
    /// version, with the defaults of the server.
    ///
    /// ```
    /// use k8s_flowcontrol_manifests::read;
    /// use k8s_flowcontrol_rules::conversion::server_tree;
    /// use k8s_flowcontrol_types::api::v1::FlowSchema;
    /// use k8s_flowcontrol_types::kind::VersionedKind;
    /// use k8s_flowcontrol_types::{ApiVersion, Release, json};
    ///
    /// let text = "\
    /// apiVersion: flowcontrol.apiserver.k8s.io/v1beta3
    /// kind: FlowSchema
    /// metadata: {name: batch}
    /// spec: {priorityLevelConfiguration: {name: workload-low}}
    /// ";
    /// let release: Release = "1.29".parse()?;
    /// let object = read(text.as_bytes()).documents[0].decode(release)?;
    /// let kind = VersionedKind::new(object.kind, object.version, release);
    /// let schema: FlowSchema = json::from_value(&server_tree(object.tree, kind, ApiVersion::V1)?)?;
    /// assert_eq!(schema.spec.matching_precedence, Some(1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first syntax error or value of a wrong type, an empty document, or an unknown kind or version of the group.
    pub fn decode(&self, release: Release) -> Result<Object, DecodeError> {
        let place = |span: Option<Span>| {
            let span = span.and_then(|span| self.clamped(span));
            span.unwrap_or_else(|| self.start())
        };
        let fail = |message: &str, span: Option<Span>| DecodeError {
            message: message.to_owned(),
            span: place(span),
        };
        let syntax = |error: SyntaxError| {
            let at = error.offset();
            fail(error.message(), Some(Span::new(at, at + 1)))
        };
        let parsed = self.parse().map_err(syntax)?;
        let root = parsed.tree.root();
        let what = match root.content() {
            Content::Object(_) => None,
            Content::Null => Some("empty"),
            Content::Array(_) => Some("a list"),
            Content::Bool(_) | Content::Number(_) | Content::String(_) => Some("a single value"),
        };
        if let Some(what) = what {
            let message = format!(
                "the document is {what}: expected a FlowSchema or a PriorityLevelConfiguration"
            );
            return Err(fail(&message, None));
        }
        let kind = self.posted.kind;
        let written = self.api_version().unwrap_or_default();
        let shape = self.identity.shape();
        if self.posted.version.is_none() && shape.is_none() && !written.is_empty() {
            let message = format!(
                "{written:?} is not a version of flow control: expected v1, v1beta3, v1beta2 or v1beta1"
            );
            let span = root.get("apiVersion").map(Node::span);
            return Err(fail(&message, span));
        }
        if let Err(error) = self.written_kind().parse::<Kind>() {
            let span = root.get("kind").map(Node::span);
            return Err(fail(&error.to_string(), span));
        }
        let version = shape.unwrap_or(self.version(release));
        let target = DecodeAs::from(VersionedKind::new(kind, version, release))
            .sorted(self.body().0 == Format::Yaml);
        let decoded =
            decode::decode(root, target).map_err(|error| fail(&error.message, Some(error.span)))?;
        let mut tree = decoded.value;
        tree["apiVersion"] = version.api_version().into();
        tree["kind"] = kind.as_str().into();
        let duplicates = parsed.duplicates.iter().map(|key: &DuplicateKey| Problem {
            message: key.to_string(),
            span: key.span,
        });
        let problems = duplicates.chain(decoded.problems).map(|problem| Problem {
            span: place(Some(problem.span)),
            ..problem
        });
        Ok(Object {
            kind,
            version,
            tree,
            problems: problems.collect(),
        })
    }

    /// The object with its unknown fields; none for a malformed text.
    pub fn value(&self) -> Option<Value> {
        to_value(self.parse().ok()?.tree.root()).ok()
    }

    /// The object with its unknown fields and without the fields that servers fill in; none for a malformed text.
    pub fn stripped(&self) -> Option<Value> {
        let mut value = self.value()?;
        strip_server_fields(&mut value);
        Some(value)
    }
}
