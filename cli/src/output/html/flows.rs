//! Amounts that flow from column to column.

use super::Width;
use super::svg::{Svg, fill};
use std::collections::BTreeMap;

/// An amount that flows through the columns, by the name in each of them.
pub(crate) struct Link {
    pub(crate) names: Vec<String>,
    pub(crate) amount: u64,
}

const TOP: f64 = 24.0;
const GAP: f64 = 20.0;
const NODE: f64 = 10.0;
/// The least height of a name.
const LEAST: f64 = 4.0;

/// A name in a column.
struct Node {
    y: f64,
    height: f64,
    amount: u64,
    /// The height that the links before have used, on the left and on the right.
    used: [f64; 2],
    color: usize,
}

/// Draws amounts that flow from the names of one column to the names of the next column.
pub(crate) fn flows(width: Width, title: &str, heads: &[&str], links: &[Link]) -> String {
    let columns: Vec<BTreeMap<&str, u64>> = (0..heads.len())
        .map(|column| {
            let mut amounts = BTreeMap::new();
            for link in links {
                *amounts.entry(link.names[column].as_str()).or_default() += link.amount;
            }
            amounts
        })
        .collect();
    let total: u64 = links.iter().map(|link| link.amount).sum();
    let rows = columns.iter().map(BTreeMap::len).max().unwrap_or(0) as f64;
    let height = (rows * 34.0).max(160.0);
    let mut svg = Svg::new(width, TOP + height + 12.0, title);
    let scale = (height - rows * GAP).max(40.0) / total.max(1) as f64;
    let step = (svg.width - NODE) / heads.len().saturating_sub(1).max(1) as f64;
    let mut nodes: Vec<BTreeMap<&str, Node>> = columns
        .iter()
        .map(|amounts| place(amounts, scale))
        .collect();
    for (column, head) in heads.iter().enumerate() {
        let (x, anchor) = label(column, heads.len(), step);
        svg.text(x, 14.0, anchor, step, head);
    }
    // From column to column, the amounts between two names are one band.
    for column in 0..heads.len().saturating_sub(1) {
        let mut bands = BTreeMap::<(&str, &str), u64>::new();
        for link in links {
            let ends = (link.names[column].as_str(), link.names[column + 1].as_str());
            *bands.entry(ends).or_default() += link.amount;
        }
        for ((from, to), amount) in bands {
            let thickness = amount as f64 * scale;
            let Some(left) = nodes[column].get_mut(from) else {
                continue;
            };
            let (start, color) = (left.y + left.used[1], left.color);
            left.used[1] += thickness;
            let Some(right) = nodes[column + 1].get_mut(to) else {
                continue;
            };
            let end = right.y + right.used[0];
            right.used[0] += thickness;
            let thickness = thickness.max(1.0);
            let (x1, x2) = (column as f64 * step + NODE, (column + 1) as f64 * step);
            let middle = f64::midpoint(x1, x2);
            let (start, end) = (start + thickness / 2.0, end + thickness / 2.0);
            let hint = super::escape(&format!("{from} → {to}: {amount}"));
            svg.add(format_args!(
                "<path d=\"M{x1:.1},{start:.1} C{middle:.1},{start:.1} {middle:.1},{end:.1} {x2:.1},{end:.1}\" fill=\"none\" \
                 stroke=\"{}\" stroke-opacity=\"0.35\" stroke-width=\"{thickness:.1}\"><title>{hint}</title></path>",
                fill(color)
            ));
        }
    }
    for (column, nodes) in nodes.iter().enumerate() {
        let (x, anchor) = label(column, heads.len(), step);
        for (name, node) in nodes {
            let left = column as f64 * step;
            let hint = format!("{name}: {}", node.amount);
            svg.bar([left, node.y, NODE, node.height], node.color, false, &hint);
            // Names stand above their bands, where nothing covers them.
            let room = if anchor == "middle" { 0.8 } else { 0.58 };
            svg.text(x, node.y - 4.0, anchor, room * step, name);
        }
    }
    svg.finish()
}

/// The place of the names of a column.
fn label(column: usize, columns: usize, step: f64) -> (f64, &'static str) {
    let x = column as f64 * step;
    match column {
        0 => (0.0, "start"),
        last if last + 1 == columns => (x + NODE, "end"),
        _ => (x + NODE / 2.0, "middle"),
    }
}

/// Places the names of a column below each other, the largest first.
fn place<'a>(amounts: &BTreeMap<&'a str, u64>, scale: f64) -> BTreeMap<&'a str, Node> {
    let mut sorted: Vec<_> = amounts.iter().collect();
    sorted.sort_by_key(|(_, amount)| std::cmp::Reverse(**amount));
    let mut y = TOP + GAP;
    let mut nodes = BTreeMap::new();
    for (color, (name, amount)) in sorted.into_iter().enumerate() {
        let height = (*amount as f64 * scale).max(LEAST);
        let node = Node {
            y,
            height,
            amount: *amount,
            used: [0.0; 2],
            color,
        };
        nodes.insert(*name, node);
        y += height + GAP;
    }
    nodes
}
