//! Values over time, on top of each other.

use super::Width;
use super::svg::{Svg, fill, number, round_up};

/// The values of a name.
pub(crate) struct Series {
    pub(crate) name: String,
    /// As many as there are points in time.
    pub(crate) values: Vec<f64>,
}

const HEIGHT: f64 = 240.0;
const LEFT: f64 = 44.0;
const TOP: f64 = 12.0;
const ROW: f64 = 18.0;

/// Draws series on top of each other. `from` and `to` name the ends of the time axis.
pub(crate) fn area(width: Width, title: &str, series: &[Series], from: &str, to: &str) -> String {
    let columns = match width {
        Width::Wide => 4,
        Width::Narrow => 2,
    };
    let legend = series.len().div_ceil(columns) as f64 * ROW;
    let mut svg = Svg::new(width, TOP + HEIGHT + 2.0 * ROW + legend + 8.0, title);
    let points = series
        .iter()
        .map(|series| series.values.len())
        .max()
        .unwrap_or(0);
    let value = |series: &Series, point: usize| series.values.get(point).copied().unwrap_or(0.0);
    let total = |point: usize| {
        series
            .iter()
            .map(|series| value(series, point))
            .sum::<f64>()
    };
    let top = round_up((0..points).map(total).fold(0.0, f64::max));
    let room = svg.width - LEFT - 8.0;
    // One point is drawn as a band.
    let x = |point: usize| match points {
        0 | 1 => LEFT + room * point as f64,
        _ => LEFT + room * point as f64 / (points - 1) as f64,
    };
    let y = |value: f64| TOP + HEIGHT * (1.0 - value / top);
    for step in 0..=4 {
        let at = top * f64::from(step) / 4.0;
        let right = LEFT + room;
        svg.add(format_args!(
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right:.1}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>",
            y(at)
        ));
        svg.text(LEFT - 6.0, y(at) + 4.0, "end", LEFT - 6.0, &number(at));
    }
    let mut below = vec![0.0; points.max(1)];
    for (index, series) in series.iter().enumerate() {
        let above: Vec<_> = (0..points)
            .map(|point| below[point] + value(series, point))
            .collect();
        let point = |at: usize, value: f64| format!("{:.1},{:.1}", x(at), y(value));
        let mut outline: Vec<_> = above
            .iter()
            .enumerate()
            .map(|(at, value)| point(at, *value))
            .collect();
        if points == 1 {
            outline.push(point(1, above[0]));
            outline.push(point(1, below[0]));
        }
        outline.extend((0..points).rev().map(|at| point(at, below[at])));
        svg.add(format_args!(
            "<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.85\"><title>{}</title></polygon>",
            outline.join(" "),
            fill(index),
            super::escape(&series.name)
        ));
        if points > 0 {
            below = above;
        }
    }
    let axis = TOP + HEIGHT + ROW - 2.0;
    svg.text(LEFT, axis, "start", room / 2.0, from);
    svg.text(LEFT + room, axis, "end", room / 2.0, to);
    let column = (svg.width - 8.0) / columns as f64;
    for (index, series) in series.iter().enumerate() {
        let left = 4.0 + (index % columns) as f64 * column;
        let line = axis + ROW * (1 + index / columns) as f64 + 4.0;
        svg.bar([left, line - 10.0, 12.0, 12.0], index, false, &series.name);
        svg.text(left + 18.0, line, "start", column - 22.0, &series.name);
    }
    svg.finish()
}
