//! Values of each name, one below the other, also before and after a change.

use super::Width;
use super::svg::{Svg, number, round_up};

/// The values of a name.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) bars: Vec<Bar>,
}

/// A value with its label.
pub(crate) struct Bar {
    pub(crate) label: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// The index of a color.
    pub(crate) color: usize,
    pub(crate) is_faint: bool,
}

const NAME: f64 = 16.0;
const BAR: f64 = 12.0;
const STEP: f64 = BAR + 3.0;
const GAP: f64 = 8.0;

/// Draws the values of each name.
pub(crate) fn bars(width: Width, title: &str, groups: &[Group]) -> String {
    let height = |group: &Group| NAME + group.bars.len() as f64 * STEP + GAP;
    let total: f64 = groups.iter().map(height).sum();
    let mut svg = Svg::new(width, total + 8.0, title);
    let all = || groups.iter().flat_map(|group| &group.bars);
    let most = all().map(|bar| bar.value).fold(0.0, f64::max);
    let text = |bar: &Bar| format!("{}{} {}", number(bar.value), bar.unit, bar.label);
    let longest = all().map(|bar| text(bar).chars().count()).max();
    let numbers = (longest.unwrap_or(0) as f64 * 6.8 + 12.0).max(110.0);
    let scale = (svg.width - numbers - 8.0) / round_up(most);
    let mut top = 6.0;
    for group in groups {
        svg.text(4.0, top + 10.0, "start", svg.width - 8.0, &group.name);
        for (line, bar) in group.bars.iter().enumerate() {
            let y = top + NAME + line as f64 * STEP;
            let length = (bar.value * scale).max(if bar.value > 0.0 { 1.0 } else { 0.0 });
            let text = text(bar);
            let hint = format!("{}: {text}", group.name);
            svg.bar([4.0, y, length, BAR], bar.color, bar.is_faint, &hint);
            svg.text(4.0 + length + 6.0, y + BAR - 2.0, "start", numbers, &text);
        }
        top += height(group);
    }
    svg.finish()
}

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
