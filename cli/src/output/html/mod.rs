//! Web pages: one file each, without scripts and without anything from the network.
//!
//! A [`Page`] has figures, each a chart as inline SVG with the table of its numbers behind it. Every chart is drawn twice, for a wide
//! and for a narrow screen, so that its texts are legible on a phone too. The colors follow the light or dark mode of the browser.

mod area;
mod bars;
mod flows;
mod svg;

pub(crate) use area::{Series, area};
pub(crate) use bars::{Bar, Group, Pair, bars, pairs};
pub(crate) use flows::{Link, flows};

use super::escape::one_line;
use std::fmt::Write;

/// The width of a chart, in pixels of the chart's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    Wide,
    Narrow,
}

impl Width {
    pub(super) fn pixels(self) -> f64 {
        match self {
            Self::Wide => 920.0,
            Self::Narrow => 340.0,
        }
    }
}

/// A web page.
#[derive(Debug)]
pub(crate) struct Page {
    title: String,
    body: String,
}

impl Page {
    pub(crate) fn new(title: &str, summary: &[String]) -> Self {
        let mut body = format!("<h1>{}</h1>\n", escape(title));
        for line in summary {
            let _ = writeln!(body, "<p>{}</p>", escape(line));
        }
        Self {
            title: title.to_owned(),
            body,
        }
    }

    /// Adds a chart with its table.
    pub(crate) fn figure(
        &mut self,
        heading: &str,
        note: &str,
        chart: impl Fn(Width) -> String,
        table: &Rows,
    ) {
        let _ = write!(
            self.body,
            "<section>\n<h2>{}</h2>\n<p>{}</p>\n<div class=\"wide\">{}</div>\n<div class=\"narrow\">{}</div>\n\
             <details>\n<summary>Table</summary>\n{}</details>\n</section>\n",
            escape(heading),
            escape(note),
            chart(Width::Wide),
            chart(Width::Narrow),
            table.html()
        );
    }

    /// Adds a table without a chart.
    pub(crate) fn table(&mut self, heading: &str, table: &Rows) {
        let _ = write!(
            self.body,
            "<section>\n<h2>{}</h2>\n{}</section>\n",
            escape(heading),
            table.html()
        );
    }

    /// The text of the file.
    pub(crate) fn html(&self) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
            escape(&self.title),
            include_str!("page.css"),
            self.body
        )
    }
}

/// The rows of a table.
#[derive(Debug)]
pub(crate) struct Rows {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Rows {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self {
            head: head.iter().map(|cell| (*cell).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }

    fn html(&self) -> String {
        let is_number = |column: usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(column));
            !self.rows.is_empty() && cells.all(|cell| cell.parse::<f64>().is_ok())
        };
        let classes: Vec<_> = (0..self.head.len())
            .map(|column| match is_number(column) {
                true => " class=\"number\"",
                false => "",
            })
            .collect();
        let mut html = "<div class=\"table\"><table>\n<thead><tr>".to_owned();
        for (cell, class) in self.head.iter().zip(&classes) {
            let _ = write!(html, "<th{class}>{}</th>", escape(cell));
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (cell, class) in row.iter().zip(&classes) {
                let _ = write!(html, "<td{class}>{}</td>", escape(cell));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody>\n</table></div>\n");
        html
    }
}

/// Escapes a text for HTML and SVG. Control characters, which no page may have, and characters that change the direction of text are
/// shown in a visible form.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in one_line(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}
