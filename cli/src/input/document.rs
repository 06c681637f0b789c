//! One flow control object in a text.

use super::locate::locate;
use super::recognize::{Posted, Said};
use super::source::{Source, without_mark};
use super::split::before_content;
use k8s_flowcontrol::rules::decode::{Format, Problem};
use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Node, Span, Tree};
use std::ops::Range;
use std::sync::Arc;

/// One flow control object in a text: a whole document, or an item of a list.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// The text.
    pub(crate) source: Arc<Source>,
    /// What the document says that it is.
    pub(crate) said: Said,
    /// As what it is sent to a server.
    pub(crate) posted: Posted,
    pub(super) body: Body,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    /// As it stands in the text.
    Text(Format, Range<usize>),
    /// An item of a YAML list, which has no text of its own: it is sent as JSON.
    Item {
        json: Vec<u8>,
        list: Arc<Tree>,
        /// Where the list's document begins in the text.
        start: usize,
        /// The items' numbers, the outermost list first.
        path: Vec<usize>,
        /// Keys that the item has more than once.
        duplicates: Vec<Problem>,
    },
}

impl Document {
    /// What is sent to a server, byte for byte.
    pub(crate) fn body(&self) -> (Format, &[u8]) {
        match &self.body {
            Body::Text(format, range) => (*format, &self.source.text[range.clone()]),
            Body::Item { json, .. } => (Format::Json, json),
        }
    }

    /// The body without a byte order mark, for everybody but a server.
    pub(crate) fn readable_body(&self) -> (Format, &[u8]) {
        let (format, body) = self.body();
        (format, without_mark(body))
    }

    /// The version in whose terms the document is read by a server of `release`.
    pub(crate) fn version(&self, release: Release) -> ApiVersion {
        self.posted.version.unwrap_or(release.preferred())
    }

    /// The kind that the document says it has, or else is taken to have.
    pub(crate) fn kind(&self) -> &str {
        let said = self.said.kind.as_deref().filter(|kind| !kind.is_empty());
        said.unwrap_or(self.posted.kind.as_str())
    }

    /// Kind and name as messages mention them.
    pub(crate) fn title(&self) -> String {
        match &self.said.name {
            Some(name) => format!("{} \"{name}\"", self.kind()),
            None => format!("{} without a name", self.kind()),
        }
    }

    /// Keys that a YAML list's item has more than once; elsewhere the text itself tells.
    pub(crate) fn duplicates(&self) -> &[Problem] {
        match &self.body {
            Body::Text(..) => &[],
            Body::Item { duplicates, .. } => duplicates,
        }
    }

    /// Where a place in the body stands in the source's text.
    pub(crate) fn in_source(&self, span: Span) -> Option<Span> {
        match &self.body {
            Body::Text(_, range) => {
                // What ends too early does so at the end of its last line, not on the next.
                let last = self.source.text[range.clone()].trim_ascii_end().len();
                let span = Span::new(span.start.min(last), span.end.min(last.max(span.start)));
                Some(shifted(span, range.start))
            }
            Body::Item { .. } => None,
        }
    }

    /// Where the document begins in the source's text.
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

    /// Where a member stands in the source's text, such as `spec.rules[0].subjects`; for one that is absent, what
    /// it should be in.
    pub(crate) fn locate(&self, field: &str) -> Span {
        match &self.body {
            Body::Text(format, range) => {
                let body = &self.source.text[range.clone()];
                let mark = body.len() - without_mark(body).len();
                let (tree, shift) = match format {
                    Format::Json => (
                        text::parse_json(without_mark(body)).ok(),
                        range.start + mark,
                    ),
                    Format::Yaml => (
                        text::parse_yaml(body).ok().map(|yaml| yaml.tree),
                        range.start,
                    ),
                };
                let span = tree.map_or(Span::default(), |tree| locate(tree.root(), field));
                shifted(span, shift)
            }
            Body::Item {
                list, start, path, ..
            } => shifted(locate(item(list.root(), path), field), *start),
        }
    }
}

fn shifted(span: Span, by: usize) -> Span {
    Span::new(span.start + by, span.end + by)
}

/// The item of nested lists.
fn item<'a>(root: Node<'a>, path: &[usize]) -> Node<'a> {
    path.iter().fold(root, |node, index| {
        let found = node.get("items").and_then(|items| match items.content() {
            text::Content::Array(elements) => elements.iter().nth(*index),
            _ => None,
        });
        found.unwrap_or(node)
    })
}
