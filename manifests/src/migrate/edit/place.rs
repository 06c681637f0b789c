//! The places of the parts of a field: key, colon, value, and comments.

use super::edits::Refusal;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::{Content, Field, Node, Span};

/// The span of a value without its anchor and tag.
pub(in crate::migrate) fn content(source: &Text<'_>, span: Span) -> Span {
    let mut start = span.start;
    loop {
        let rest = &source.text[start..span.end.max(start)];
        let skipped = match rest.as_bytes().first() {
            Some(b'&' | b'!') => rest
                .find(|character: char| character.is_whitespace())
                .unwrap_or(rest.len()),
            Some(b' ' | b'\t' | b'\r' | b'\n') => 1,
            Some(b'#') => rest.find('\n').unwrap_or(rest.len()),
            _ => break,
        };
        start += skipped;
    }
    Span::new(start, span.end.max(start))
}

/// Whether a mapping is written with braces.
pub(in crate::migrate) fn is_flow(source: &Text<'_>, mapping: Node<'_>) -> bool {
    source
        .slice(content(source, mapping.span()))
        .starts_with('{')
}

/// The span of the value of a field. For an alias, the span of the alias; for an empty value, the place after the colon.
pub(in crate::migrate) fn value_span(
    source: &Text<'_>,
    field: &Field<'_>,
) -> Result<Span, Refusal> {
    let colon = colon(source, field.name_span)?;
    let after = skip_blanks_and_comments(source, colon + 1);
    let span = field.value.span();
    if source.text[after..].starts_with('*') {
        let length = source.text[after..]
            .find(|character: char| character.is_whitespace() || ",]}".contains(character))
            .unwrap_or(source.text.len() - after);
        return Ok(Span::new(after, after + length));
    }
    if span.end <= span.start || span.start <= colon {
        return Ok(Span::new(colon + 1, colon + 1));
    }
    // Trailing white space may not belong to a block.
    let end = span.start + source.slice(span).trim_end().len();
    Ok(Span::new(span.start, end))
}

pub(in crate::migrate) fn colon(source: &Text<'_>, key: Span) -> Result<usize, Refusal> {
    let at = skip_blanks_and_comments(source, key.end);
    match source.text.as_bytes().get(at) {
        Some(b':') => Ok(at),
        _ => Err(Refusal::new(
            key.start,
            "this key is not followed by a colon",
        )),
    }
}

fn skip_blanks_and_comments(source: &Text<'_>, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &source.text[at..];
        match rest.as_bytes().first() {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            Some(b'#') => at += rest.find('\n').unwrap_or(rest.len()),
            _ => return at,
        }
    }
}

/// The comments in a part of the text that contains only `fields` and ends at `end`. A `#` in a scalar starts no comment.
pub(in crate::migrate) fn comments<'a>(
    source: &Text<'a>,
    fields: &[Field<'_>],
    end: usize,
) -> Vec<&'a str> {
    let Some(first) = fields.first() else {
        return Vec::new();
    };
    let mut scalars = Vec::new();
    for field in fields {
        collect_scalars(field, &mut scalars);
    }
    scalars.sort_by_key(|span| span.start);
    let mut comments = Vec::new();
    let mut at = first.name_span.start;
    scalars.retain(|scalar| scalar.end <= end);
    scalars.push(Span::new(end, end));
    for scalar in scalars {
        if scalar.start >= at {
            comments.extend(source.text[at..scalar.start].lines().filter_map(comment));
        }
        at = at.max(scalar.end);
    }
    comments
}

/// The comment of a line without scalars.
fn comment(line: &str) -> Option<&str> {
    let mut last = ' ';
    for (at, character) in line.char_indices() {
        if character == '#' && last.is_whitespace() {
            return Some(line[at..].trim_end());
        }
        last = character;
    }
    None
}

fn collect_scalars(field: &Field<'_>, out: &mut Vec<Span>) {
    out.push(field.name_span);
    collect_value(field.value, out);
}

fn collect_value(value: Node<'_>, out: &mut Vec<Span>) {
    match value.content() {
        Content::Object(fields) => fields.iter().for_each(|m| collect_scalars(&m, out)),
        Content::Array(elements) => elements.iter().for_each(|e| collect_value(e, out)),
        _ => out.push(value.span()),
    }
}
