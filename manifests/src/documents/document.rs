//! One flow-control object in a text.

use super::form::Form;
use super::locate::{item, locate};
use super::parse::parse_part;
use super::recognize::{Identity, Posted};
use super::scalars::{Scalars, path};
use super::split::before_content;
use crate::lines::without_mark;
use k8s_flowcontrol_rules::decode::{Format, Problem};
use k8s_flowcontrol_text::{DuplicateKey, Span, SyntaxError, Tree, parse_json};
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One flow-control object in a text: a whole document, or an item of a list.
///
/// Spans and offsets count in the bytes of that text. An item of a YAML list does not have its own text: its fields are
/// located in the list.
#[derive(Clone, Debug)]
pub struct Document {
    pub(super) text: Arc<[u8]>,
    pub(super) identity: Identity,
    pub(super) posted: Posted,
    pub(super) body: Body,
    /// The object as a tree, read at most once.
    pub(super) parsed: OnceLock<Result<Arc<ParsedObject>, SyntaxError>>,
}

/// An object as a tree, and the keys that it has more than once.
#[derive(Debug)]
pub(super) struct ParsedObject {
    pub(super) tree: Tree,
    pub(super) duplicates: Vec<DuplicateKey>,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A range of the source's text.
    Text(Format, Range<usize>),
    /// An item of a YAML list. It does not have its own text and is sent as JSON.
    Item {
        json: Vec<u8>,
        list: Arc<ParsedObject>,
        /// The indexes of the item, the outermost list first.
        path: Vec<usize>,
        /// Keys that the item has more than once.
        duplicates: Vec<Problem>,
    },
}

impl Document {
    /// The kind under which the object is sent to a server.
    pub fn kind(&self) -> Kind {
        self.posted.kind
    }

    /// Whether the object has a `kind` or an `apiVersion`. An object with neither is sent to a server as its fields suggest.
    pub fn has_type(&self) -> bool {
        self.identity.kind.is_some() || self.identity.api_version.is_some()
    }

    /// The kind as written, or else the kind under which the object is sent.
    pub fn written_kind(&self) -> &str {
        let kind = self.identity.kind.as_deref();
        kind.filter(|kind| !kind.is_empty())
            .unwrap_or(self.posted.kind.as_str())
    }

    /// `apiVersion` as written, if it is a string.
    pub fn api_version(&self) -> Option<&str> {
        self.identity.api_version.as_deref()
    }

    /// `metadata.name`, if it is a string.
    pub fn name(&self) -> Option<&str> {
        self.identity.name.as_deref()
    }

    /// Kind and name, for messages: `FlowSchema "batch"`, `FlowSchema without a name`, or `object without kind and name`.
    pub fn title(&self) -> String {
        match &self.identity.name {
            Some(name) => format!("{} \"{name}\"", self.written_kind()),
            None if !self.has_type() => "object without kind and name".to_owned(),
            None => format!("{} without a name", self.written_kind()),
        }
    }

    /// Whether the object has a `metadata.resourceVersion`, as objects exported from a cluster have. A server does not create
    /// such an object.
    pub fn has_resource_version(&self) -> bool {
        self.identity.has_resource_version
    }

    /// The version as which a server of `release` reads the object.
    pub fn version(&self, release: Release) -> ApiVersion {
        self.posted.version.unwrap_or(release.preferred())
    }

    /// The body of the request that creates the object. The body of an item of a YAML list is JSON.
    pub fn body(&self) -> (Format, &[u8]) {
        match &self.body {
            Body::Text(format, range) => (*format, &self.text[range.clone()]),
            Body::Item { json, .. } => (Format::Json, json),
        }
    }

    /// Keys that an item of a YAML list has more than once. Other documents show them in their [body](Self::body).
    pub fn duplicates(&self) -> &[Problem] {
        match &self.body {
            Body::Text(..) => &[],
            Body::Item { duplicates, .. } => duplicates,
        }
    }

    /// The start of the document's content.
    pub fn start(&self) -> Span {
        match &self.body {
            Body::Text(format, range) => {
                let body = &self.text[range.clone()];
                let before = match format {
                    Format::Json => body.len() - without_mark(body).trim_ascii_start().len(),
                    Format::Yaml => before_content(body),
                };
                Span::new(range.start + before, range.start + before)
            }
            Body::Item { .. } => self.locate(""),
        }
    }

    /// The place of a field such as `spec.rules[0].subjects`; for an absent field, the place of the object that lacks it.
    pub fn locate(&self, field: &str) -> Span {
        match &self.body {
            Body::Text(..) => match self.parse() {
                Ok(parsed) => locate(parsed.tree.root(), field).shown,
                Err(_) => self.start(),
            },
            Body::Item { list, path, .. } => locate(item(list.tree.root(), path), field).shown,
        }
    }

    /// For each place of the text the path of the field whose name or scalar value is there, such as `spec.rules[0].subjects`; none for
    /// any other place. [`locate`](Self::locate) is the opposite.
    ///
    /// ```
    /// use k8s_flowcontrol_manifests::read;
    ///
    /// let text = "\
    /// apiVersion: flowcontrol.apiserver.k8s.io/v1
    /// kind: FlowSchema
    /// spec: {rules: [{subject: 1}]}
    /// ";
    /// let found = read(text.as_bytes());
    /// let places = [text.find("subject").unwrap(), text.len()];
    /// assert_eq!(found.documents[0].paths_at(&places), [Some("spec.rules[0].subject".to_owned()), None]);
    /// ```
    pub fn paths_at(&self, places: &[usize]) -> Vec<Option<String>> {
        let root = match &self.body {
            Body::Text(..) => match self.parse() {
                Ok(parsed) => parsed.tree.root(),
                Err(_) => return vec![None; places.len()],
            },
            Body::Item { list, path, .. } => item(list.tree.root(), path),
        };
        // Reading the text takes longer than finding a place in it.
        let scalars = Scalars::of(root);
        let path_at = |place: &usize| scalars.at(*place).map(|(_, steps)| path(&steps));
        places.iter().map(path_at).collect()
    }

    /// The place of a span of the [body](Self::body); none for an item of a YAML list.
    pub fn in_text(&self, span: Span) -> Option<Span> {
        match &self.body {
            Body::Text(_, range) => self.clamped(shifted(span, range.start)),
            Body::Item { .. } => None,
        }
    }

    /// A span of [`parse`](Self::parse) within the lines of the document: an error at the end of the text is shown at
    /// the end of the last line, and not on the next one. None for an item of a YAML list.
    pub(super) fn clamped(&self, span: Span) -> Option<Span> {
        match &self.body {
            Body::Text(_, range) => {
                let last = range.start + self.text[range.clone()].trim_ascii_end().len();
                Some(Span::new(
                    span.start.min(last),
                    span.end.min(last.max(span.start)),
                ))
            }
            Body::Item { .. } => None,
        }
    }

    /// The object as a tree, and the keys that it has more than once.
    ///
    /// Spans and offsets count in the whole text, except for an item of a YAML list: they count in its JSON.
    pub(super) fn parse(&self) -> Result<&ParsedObject, SyntaxError> {
        let parsed = self.parsed.get_or_init(|| self.read().map(Arc::new));
        parsed.as_ref().map(Arc::as_ref).map_err(Clone::clone)
    }

    fn read(&self) -> Result<ParsedObject, SyntaxError> {
        match &self.body {
            Body::Text(format, range) => {
                let form = match format {
                    Format::Json => Form::Json,
                    Format::Yaml => Form::Yaml,
                };
                let document = parse_part(&self.text, range.clone(), form)?;
                Ok(ParsedObject {
                    tree: document.tree,
                    duplicates: document.duplicates,
                })
            }
            Body::Item { json, .. } => Ok(ParsedObject {
                tree: parse_json(json)?,
                duplicates: Vec::new(),
            }),
        }
    }
}

fn shifted(span: Span, by: usize) -> Span {
    Span::new(span.start + by, span.end + by)
}
