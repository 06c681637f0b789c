//! Tables of figures: ours, the peer's where it does the same work, and their ratio.

use crate::Outcome;
use crate::programs::Programs;
use serde_json::Value;
use std::collections::BTreeMap;

/// A row of the table.
struct Row {
    work: &'static str,
    /// The name of the figure in the program's report.
    figure: &'static str,
    /// The size of one unit of the table, in units of the report.
    unit: f64,
    goal: &'static str,
    /// The program and its arguments.
    ours: &'static str,
    /// The peer's, empty if it has no such work.
    peer: &'static str,
}

impl Row {
    fn parse(fields: &[&'static str]) -> Outcome<Self> {
        let field = |index| *fields.get(index).unwrap_or(&"");
        let (figure, unit) = field(1).split_once(" / ").unwrap_or((field(1), "1"));
        Ok(Self {
            work: field(0),
            figure,
            unit: unit.parse()?,
            goal: field(2),
            ours: field(3),
            peer: field(4),
        })
    }

    /// Whether the goal is met, if there is one, and figures for it.
    fn is_met(&self, ours: Option<f64>, ratio: Option<f64>) -> Option<bool> {
        let (value, goal) = match self.goal.strip_prefix("ratio ") {
            Some(goal) => (ratio?, goal),
            None => (ours?, self.goal),
        };
        let number = |text: &str| text.replace(',', "").parse().ok();
        match goal.strip_prefix("at least ").and_then(number) {
            Some(least) => Some(value >= least),
            None => Some(value <= goal.strip_prefix("at most ").and_then(number)?),
        }
    }
}

pub(crate) fn table(
    rows: &[Vec<&'static str>],
    rounds: usize,
    programs: &mut Programs,
) -> Outcome<String> {
    let rows: Vec<Row> = rows
        .iter()
        .map(|row| Row::parse(row))
        .collect::<Outcome<_>>()?;
    let mut reports: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for _ in 0..rounds {
        let mut done = Vec::new();
        for work in rows.iter().flat_map(|row| [row.ours, row.peer]) {
            if work.is_empty() || done.contains(&work) {
                continue;
            }
            done.push(work);
            let report = programs.report(work)?;
            reports.entry(work).or_default().extend(report);
        }
    }
    let mut text = "| work | ours | peer | ratio | goal |\n|---|---:|---:|---:|---|\n".to_owned();
    for row in &rows {
        let of = |work| median(reports.get(work).map_or(&[], Vec::as_slice), row);
        text.push_str(&line(row, of(row.ours), of(row.peer)));
    }
    Ok(text)
}

/// A ratio needs both figures of this run, and a peer's that is not shown as nothing.
fn line(row: &Row, ours: Option<f64>, peer: Option<f64>) -> String {
    let ratio = ours.zip(peer.filter(|peer| figure(*peer) != "0"));
    let ratio = ratio.map(|(ours, peer)| ours / peer);
    let missed = match row.is_met(ours, ratio) {
        Some(false) => " (missed)",
        _ => "",
    };
    let absent = |expected| if expected { "not measured" } else { "" }.to_owned();
    format!(
        "| {} | {} | {} | {} | {}{missed} |\n",
        row.work,
        ours.map_or_else(|| absent(true), figure),
        peer.map_or_else(|| absent(!row.peer.is_empty()), figure),
        ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
        row.goal,
    )
}

/// Three digits, and thousands with commas.
pub(crate) fn figure(value: f64) -> String {
    if value < 100.0 {
        let digits = if value < 10.0 { 2 } else { 1 };
        let text = format!("{value:.digits$}");
        return match text.trim_end_matches('0').strip_suffix('.') {
            Some(whole) => whole.to_owned(),
            None => text,
        };
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn median(reports: &[Value], row: &Row) -> Option<f64> {
    let values = reports
        .iter()
        .filter_map(|report| report[row.figure].as_f64());
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map(|value| value / row.unit)
}

#[cfg(test)]
mod tests {
    use super::{Row, figure, line};

    #[test]
    fn figures_are_short() {
        let figures = [0.0, 0.126, 9.0, 12.34, 99.96, 1234.5, 1_234_567.0];
        let texts = figures.map(figure);
        assert_eq!(
            texts,
            ["0", "0.13", "9", "12.3", "100", "1,234", "1,234,567"]
        );
    }

    #[test]
    fn a_ratio_needs_both_figures() {
        let compared = Row::parse(&["work", "x / 2", "ratio at least 3", "a", "b"]).unwrap();
        assert_eq!(compared.unit, 2.0);
        assert_eq!(
            line(&compared, Some(8.0), Some(4.0)),
            "| work | 8 | 4 | 2.00 | ratio at least 3 (missed) |\n"
        );
        assert_eq!(
            line(&compared, Some(8.0), None),
            "| work | 8 | not measured |  | ratio at least 3 |\n"
        );
        assert_eq!(
            line(&compared, Some(2.0), Some(0.002)),
            "| work | 2 | 0 |  | ratio at least 3 |\n"
        );
        let alone = Row::parse(&["work", "x", "at most 9", "a"]).unwrap();
        assert_eq!(
            line(&alone, Some(8.0), None),
            "| work | 8 |  |  | at most 9 |\n"
        );
    }
}
