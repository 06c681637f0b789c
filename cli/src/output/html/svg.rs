//! Parts of charts.

use super::Width;
use super::escape;
use std::fmt::{Display, Write};

/// The colors of a page.
const COLORS: usize = 8;
/// The width of a character of text, on average.
const CHARACTER: f64 = 6.6;

/// A chart that is being drawn.
pub(super) struct Svg {
    pub(super) width: f64,
    height: f64,
    parts: String,
}

impl Svg {
    pub(super) fn new(width: Width, height: f64, title: &str) -> Self {
        Self {
            width: width.pixels(),
            height,
            parts: format!("<title>{}</title>", escape(title)),
        }
    }

    pub(super) fn add(&mut self, part: impl Display) {
        let _ = writeln!(self.parts, "{part}");
    }

    /// A text that is shortened to `room` pixels. `anchor` is `start`, `middle` or `end`.
    pub(super) fn text(&mut self, x: f64, y: f64, anchor: &str, room: f64, text: &str) {
        let full = escape(text);
        let short = escape(&shorten(text, room));
        let title = match full == short {
            true => String::new(),
            false => format!("<title>{full}</title>"),
        };
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{short}{title}</text>"
        ));
    }

    /// A rectangle with a color of the page and a text that appears when the pointer rests on it.
    pub(super) fn bar(
        &mut self,
        [x, y, width, height]: [f64; 4],
        color: usize,
        faint: bool,
        hint: &str,
    ) {
        let opacity = if faint { 0.45 } else { 1.0 };
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\" fill-opacity=\"{opacity}\"><title>{}</title></rect>",
            width.max(0.0),
            height.max(0.0),
            fill(color),
            escape(hint)
        ));
    }

    pub(super) fn finish(self) -> String {
        format!(
            "<svg viewBox=\"0 0 {:.0} {:.0}\" role=\"img\">\n{}</svg>",
            self.width, self.height, self.parts
        )
    }
}

/// A color of the page. After the last one the same colors follow in weaker shades.
pub(super) fn fill(index: usize) -> String {
    let color = format!("var(--c{})", index % COLORS);
    match index / COLORS {
        0 => color,
        round => format!(
            "color-mix(in srgb, {color} {}%, var(--background))",
            100 / (round + 1)
        ),
    }
}

/// A text of at most `room` pixels.
fn shorten(text: &str, room: f64) -> String {
    let most = (room / CHARACTER).max(2.0) as usize;
    match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// A round number that is not below `value`: 1, 2 or 5 times a power of ten.
pub(super) fn round_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let found = factors
        .iter()
        .map(|factor| factor * power)
        .find(|round| *round >= value * 0.999_999);
    found.unwrap_or(value)
}

/// A number without needless digits.
pub(super) fn number(value: f64) -> String {
    match value.fract() == 0.0 {
        true => format!("{value:.0}"),
        false => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}
