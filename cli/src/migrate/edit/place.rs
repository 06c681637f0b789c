//! Where the parts of a member stand: its key, its value, the comments between them.

use super::edits::Refusal;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::{Content, Field, Node, Span};

/// A value as it is written, without the anchor and the tag before it.
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

/// Where the value of a member stands. For an alias that is where the alias stands, and for an empty value the
/// place behind the colon.
pub(in crate::migrate) fn value_span(
    source: &Text<'_>,
    member: &Field<'_>,
) -> Result<Span, Refusal> {
    let colon = colon(source, member.name_span)?;
    let after = skip_blanks_and_comments(source, colon + 1);
    let span = member.value.span();
    if source.text[after..].starts_with('*') {
        let length = source.text[after..]
            .find(|character: char| character.is_whitespace() || ",]}".contains(character))
            .unwrap_or(source.text.len() - after);
        return Ok(Span::new(after, after + length));
    }
    if span.end <= span.start || span.start <= colon {
        return Ok(Span::new(colon + 1, colon + 1));
    }
    // What ends a block scalar, or a block, is not always a part of it.
    let end = span.start + source.slice(span).trim_end().len();
    Ok(Span::new(span.start, end))
}

/// Where the colon behind a key stands.
pub(in crate::migrate) fn colon(source: &Text<'_>, key: Span) -> Result<usize, Refusal> {
    let at = skip_blanks_and_comments(source, key.end);
    match source.text.as_bytes().get(at) {
        Some(b':') => Ok(at),
        _ => Err(Refusal::new(key.start, "this key has no colon behind it")),
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

/// The comments in a part of the text that has nothing else but `members`, and ends at `end`. A `#` in a scalar
/// begins no comment.
pub(in crate::migrate) fn comments<'a>(
    source: &Text<'a>,
    members: &[Field<'_>],
    end: usize,
) -> Vec<&'a str> {
    let Some(first) = members.first() else {
        return Vec::new();
    };
    let mut scalars = Vec::new();
    for member in members {
        collect_scalars(member, &mut scalars);
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

fn collect_scalars(member: &Field<'_>, out: &mut Vec<Span>) {
    out.push(member.name_span);
    collect_value(member.value, out);
}

fn collect_value(value: Node<'_>, out: &mut Vec<Span>) {
    match value.content() {
        Content::Object(members) => members.iter().for_each(|m| collect_scalars(&m, out)),
        Content::Array(elements) => elements.iter().for_each(|e| collect_value(e, out)),
        _ => out.push(value.span()),
    }
}
