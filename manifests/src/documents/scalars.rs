//! From a byte of the text to the field path of the scalar that contains it.

use k8s_flowcontrol_text::{Content, Node, Span};

/// Scalars deeper than this are not found.
const MAX_DEPTH: usize = 200;

/// A key or a scalar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'a> {
    pub(crate) span: Span,
    pub(crate) is_key: bool,
    /// The text of a string.
    pub(crate) text: Option<&'a str>,
    /// Its path, as an index into `paths`.
    path: usize,
}

/// The keys and scalars of a document.
#[derive(Debug, Default)]
pub(crate) struct Scalars<'a> {
    scalars: Vec<Scalar<'a>>,
    paths: Vec<Vec<String>>,
}

impl<'a> Scalars<'a> {
    pub(crate) fn of(root: Node<'a>) -> Self {
        let mut scalars = Self::default();
        scalars.collect(root, &mut Vec::new());
        scalars.scalars.sort_by_key(|scalar| scalar.span.start);
        scalars
    }

    /// The key or scalar that contains a byte, and the names and indexes that lead to it.
    pub(crate) fn at(&self, offset: usize) -> Option<(Scalar<'a>, &[String])> {
        let end = self
            .scalars
            .partition_point(|scalar| scalar.span.start <= offset);
        let scalar = self.scalars[..end]
            .iter()
            .rev()
            .take(4)
            .find(|scalar| scalar.span.end > offset)?;
        Some((
            *scalar,
            self.paths.get(scalar.path).map_or(&[], Vec::as_slice),
        ))
    }

    fn collect(&mut self, node: Node<'a>, path: &mut Vec<String>) {
        if path.len() > MAX_DEPTH {
            return;
        }
        match node.content() {
            Content::Object(members) => {
                for field in members.iter() {
                    path.push(field.name.to_owned());
                    self.push(field.name_span, true, Some(field.name), path);
                    self.collect(field.value, path);
                    path.pop();
                }
            }
            Content::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    path.push(index.to_string());
                    self.collect(element, path);
                    path.pop();
                }
            }
            Content::String(text) => self.push(node.span(), false, Some(text), path),
            _ => self.push(node.span(), false, None, path),
        }
    }

    fn push(&mut self, span: Span, is_key: bool, text: Option<&'a str>, path: &[String]) {
        if self.paths.last().is_none_or(|last| last != path) {
            self.paths.push(path.to_vec());
        }
        self.scalars.push(Scalar {
            span,
            is_key,
            text,
            path: self.paths.len() - 1,
        });
    }
}

/// A path as text: `data[a.yaml]`.
pub(crate) fn path(steps: &[String]) -> String {
    let mut path = String::new();
    for step in steps {
        let is_index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if is_index || step.contains(['.', '/', ' ']) {
            path.push_str(&format!("[{step}]"));
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(step);
        }
    }
    path
}
