//! Inserting a field into a mapping, in the style of the existing fields.

use super::edits::{Edit, Refusal};
use super::place::{colon, content, is_flow, value_span};
use super::splice::{Quote, flow_text, key_text, quote_of};
use crate::documents::Form;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::{Content, Field, Node};
use serde_json::Value;

pub(in crate::migrate) fn insert(
    source: &Text<'_>,
    form: Form,
    mapping: Node<'_>,
    fields: &[Field<'_>],
    name: &str,
    value: &Value,
) -> Result<Edit, Refusal> {
    let quote = quote_of(form, source, fields.first());
    let Some(last) = fields.last() else {
        let span = content(source, mapping.span());
        let text = format!("{{{}: {}}}", key_text(name, quote), flow_text(value, quote));
        return Ok(Edit::replace(span, text));
    };
    if is_flow(source, mapping) {
        return into_flow(source, form, fields, last, quote, (name, value));
    }
    into_block(source, fields, quote, (name, value))
}

/// After the last field, with the same blanks as between the others.
fn into_flow(
    source: &Text<'_>,
    form: Form,
    fields: &[Field<'_>],
    last: &Field<'_>,
    quote: Quote,
    (name, value): (&str, &Value),
) -> Result<Edit, Refusal> {
    let end = value_span(source, last)?.end;
    let key = last.name_span.start;
    let line_start = source.line_start(key);
    let indent = &source.text[line_start..key];
    let owns_line = indent.trim().is_empty() && line_start > 0;
    let after_colon = &source.text[colon(source, last.name_span)? + 1..];
    let is_spaced = after_colon.starts_with(char::is_whitespace);
    let between = match fields {
        [.., before, last] => {
            let from = value_span(source, before)?.end;
            source.text.get(from..last.name_span.start)
        }
        _ => None,
    };
    let line_break = source.line_break();
    let between = match between {
        Some(text) if text.trim() == "," => text.to_owned(),
        _ if owns_line => format!(",{line_break}{indent}"),
        _ if is_spaced => ", ".to_owned(),
        _ => ",".to_owned(),
    };
    let space = if is_spaced { " " } else { "" };
    let value = match value.as_object() {
        Some(inner) if owns_line && form == Form::Json => {
            let lines: Vec<_> = inner
                .iter()
                .map(|(name, value)| format!("{indent}{}\"{name}\":{space}{value}", unit(indent)))
                .collect();
            let lines = lines.join(&format!(",{line_break}"));
            format!("{{{line_break}{lines}{line_break}{indent}}}")
        }
        _ if !is_spaced && form == Form::Json => value.to_string(),
        _ => flow_text(value, quote),
    };
    let key = key_text(name, quote);
    Ok(Edit::insert(end, format!("{between}{key}:{space}{value}")))
}

/// One step of indentation, guessed from the indentation of a field of `metadata` or `spec`.
fn unit(indent: &str) -> String {
    match indent.chars().next() {
        Some('\t') => "\t".to_owned(),
        _ if indent.len().is_multiple_of(4) && !indent.len().is_multiple_of(3) => {
            " ".repeat(if indent.len().is_multiple_of(8) { 4 } else { 2 })
        }
        _ => "  ".to_owned(),
    }
}

/// In a new line after a field that takes one line, or else before the first field.
fn into_block(
    source: &Text<'_>,
    fields: &[Field<'_>],
    quote: Quote,
    (name, value): (&str, &Value),
) -> Result<Edit, Refusal> {
    let line_break = source.line_break();
    for field in fields.iter().rev() {
        if matches!(
            field.value.content(),
            Content::Object(_) | Content::Array(_)
        ) {
            continue;
        }
        let key = field.name_span;
        let line_start = source.line_start(key.start);
        let before = &source.text[line_start..key.start];
        let value_span = value_span(source, field)?;
        let end = value_span.end;
        let line_end = source.line_end(key.end);
        let is_block_scalar = source
            .slice(content(source, value_span))
            .starts_with(['|', '>']);
        if end > line_end || is_block_scalar || !before.chars().all(|c| matches!(c, ' ' | '-')) {
            continue;
        }
        let rest = source.text[end..line_end].trim();
        if !(rest.is_empty() || rest.starts_with('#')) {
            continue;
        }
        let indent = " ".repeat(before.chars().count());
        let lines = block_text(&indent, line_break, quote, (name, value));
        return Ok(Edit::insert(line_end, format!("{line_break}{lines}")));
    }
    let first = &fields[0];
    let start = first.name_span.start;
    let before = &source.text[source.line_start(start)..start];
    if !before
        .chars()
        .all(|character| matches!(character, ' ' | '-'))
    {
        let why = format!("there is no place for `{name}` in this mapping");
        return Err(Refusal::new(start, why));
    }
    let indent = " ".repeat(before.chars().count());
    let lines = block_text(&indent, line_break, quote, (name, value));
    let lines = lines.trim_start();
    Ok(Edit::insert(start, format!("{lines}{line_break}{indent}")))
}

fn block_text(
    indent: &str,
    line_break: &str,
    quote: Quote,
    (name, value): (&str, &Value),
) -> String {
    let key = key_text(name, quote);
    match value.as_object() {
        Some(fields) if !fields.is_empty() => {
            let lines: Vec<_> = fields
                .iter()
                .map(|(name, value)| {
                    let inner = format!("{indent}  ");
                    block_text(&inner, line_break, quote, (name, value))
                })
                .collect();
            format!("{indent}{key}:{line_break}{}", lines.join(line_break))
        }
        _ => format!("{indent}{key}: {}", flow_text(value, quote)),
    }
}
