//! From a byte of the text to the field path of the scalar that contains it.

use k8s_flowcontrol_text::{Content, Node, Span};

/// Scalars deeper than this are not found.
const MAX_DEPTH: usize = 200;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Scalar<'a> {
    pub(crate) span: Span,
    pub(crate) is_key: bool,
    pub(crate) text: Option<&'a str>,
    /// The last step of its path; none for the root.
    step: Option<usize>,
}

/// A step on the way to a scalar: a field or an element.
#[derive(Clone, Copy, Debug)]
struct Step<'a> {
    name: Name<'a>,
    /// The step before, by its index.
    parent: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Name<'a> {
    Field(&'a str),
    Element(usize),
}

#[derive(Debug, Default)]
pub(crate) struct Scalars<'a> {
    scalars: Vec<Scalar<'a>>,
    /// All steps. Paths share them, so a deep document costs no more than a flat one.
    steps: Vec<Step<'a>>,
}

impl<'a> Scalars<'a> {
    pub(crate) fn of(root: Node<'a>) -> Self {
        let mut scalars = Self::default();
        scalars.collect(root, None, 0);
        scalars.scalars.sort_by_key(|scalar| scalar.span.start);
        scalars
    }

    /// The key or scalar that contains a byte, and the names and indexes that lead to it.
    pub(crate) fn at(&self, offset: usize) -> Option<(Scalar<'a>, Vec<String>)> {
        let end = self
            .scalars
            .partition_point(|scalar| scalar.span.start <= offset);
        let scalar = self.scalars[..end]
            .iter()
            .rev()
            .take(4)
            .find(|scalar| scalar.span.end > offset)?;
        let mut path = Vec::new();
        let mut next = scalar.step;
        while let Some(step) = next.and_then(|index| self.steps.get(index)) {
            path.push(match step.name {
                Name::Field(name) => name.to_owned(),
                Name::Element(index) => index.to_string(),
            });
            next = step.parent;
        }
        path.reverse();
        Some((*scalar, path))
    }

    fn collect(&mut self, node: Node<'a>, parent: Option<usize>, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        match node.content() {
            Content::Object(fields) => {
                for field in fields.iter() {
                    let step = self.step(Name::Field(field.name), parent);
                    self.push(field.name_span, true, Some(field.name), step);
                    self.collect(field.value, step, depth + 1);
                }
            }
            Content::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    let step = self.step(Name::Element(index), parent);
                    self.collect(element, step, depth + 1);
                }
            }
            Content::String(text) => self.push(node.span(), false, Some(text), parent),
            _ => self.push(node.span(), false, None, parent),
        }
    }

    fn step(&mut self, name: Name<'a>, parent: Option<usize>) -> Option<usize> {
        self.steps.push(Step { name, parent });
        Some(self.steps.len() - 1)
    }

    fn push(&mut self, span: Span, is_key: bool, text: Option<&'a str>, step: Option<usize>) {
        self.scalars.push(Scalar {
            span,
            is_key,
            text,
            step,
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
