//! The documents of a text.

use super::document::{Body, Document};
use super::recognize::{Posted, Recognized, Said, recognize, recognize_text};
use super::source::{Source, without_mark};
use super::split::split;
use k8s_flowcontrol::rules::decode::{Format, Problem};
use k8s_flowcontrol_text as text;
use k8s_flowcontrol_text::{Content, Node, Span, SyntaxError, Tree, parse_json, parse_yaml};
use std::ops::Range;
use std::sync::Arc;

/// What was found in a text.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Flow control objects, and texts that should be some.
    pub(crate) documents: Vec<Document>,
    /// How many documents of other kinds there were.
    pub(crate) others: usize,
    /// What could not be read and names nothing of ours, such as a template of another kind.
    pub(crate) unreadable: Vec<(Arc<Source>, Span, SyntaxError)>,
}

/// Finds the flow control objects of a text.
pub(crate) fn documents(source: Source) -> Found {
    let source = Arc::new(source);
    let mut found = Found::default();
    let (format, mut ranges) = split(&source);
    if ranges.is_empty() && source.is_named && source.name != "-" {
        // A server has an answer to nothing, too; a pipe may well be empty.
        ranges.push(0..source.text.len());
    }
    // A text of one document that a person named is taken for ours where nothing speaks against it.
    let is_named = source.is_named && ranges.len() == 1;
    for range in ranges {
        let body = &source.text[range.clone()];
        let parsed = match format {
            // Mistakes are shown to a person; a byte order mark is not one.
            Format::Json => parse_json(without_mark(body)).map(|tree| (tree, Vec::new())),
            Format::Yaml => parse_yaml(body).map(|yaml| {
                let problem = |key: &text::DuplicateKey| Problem {
                    message: key.to_string(),
                    span: key.span,
                };
                let duplicates = yaml.duplicates.iter().map(problem).collect();
                (yaml.tree, duplicates)
            }),
        };
        match parsed {
            Ok((tree, duplicates)) => {
                let scan = Scan {
                    source: &source,
                    format,
                    range,
                    is_named,
                    tree: Arc::new(tree),
                    duplicates,
                };
                scan.document(&mut found);
            }
            Err(error) => match recognize_text(body, is_named) {
                Some(posted) => found.documents.push(Document {
                    source: Arc::clone(&source),
                    said: Said::default(),
                    posted,
                    body: Body::Text(format, range),
                }),
                None => {
                    let at = range.start + error.offset();
                    let source = Arc::clone(&source);
                    found.unreadable.push((source, Span::new(at, at), error));
                }
            },
        }
    }
    found
}

/// A document that could be parsed.
struct Scan<'a> {
    source: &'a Arc<Source>,
    format: Format,
    range: Range<usize>,
    is_named: bool,
    tree: Arc<Tree>,
    duplicates: Vec<Problem>,
}

impl Scan<'_> {
    fn document(&self, found: &mut Found) {
        let root = self.tree.root();
        let said = Said::of(root);
        match root.content() {
            Content::Null if self.format == Format::Yaml && !self.is_named => return,
            Content::Object(_) => {}
            _ if self.is_named => {}
            _ => {
                found.others += 1;
                return;
            }
        }
        match recognize(root, &said, self.is_named) {
            Recognized::Ours(posted) => {
                let body = Body::Text(self.format, self.range.clone());
                found.documents.push(self.make(said, posted, body));
            }
            Recognized::List(of) => self.items(of, found),
            Recognized::Other => found.others += 1,
        }
    }

    /// The items of a list, and of the lists in it, in order.
    fn items(&self, of: Option<Posted>, found: &mut Found) {
        let mut lists = vec![(Vec::new(), of, items(self.tree.root()).enumerate())];
        while let Some((path, of, rest)) = lists.last_mut() {
            let Some((index, node)) = rest.next() else {
                lists.pop();
                continue;
            };
            let mut path = path.clone();
            path.push(index);
            let said = Said::of(node);
            // Items of a typed list need not say what they are.
            let recognized = match *of {
                Some(posted) if said.kind.is_none() => Recognized::Ours(posted),
                _ => recognize(node, &said, false),
            };
            match recognized {
                Recognized::Ours(posted) => {
                    found
                        .documents
                        .push(self.make(said, posted, self.item(node, path)));
                }
                Recognized::List(of) => lists.push((path, of, items(node).enumerate())),
                Recognized::Other => found.others += 1,
            }
        }
    }

    fn item(&self, node: Node<'_>, path: Vec<usize>) -> Body {
        let span = node.span();
        if self.format == Format::Json {
            let body = &self.source.text[self.range.clone()];
            let shift = self.range.start + body.len() - without_mark(body).len();
            return Body::Text(Format::Json, span.start + shift..span.end + shift);
        }
        let within = |problem: &&Problem| span.range().contains(&problem.span.start);
        Body::Item {
            // What lies too deep or grows too large for a value is no JSON for anybody: the words say why.
            json: text::to_value(node)
                .map_or_else(String::into_bytes, |value| value.to_string().into_bytes()),
            list: Arc::clone(&self.tree),
            start: self.range.start,
            duplicates: self.duplicates.iter().filter(within).cloned().collect(),
            path,
        }
    }

    fn make(&self, said: Said, posted: Posted, body: Body) -> Document {
        Document {
            source: Arc::clone(self.source),
            said,
            posted,
            body,
        }
    }
}

fn items(list: Node<'_>) -> std::vec::IntoIter<Node<'_>> {
    let items = match list.get("items").map(Node::content) {
        Some(Content::Array(elements)) => elements.iter().collect(),
        _ => Vec::new(),
    };
    items.into_iter()
}
