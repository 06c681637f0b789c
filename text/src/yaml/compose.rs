//! Composes events into a graph of nodes, in which an alias refers to its anchored node.

use super::parser::{Event, Located, Parser, Scalar};
use crate::SyntaxError;
use crate::tree::Span;
use std::collections::HashMap;

/// The index of a node in its document.
pub(super) type NodeId = usize;

/// A value of a YAML document.
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) span: Span,
    /// The line, from 1.
    pub(super) line: usize,
}

pub(super) enum NodeKind {
    Scalar(Scalar),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
    Alias { name: String, target: NodeId },
}

/// The nodes of a document; the first is the root.
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
}

/// A collection whose end was not read yet.
struct Open {
    id: NodeId,
    children: Vec<NodeId>,
}

/// Composes the next document; `None` at the end of the stream.
pub(super) fn compose(parser: &mut Parser) -> Result<Option<Graph>, SyntaxError> {
    loop {
        match parser.next()?.event {
            Event::StreamEnd => return Ok(None),
            Event::DocumentStart => break,
            // The start of the stream, or the end of the document before.
            _ => {}
        }
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut anchors: HashMap<String, NodeId> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    loop {
        let Located { event, start, end } = parser.next()?;
        let id = nodes.len();
        crate::error::check_values(id, start.offset)?;
        let span = Span::new(start.offset, end.offset);
        let (kind, anchor) = match event {
            Event::DocumentEnd | Event::StreamEnd => return Ok(Some(Graph { nodes })),
            Event::DocumentStart => continue,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(closed) = open.pop() {
                    close(&mut nodes, closed, span);
                }
                continue;
            }
            Event::Alias(name) => {
                let Some(target) = anchors.get(&name).copied() else {
                    let message = format!("yaml: unknown anchor '{name}' referenced");
                    return Err(SyntaxError::new(message, start.offset));
                };
                (NodeKind::Alias { name, target }, None)
            }
            Event::Scalar { anchor, scalar } => (NodeKind::Scalar(scalar), anchor),
            Event::SequenceStart { anchor } => (NodeKind::Sequence(Vec::new()), anchor),
            Event::MappingStart { anchor } => (NodeKind::Mapping(Vec::new()), anchor),
        };
        if let Some(anchor) = anchor {
            anchors.insert(anchor, id);
        }
        if let Some(parent) = open.last_mut() {
            parent.children.push(id);
        }
        if matches!(kind, NodeKind::Sequence(_) | NodeKind::Mapping(_)) {
            let children = Vec::new();
            open.push(Open { id, children });
        }
        nodes.push(Node {
            kind,
            span,
            line: start.line + 1,
        });
    }
}

/// Sets a collection's children and its end. `end` is the span of the closing bracket; empty for a block.
fn close(nodes: &mut [Node], closed: Open, end: Span) {
    let Open { id, children } = closed;
    // A block ends with its last value; the token that ends it comes later in the text.
    let last = children.last().map_or(0, |last| nodes[*last].span.end);
    let is_flow = end.end > end.start;
    let node = &mut nodes[id];
    node.kind = match node.kind {
        NodeKind::Mapping(_) => {
            let pairs = children.chunks_exact(2).map(|pair| (pair[0], pair[1]));
            NodeKind::Mapping(pairs.collect())
        }
        _ => NodeKind::Sequence(children),
    };
    node.span.end = if is_flow {
        end.end
    } else {
        last.max(node.span.end)
    };
}
