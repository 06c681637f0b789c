//! The scalars of a document by their place, to say what a byte of the text belongs to.

use k8s_flowcontrol_text::{Content, Node, Span};

/// How deep scalars are looked for.
const MAX_DEPTH: usize = 200;

/// A key or a scalar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf<'a> {
    pub(super) span: Span,
    pub(super) is_key: bool,
    /// The text of a string.
    pub(super) text: Option<&'a str>,
    /// Its way, as an index into the list of ways.
    way: usize,
}

/// The keys and scalars of a document.
#[derive(Debug, Default)]
pub(super) struct Leaves<'a> {
    leaves: Vec<Leaf<'a>>,
    ways: Vec<Vec<String>>,
}

impl<'a> Leaves<'a> {
    pub(super) fn of(root: Node<'a>) -> Self {
        let mut leaves = Self::default();
        leaves.collect(root, &mut Vec::new());
        leaves.leaves.sort_by_key(|leaf| leaf.span.start);
        leaves
    }

    /// The key or scalar that a byte lies in, and the members and indexes that lead to it.
    pub(super) fn at(&self, offset: usize) -> Option<(Leaf<'a>, &[String])> {
        let end = self
            .leaves
            .partition_point(|leaf| leaf.span.start <= offset);
        let leaf = self.leaves[..end]
            .iter()
            .rev()
            .take(4)
            .find(|leaf| leaf.span.end > offset)?;
        Some((*leaf, self.ways.get(leaf.way).map_or(&[], Vec::as_slice)))
    }

    fn collect(&mut self, node: Node<'a>, way: &mut Vec<String>) {
        if way.len() > MAX_DEPTH {
            return;
        }
        match node.content() {
            Content::Object(members) => {
                for member in members.iter() {
                    way.push(member.name.to_owned());
                    self.push(member.name_span, true, Some(member.name), way);
                    self.collect(member.value, way);
                    way.pop();
                }
            }
            Content::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    way.push(index.to_string());
                    self.collect(element, way);
                    way.pop();
                }
            }
            Content::String(text) => self.push(node.span(), false, Some(text), way),
            _ => self.push(node.span(), false, None, way),
        }
    }

    fn push(&mut self, span: Span, is_key: bool, text: Option<&'a str>, way: &[String]) {
        if self.ways.last().is_none_or(|last| last != way) {
            self.ways.push(way.to_vec());
        }
        self.leaves.push(Leaf {
            span,
            is_key,
            text,
            way: self.ways.len() - 1,
        });
    }
}

/// A way as people write it: `data[a.yaml]`.
pub(super) fn path(way: &[String]) -> String {
    let mut path = String::new();
    for step in way {
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
