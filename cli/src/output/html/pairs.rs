//! Two values of each name, one below the other.

use super::Width;
use super::svg::{Svg, number, round_up};

/// The values of a name before and after a change.
pub(crate) struct Pair {
    pub(crate) name: String,
    pub(crate) before: f64,
    pub(crate) after: f64,
}

const ROW: f64 = 52.0;
const BAR: f64 = 12.0;

/// Draws the values of each name before and after a change.
pub(crate) fn pairs(width: Width, title: &str, pairs: &[Pair]) -> String {
    let mut svg = Svg::new(width, pairs.len() as f64 * ROW + 8.0, title);
    let most = pairs
        .iter()
        .map(|pair| pair.before.max(pair.after))
        .fold(0.0, f64::max);
    let numbers = 110.0;
    let scale = (svg.width - numbers - 8.0) / round_up(most);
    for (index, pair) in pairs.iter().enumerate() {
        let y = index as f64 * ROW + 6.0;
        svg.text(4.0, y + 10.0, "start", svg.width - 8.0, &pair.name);
        let values = [(pair.before, true, "before"), (pair.after, false, "after")];
        for (line, (value, faint, when)) in values.into_iter().enumerate() {
            let y = y + 16.0 + line as f64 * (BAR + 3.0);
            let length = (value * scale).max(if value > 0.0 { 1.0 } else { 0.0 });
            let text = format!("{} {when}", number(value));
            svg.bar(
                [4.0, y, length, BAR],
                0,
                faint,
                &format!("{}: {text}", pair.name),
            );
            svg.text(
                4.0 + length + 6.0,
                y + BAR - 2.0,
                "start",
                numbers - 8.0,
                &text,
            );
        }
    }
    svg.finish()
}
