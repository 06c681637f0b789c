//! Limits of a document: repetition through aliases, and depth.

use super::compose::{Graph, NodeId, NodeKind};
use crate::tree::{Content, Data, Id, Node, Tree};
use crate::{MAX_DEPTH, SyntaxError};

/// The message for too much repetition.
pub(super) const EXCESSIVE: &str = "document contains excessive aliasing";

/// Returns an error for documents that are mostly repetition, as the Kubernetes YAML parser does: up to 400,000 values
/// nearly all may come from aliases, from 4,000,000 values on at most a tenth.
pub(super) fn check_aliasing(graph: &Graph) -> Result<(), SyntaxError> {
    // The size of a node is the sum of its children's sizes plus one, so children come first. A stack instead of
    // recursion: anchors may nest deeper than the call stack allows.
    let mut sizes: Vec<Option<u64>> = vec![None; graph.nodes.len()];
    let mut todo = vec![0];
    while let Some(id) = todo.last().copied() {
        if sizes[id].is_some() {
            todo.pop();
            continue;
        }
        let children: Vec<NodeId> = match &graph.nodes[id].kind {
            NodeKind::Scalar(_) => Vec::new(),
            NodeKind::Alias { target, .. } => vec![*target],
            NodeKind::Sequence(elements) => elements.clone(),
            NodeKind::Mapping(pairs) => pairs
                .iter()
                .flat_map(|(key, value)| [*key, *value])
                .collect(),
        };
        let unknown: Vec<_> = children
            .iter()
            .copied()
            .filter(|child| sizes[*child].is_none())
            .collect();
        if unknown.is_empty() {
            let size = children.iter().filter_map(|child| sizes[*child]);
            sizes[id] = Some(size.fold(1, u64::saturating_add));
            todo.pop();
        } else {
            todo.extend(unknown);
        }
    }
    let (mut total, mut aliased) = (0u64, 0u64);
    for (id, node) in graph.nodes.iter().enumerate() {
        total = total.saturating_add(1);
        if let NodeKind::Alias { target, .. } = node.kind {
            let size = sizes[target].unwrap_or_default();
            total = total.saturating_add(size);
            aliased = aliased.saturating_add(size);
            if aliased > 100 && total > 1000 && ratio(aliased, total) > allowed_ratio(total) {
                let offset = graph.nodes[id].span.start;
                return Err(SyntaxError::new(format!("yaml: {EXCESSIVE}"), offset));
            }
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a ratio needs no more")]
fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

fn allowed_ratio(total: u64) -> f64 {
    const LOW: u64 = 400_000;
    const HIGH: u64 = 4_000_000;
    match total {
        ..=LOW => 0.99,
        HIGH.. => 0.10,
        _ => 0.99 - 0.89 * ratio(total - LOW, HIGH - LOW),
    }
}

/// Returns an error for documents that nest deeper than [`MAX_DEPTH`] as JSON, with aliases expanded.
///
/// Children come before their parents in the tree, so that one pass computes every height.
pub(super) fn check_depth(tree: &Tree) -> Result<(), SyntaxError> {
    let mut heights: Vec<usize> = Vec::new();
    for entry in tree.entries() {
        let height = |id: &Id| heights.get(*id as usize).copied().unwrap_or_default();
        heights.push(match &entry.data {
            Data::Array(ids) => 1 + ids.iter().map(height).max().unwrap_or_default(),
            Data::Object(pairs) => {
                1 + pairs
                    .iter()
                    .map(|pair| height(&pair.value))
                    .max()
                    .unwrap_or_default()
            }
            _ => 0,
        });
    }
    let mut node = tree.root();
    if heights
        .get(node.id() as usize)
        .is_none_or(|height| *height <= MAX_DEPTH)
    {
        return Ok(());
    }
    // The error names the first value, in the order of the JSON, that is too deep.
    for above in (0..MAX_DEPTH).rev() {
        let is_deep = |node: &Node<'_>| heights[node.id() as usize] > above;
        let child = match node.content() {
            Content::Array(elements) => elements.iter().find(is_deep),
            Content::Object(fields) => fields.sorted().map(|field| field.value).find(is_deep),
            _ => None,
        };
        match child {
            Some(child) => node = child,
            None => break,
        }
    }
    let bracket = if matches!(node.content(), Content::Array(_)) {
        '['
    } else {
        '{'
    };
    let message = format!(
        "couldn't get version/kind; json parse error: invalid character '{bracket}' exceeded max depth"
    );
    Err(SyntaxError::new(message, node.span().start))
}
