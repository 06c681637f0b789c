//! `limits --svg`: the seats as a bar chart.

use crate::output::html::escape;
use k8s_flowcontrol::rules::limits::{LevelLimits, ServerLimits};
use std::fmt::Write;

const NAMES: usize = 200;
const BARS: usize = 500;
const ROW: usize = 26;
const TOP: usize = 50;

/// The levels as horizontal bars; with `after`, each level has a bar before and a bar after the change.
pub(super) fn svg(limits: &ServerLimits, after: Option<&ServerLimits>) -> String {
    let mut rows: Vec<(String, &LevelLimits)> = Vec::new();
    match after {
        None => rows.extend(
            limits
                .levels()
                .iter()
                .map(|level| (level.name.clone(), level)),
        ),
        Some(after) => {
            let mut names: Vec<_> = limits
                .levels()
                .iter()
                .chain(after.levels())
                .map(|level| &level.name)
                .collect();
            names.sort();
            names.dedup();
            for name in names {
                rows.extend(
                    limits
                        .level(name)
                        .map(|level| (format!("{name}, before"), level)),
                );
                rows.extend(
                    after
                        .level(name)
                        .map(|level| (format!("{name}, after"), level)),
                );
            }
        }
    }
    let seats = i64::from(limits.concurrency_limit()).max(1);
    let (width, height) = (NAMES + BARS + 120, TOP + rows.len() * ROW + 20);
    let mut svg = String::new();
    // A string takes any text.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>Seats of priority levels</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"24\" font-size=\"15\">Seats of {seats} per server, Kubernetes {}: minimum, nominal, maximum</text>",
        limits.release(),
    );
    for (index, (name, level)) in rows.iter().enumerate() {
        let y = TOP + index * ROW;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            NAMES - 10,
            y + 14,
            escape(name)
        );
        for (amount, color) in [
            (level.maximum.min(seats), "#d0e3f5"),
            (level.nominal, "#6ba3d6"),
            (level.minimum, "#1f5f99"),
        ] {
            let length = (amount.clamp(0, seats) as f64 / seats as f64 * BARS as f64).round();
            let _ = writeln!(
                svg,
                "<rect x=\"{NAMES}\" y=\"{y}\" width=\"{length}\" height=\"18\" fill=\"{color}\"/>"
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\">{} / {} / {}</text>",
            NAMES + BARS + 8,
            y + 14,
            level.minimum,
            level.nominal,
            level.maximum
        );
    }
    svg.push_str("</svg>\n");
    svg
}
