//! Finding the flow-control objects of a text.

use super::document::{Body, Document, ParsedObject};
use super::form::Form;
use super::parse::{Part, parse_each};
use super::recognize::{Identity, Posted, Recognized, recognize, recognize_text};
use super::split::{text_after_separators, unread_by_kubectl};
use k8s_flowcontrol_rules::decode::{Format, Problem};
use k8s_flowcontrol_text::{Content, Node, Span, SyntaxError, to_value};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The documents of a text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Documents {
    /// Flow-control objects in order, including the items of lists, and broken documents that mention flow control.
    pub documents: Vec<Document>,
    /// The number of documents of other kinds.
    pub others: usize,
    /// Broken documents that do not mention flow control, such as templates of other kinds.
    pub unreadable: Vec<Unreadable>,
    /// Texts of a YAML stream that follow `---` in its line, and are not comments. They are part of the documents here and on a server,
    /// but kubectl fails with `invalid Yaml document separator`.
    pub separators: Vec<Span>,
    /// The lines of a YAML stream before a document at which kubectl fails: directives, such as `%YAML 1.1`, and `...`.
    pub before_documents: Vec<Span>,
    /// The first lines of the documents of a YAML stream that follow `...` without `---`, which kubectl ignores.
    pub ignored: Vec<Span>,
}

/// A document with a syntax error that does not mention flow control.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unreadable {
    /// The place of the error in the text.
    pub span: Span,
    /// The error.
    pub error: SyntaxError,
}

/// Options of [`read_with`].
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// The form of the text. Defaults to JSON for a text that starts with `{`, and else to YAML.
    pub form: Option<Form>,
    /// Whether the text is known to hold flow-control objects: a single document without kind and version then counts as one.
    pub is_flow_control: bool,
}

/// Finds the flow-control objects of a text.
///
/// A broken document does not affect the others: it is among the [unreadable](Documents::unreadable) ones, or
/// [`Document::decode`] returns its error.
///
/// ```
/// use k8s_flowcontrol_manifests::read;
/// use k8s_flowcontrol_types::Release;
///
/// let text = "\
/// kind: Pod
/// ---
/// apiVersion: flowcontrol.apiserver.k8s.io/v1
/// kind: FlowSchema
/// metadata: {name: batch}
/// spec: {matchingPrecedence: high, priorityLevelConfiguration: {name: workload-low}}
/// ";
/// let found = read(text.as_bytes());
/// assert_eq!((found.documents.len(), found.others), (1, 1));
/// let error = found.documents[0].decode(Release::NEWEST).unwrap_err();
/// assert_eq!(&text[error.span.start..error.span.end], "high");
/// ```
pub fn read(text: impl Into<Arc<[u8]>>) -> Documents {
    read_with(text, ReadOptions::default())
}

/// Finds the flow-control objects of a text with options.
pub fn read_with(text: impl Into<Arc<[u8]>>, options: ReadOptions) -> Documents {
    let text = text.into();
    let mut found = Documents::default();
    let form = options.form.unwrap_or_else(|| Form::by_content(&text));
    let format = match form.is_json() {
        true => Format::Json,
        false => Format::Yaml,
    };
    if form == Form::Yaml {
        found.separators = text_after_separators(&text);
        (found.before_documents, found.ignored) = unread_by_kubectl(&text);
    }
    let parts = parse_each(&text, form);
    // A single document is read as flow control unless it says otherwise.
    let is_named = options.is_flow_control && parts.len() == 1;
    for Part { range, parsed } in parts {
        match parsed {
            Ok(document) => {
                let problem = |key: &k8s_flowcontrol_text::DuplicateKey| Problem {
                    message: key.to_string(),
                    span: key.span,
                };
                let mut duplicates: Vec<_> = document.duplicates.iter().map(problem).collect();
                duplicates.sort_by_key(|problem| problem.span.start);
                let part = ParsedPart {
                    text: &text,
                    format,
                    range,
                    is_named,
                    duplicates,
                    parsed: Arc::new(ParsedObject {
                        tree: document.tree,
                        duplicates: document.duplicates,
                    }),
                };
                part.document(&mut found);
            }
            Err(error) => match recognize_text(&text[range.clone()], is_named) {
                Some(posted) => found.documents.push(Document {
                    text: Arc::clone(&text),
                    identity: Identity::default(),
                    posted,
                    body: Body::Text(format, range),
                    parsed: Err(error).into(),
                }),
                None => {
                    let span = Span::new(error.offset(), error.offset());
                    found.unreadable.push(Unreadable { span, error });
                }
            },
        }
    }
    found
}

/// A document without syntax errors.
struct ParsedPart<'a> {
    text: &'a Arc<[u8]>,
    format: Format,
    range: Range<usize>,
    is_named: bool,
    parsed: Arc<ParsedObject>,
    duplicates: Vec<Problem>,
}

impl ParsedPart<'_> {
    fn document(&self, found: &mut Documents) {
        let root = self.parsed.tree.root();
        let identity = Identity::of(root);
        match root.content() {
            // Without anything but comments.
            Content::Null if self.format == Format::Yaml => return,
            Content::Object(_) => {}
            _ if self.is_named => {}
            _ => {
                found.others += 1;
                return;
            }
        }
        if let Some(lists) = self.named_lists() {
            for (list, of) in lists {
                self.items(list, of, found);
            }
            return;
        }
        match recognize(root, &identity, self.is_named) {
            Recognized::Ours(posted) => {
                let body = Body::Text(self.format, self.range.clone());
                let document = self.make(identity, posted, body);
                found.documents.push(Document {
                    parsed: Ok(Arc::clone(&self.parsed)).into(),
                    ..document
                });
            }
            Recognized::List(of) => self.items(root, of, found),
            Recognized::Other => found.others += 1,
        }
    }

    /// The lists of a JSON object whose fields are responses of a server, as scripts save them:
    /// `{"levels": {"kind": "PriorityLevelConfigurationList", …}, …}`. `None` for any other object.
    fn named_lists(&self) -> Option<Vec<(Node<'_>, Option<Posted>)>> {
        let Content::Object(fields) = self.parsed.tree.root().content() else {
            return None;
        };
        if self.format != Format::Json || fields.is_empty() {
            return None;
        }
        let lists = fields.iter().map(|field| {
            match recognize(field.value, &Identity::of(field.value), false) {
                Recognized::List(Some(of)) => Some((field.value, Some(of))),
                _ => None,
            }
        });
        lists.collect()
    }

    /// The items of a list and of nested lists, in order.
    fn items(&self, list: Node<'_>, of: Option<Posted>, found: &mut Documents) {
        let mut lists = vec![(Vec::new(), of, items(list).enumerate())];
        while let Some((path, of, rest)) = lists.last_mut() {
            let Some((index, node)) = rest.next() else {
                lists.pop();
                continue;
            };
            let mut path = path.clone();
            path.push(index);
            let identity = Identity::of(node);
            // Items of a typed list inherit its kind.
            let recognized = match *of {
                Some(posted) if identity.kind.is_none() => Recognized::Ours(posted),
                _ => recognize(node, &identity, false),
            };
            match recognized {
                Recognized::Ours(posted) => {
                    found
                        .documents
                        .push(self.make(identity, posted, self.item(node, path)));
                }
                Recognized::List(of) => lists.push((path, of, items(node).enumerate())),
                Recognized::Other => found.others += 1,
            }
        }
    }

    fn item(&self, node: Node<'_>, path: Vec<usize>) -> Body {
        let span = node.span();
        if self.format == Format::Json {
            return Body::Text(Format::Json, span.range());
        }
        let first = self
            .duplicates
            .partition_point(|problem| problem.span.start < span.start);
        let duplicates = self.duplicates.get(first..).unwrap_or_default().iter();
        let within = |problem: &&Problem| problem.span.start < span.end;
        Body::Item {
            // A value that is too deep or too large cannot become JSON; its error message takes its place and fails to
            // parse.
            json: to_value(node).map_or_else(
                |error| error.to_string().into_bytes(),
                |value| value.to_string().into_bytes(),
            ),
            list: Arc::clone(&self.parsed),
            duplicates: duplicates.take_while(within).cloned().collect(),
            path,
        }
    }

    fn make(&self, identity: Identity, posted: Posted, body: Body) -> Document {
        Document {
            text: Arc::clone(self.text),
            identity,
            posted,
            body,
            parsed: OnceLock::new(),
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
