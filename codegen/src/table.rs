//! The table of operations that the command `operations` prints.

use crate::model::Operation;
use std::fmt::Write;

const HEAD: [&str; 7] = [
    "METHOD",
    "PATH",
    "ACTION",
    "KIND",
    "PARAMETERS",
    "BODY",
    "RESPONSES",
];

pub(crate) fn table<'a>(operations: impl Iterator<Item = &'a Operation>) -> String {
    let mut rows: Vec<[String; 7]> = vec![HEAD.map(str::to_owned)];
    rows.extend(operations.map(row));
    let widths: [usize; 7] = std::array::from_fn(|column| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn row(operation: &Operation) -> [String; 7] {
    let mut path = operation.path.clone();
    if operation.deprecated {
        path.push_str(" (deprecated)");
    }
    let names: Vec<&str> = operation
        .parameters
        .iter()
        .map(|p| p.name.as_str())
        .collect();
    let parameters = match names.as_slice() {
        [] => "-".to_owned(),
        names => format!("{}: {}", names.len(), names.join(",")),
    };
    let dash = |text: &str| {
        if text.is_empty() {
            "-".to_owned()
        } else {
            text.to_owned()
        }
    };
    let body = operation.body.as_ref().map_or("-", |content| {
        content
            .schema
            .as_ref()
            .map_or("(unnamed)", |key| key.name.as_str())
    });
    let responses: Vec<String> = operation
        .responses
        .iter()
        .map(|(code, content)| match &content.schema {
            Some(key) => format!("{code} {}", key.name),
            None => code.to_string(),
        })
        .collect();
    [
        operation.method.to_owned(),
        path,
        dash(&operation.action),
        dash(operation.kind.as_ref().map_or("", |kind| &kind.kind)),
        parameters,
        body.to_owned(),
        dash(&responses.join(", ")),
    ]
}
