//! The values of each name before and after a change.

use super::Width;
use super::bars::{Bar, Group, bars};

/// The values of a name before and after a change.
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

/// Draws the values of each name before and after a change.
pub(crate) fn pairs(width: Width, title: &str, unit: &'static str, pairs: &[Pair]) -> String {
    let group = |pair: &Pair| {
        let bar = |label, value, is_faint| Bar {
            label,
            value,
            unit,
            color: 0,
            is_faint,
        };
        Group {
            name: pair.name.clone(),
            bars: vec![
                bar("before", pair.before, true),
                bar("after", pair.after, false),
            ],
        }
    };
    let groups: Vec<_> = pairs.iter().map(group).collect();
    bars(width, title, &groups)
}
