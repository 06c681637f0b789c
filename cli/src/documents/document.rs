//! One flow-control object in a text.

use super::form::Form;
use super::locate::{item, locate};
use super::parse::parse_part;
use super::recognize::{Identity, Posted};
use super::split::before_content;
use crate::source::{Source, without_mark};
use k8s_flowcontrol::rules::decode::{Format, Problem};
use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_text::{DuplicateKey, Span, SyntaxError, Tree, parse_json};
use std::ops::Range;
use std::sync::Arc;

/// One flow-control object in a text: a whole document, or an item of a list.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) source: Arc<Source>,
    /// The fields that identify the object, as written.
    pub(crate) identity: Identity,
    /// The kind and version under which the object is sent to a server.
    pub(crate) posted: Posted,
    pub(super) body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    /// A range of the source's text.
    Text(Format, Range<usize>),
    /// An item of a YAML list, which has no text of its own: it is sent as JSON.
    Item {
        json: Vec<u8>,
        list: Arc<Tree>,
        /// The indexes of the item, the outermost list first.
        path: Vec<usize>,
        /// Keys that the item has more than once.
        duplicates: Vec<Problem>,
    },
}

impl Document {
    /// The body of the request that creates the object.
    pub(crate) fn body(&self) -> (Format, &[u8]) {
        match &self.body {
            Body::Text(format, range) => (*format, &self.source.text[range.clone()]),
            Body::Item { json, .. } => (Format::Json, json),
        }
    }

    /// The object as a tree, and the keys that it has more than once.
    ///
    /// Spans and offsets count in the source's text, except for an item of a YAML list: they count in its JSON.
    pub(super) fn parse(&self) -> Result<(Tree, Vec<DuplicateKey>), SyntaxError> {
        match &self.body {
            Body::Text(format, range) => {
                let form = match format {
                    Format::Json => Form::Json,
                    Format::Yaml => Form::Yaml,
                };
                let document = parse_part(&self.source.text, range.clone(), form)?;
                Ok((document.tree, document.duplicates))
            }
            Body::Item { json, .. } => Ok((parse_json(json)?, Vec::new())),
        }
    }

    /// The version as which a server of `release` reads the object.
    pub(crate) fn version(&self, release: Release) -> ApiVersion {
        self.posted.version.unwrap_or(release.preferred())
    }

    /// The kind as written, or else the kind under which the object is sent.
    pub(crate) fn kind(&self) -> &str {
        let kind = self
            .identity
            .kind
            .as_deref()
            .filter(|kind| !kind.is_empty());
        kind.unwrap_or(self.posted.kind.as_str())
    }

    /// Kind and name, for messages.
    pub(crate) fn title(&self) -> String {
        match &self.identity.name {
            Some(name) => format!("{} \"{name}\"", self.kind()),
            None => format!("{} without a name", self.kind()),
        }
    }

    /// Keys that an item of a YAML list has more than once. Other documents show them in their text.
    pub(crate) fn duplicates(&self) -> &[Problem] {
        match &self.body {
            Body::Text(..) => &[],
            Body::Item { duplicates, .. } => duplicates,
        }
    }

    /// The span in the source of a span in the [body](Self::body); none for an item of a YAML list.
    pub(crate) fn in_source(&self, span: Span) -> Option<Span> {
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
                let last = range.start + self.source.text[range.clone()].trim_ascii_end().len();
                Some(Span::new(
                    span.start.min(last),
                    span.end.min(last.max(span.start)),
                ))
            }
            Body::Item { .. } => None,
        }
    }

    /// The start of the document's content in the source.
    pub(crate) fn start(&self) -> Span {
        match &self.body {
            Body::Text(format, range) => {
                let body = &self.source.text[range.clone()];
                let before = match format {
                    Format::Json => body.len() - without_mark(body).trim_ascii_start().len(),
                    Format::Yaml => before_content(body),
                };
                Span::new(range.start + before, range.start + before)
            }
            Body::Item { .. } => self.locate(""),
        }
    }

    /// The place of a field such as `spec.rules[0].subjects` in the source; for an absent field, the place of the object
    /// that lacks it.
    pub(crate) fn locate(&self, field: &str) -> Span {
        match &self.body {
            Body::Text(..) => match self.parse() {
                Ok((tree, _)) => locate(tree.root(), field).shown,
                Err(_) => self.start(),
            },
            Body::Item { list, path, .. } => locate(item(list.root(), path), field).shown,
        }
    }
}

fn shifted(span: Span, by: usize) -> Span {
    Span::new(span.start + by, span.end + by)
}
