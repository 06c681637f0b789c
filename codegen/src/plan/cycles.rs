//! Structs that contain themselves: a `Box` where they are optional, an error where they are required.

use super::types::{Body, Plan, Shape};
use crate::error::Error;

/// A field of the struct `from` whose value is the struct `to`.
struct Edge {
    from: usize,
    field: usize,
    to: usize,
    plain: bool,
}

pub(super) fn cut(plan: &mut Plan) -> Result<(), Error> {
    let edges = edges(plan);
    let count = plan.items.len();
    let ends = |edge: &Edge| (edge.from, edge.to);
    let plain = components(count, edges.iter().filter(|e| e.plain).map(ends));
    for edge in edges.iter().filter(|e| e.plain) {
        if plain[edge.from] == plain[edge.to] {
            return Err(Error::at(
                &plan.items[edge.from].fields()[edge.field].at,
                "the object requires itself, so that no finite value exists",
            )
            .help("remove one of the fields in the cycle from `required`"));
        }
    }
    let all = components(count, edges.iter().map(ends));
    for edge in &edges {
        if all[edge.from] == all[edge.to]
            && !edge.plain
            && let Body::Struct(body) = &mut plan.items[edge.from].body
        {
            body.fields[edge.field].boxed = true;
        }
    }
    Ok(())
}

fn edges(plan: &Plan) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, item) in plan.items.iter().enumerate() {
        for (index, field) in item.fields().iter().enumerate() {
            if let Shape::Item(to) = field.shape
                && plan.items[to].structure().is_some()
            {
                edges.push(Edge {
                    from,
                    field: index,
                    to,
                    plain: field.is_plain(),
                });
            }
        }
    }
    edges
}

/// The strongly connected component of each node, by Tarjan's algorithm; its stack is a `Vec` because
/// documents may be deep. A node outside all cycles is alone in its component. A component has a higher number than those to which its
/// edges lead.
pub(super) fn components(count: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<usize> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in edges {
        next[from].push(to);
    }
    const NONE: usize = usize::MAX;
    let (mut order, mut low) = (vec![NONE; count], vec![0; count]);
    let mut component = vec![NONE; count];
    let (mut counter, mut found) = (0, 0);
    let mut open = Vec::new();
    for start in 0..count {
        if order[start] != NONE {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 {
                order[node] = counter;
                low[node] = counter;
                counter += 1;
                open.push(node);
            }
            if let Some(&to) = next[node].get(*at) {
                *at += 1;
                if order[to] == NONE {
                    path.push((to, 0));
                } else if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(inside) = open.pop() {
                    component[inside] = found;
                    if inside == node {
                        break;
                    }
                }
                found += 1;
            }
        }
    }
    component
}
