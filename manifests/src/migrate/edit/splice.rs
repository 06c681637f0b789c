//! Small changes of a mapping in its own style: renaming a field, replacing a scalar, removing fields.

use super::edits::{Edit, Refusal};
use super::place::{self, comments, content, is_flow, value_span};
use crate::documents::Form;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::{Content, Field, Node, Span};
use serde_json::Value;

pub(in crate::migrate) fn rename(source: &Text<'_>, field: &Field<'_>, name: &str) -> Edit {
    replace_word(source, field.name_span, field.name, name)
}

/// Replaces the scalar of a field or of a list element.
pub(in crate::migrate) fn set_scalar(
    source: &Text<'_>,
    form: Form,
    owner: Option<&Field<'_>>,
    value: Node<'_>,
    new: &Value,
) -> Result<Edit, Refusal> {
    match (value.content(), new) {
        (Content::String(old), Value::String(new)) => {
            Ok(replace_word(source, value.span(), old, new))
        }
        (Content::String(_) | Content::Array(_) | Content::Object(_), _) => Err(Refusal::new(
            value.span().start,
            "the value is not a scalar of the expected type",
        )),
        (_, new) => {
            let text = flow_text(new, quote_of(form, source, None));
            let span = content(source, value.span());
            let is_empty = span.start == span.end;
            match owner {
                Some(field) if is_empty => {
                    let at = place::colon(source, field.name_span)? + 1;
                    Ok(Edit::insert(at, format!(" {text}")))
                }
                _ if is_empty => Err(Refusal::new(span.start, "an empty element")),
                _ => Ok(Edit::replace(span, text)),
            }
        }
    }
}

/// Replaces the part of a scalar that differs: only `v1beta2` if the group before it stays.
fn replace_word(source: &Text<'_>, span: Span, old: &str, new: &str) -> Edit {
    let span = content(source, span);
    let text = source.slice(span);
    if let Some(at) = text.find(old)
        && text.matches(old).count() == 1
    {
        let shared = match (old.rfind('/'), new.rfind('/')) {
            (Some(left), Some(right)) if old[..=left] == new[..=right] => left + 1,
            _ => 0,
        };
        let start = span.start + at;
        let span = Span::new(start + shared, start + old.len());
        return Edit::replace(span, &new[shared..]);
    }
    // Written with escapes, as `\/` for a slash: the last part may still be there.
    if let (Some(left), Some(right)) = (old.rsplit_once('/'), new.rsplit_once('/'))
        && left.0 == right.0
        && text.matches(left.1).count() == 1
        && let Some(at) = text.find(left.1)
    {
        let start = span.start + at;
        return Edit::replace(Span::new(start, start + left.1.len()), right.1);
    }
    // Written over several lines, or an alias.
    let text = match text.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => format!("{0}{new}{0}", char::from(*quote)),
        _ => new.to_owned(),
    };
    Edit::replace(span, text)
}

/// Removes fields of a mapping; their comments stay.
///
/// `fields` are the fields in the mapping itself, `gone` the sorted indexes of the fields to remove.
pub(in crate::migrate) fn remove(
    source: &Text<'_>,
    mapping: Node<'_>,
    fields: &[Field<'_>],
    gone: &[usize],
) -> Result<Vec<Edit>, Refusal> {
    let (Some(first), Some(last)) = (fields.first(), fields.last()) else {
        return Ok(Vec::new());
    };
    let is_flow = is_flow(source, mapping);
    if gone.len() == fields.len() {
        let span = if is_flow {
            content(source, mapping.span())
        } else {
            Span::new(first.name_span.start, value_span(source, last)?.end)
        };
        return without_comments(source, fields, span, "{}").map(|edit| vec![edit]);
    }
    if !is_flow {
        return gone
            .iter()
            .map(|index| remove_block(source, &fields[*index]))
            .collect();
    }
    let mut edits = Vec::new();
    // Neighbours go together, with the commas between them.
    for run in gone.chunk_by(|left, right| left + 1 == *right) {
        let (from, to) = (run[0], run[run.len() - 1]);
        let span = if let Some(next) = fields.get(to + 1) {
            Span::new(fields[from].name_span.start, next.name_span.start)
        } else {
            let before = value_span(source, &fields[from - 1])?.end;
            Span::new(before, value_span(source, &fields[to])?.end)
        };
        edits.push(without_comments(source, &fields[from..=to], span, "")?);
    }
    Ok(edits)
}

/// An edit of a part without comments.
fn without_comments(
    source: &Text<'_>,
    fields: &[Field<'_>],
    span: Span,
    text: &str,
) -> Result<Edit, Refusal> {
    let start = fields.first().map_or(0, |field| field.name_span.start);
    if !comments(source, fields, span.end).is_empty() {
        let why = "the text to remove contains a comment";
        return Err(Refusal::new(start, why));
    }
    Ok(Edit::replace(span, text))
}

fn remove_block(source: &Text<'_>, field: &Field<'_>) -> Result<Edit, Refusal> {
    let value = value_span(source, field)?;
    let key = field.name_span;
    let line_start = source.line_start(key.start);
    let indent = &source.text[line_start..key.start];
    let last_line_end = source.line_end(value.end.max(key.end));
    if !indent.trim().is_empty() {
        let why = "the line contains something else before this field";
        return Err(Refusal::new(key.start, why));
    }
    let rest = source.text[value.end.max(key.end)..last_line_end].trim();
    if !(rest.is_empty() || rest.starts_with('#')) {
        return Err(Refusal::new(
            value.end,
            "the line contains something else after this field",
        ));
    }
    // The comments of the removed lines stay in separate lines.
    let kept = comments(source, std::slice::from_ref(field), last_line_end);
    let line_break = source.line_break();
    let text: String = kept
        .iter()
        .map(|comment| format!("{indent}{comment}{line_break}"))
        .collect();
    let mut end = last_line_end;
    if source.text[end..].starts_with("\r\n") {
        end += 2;
    } else if source.text[end..].starts_with('\n') {
        end += 1;
    } else {
        // The last line of a text without a line break at its end.
        let before = &source.text[..line_start];
        let before = before.strip_suffix('\n').unwrap_or(before);
        let start = before.strip_suffix('\r').unwrap_or(before).len();
        let text = text.trim_end_matches(['\r', '\n']);
        let text = if text.is_empty() {
            String::new()
        } else {
            format!("{line_break}{text}")
        };
        return Ok(Edit::replace(Span::new(start, end), text));
    }
    Ok(Edit::replace(Span::new(line_start, end), text))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::migrate) enum Quote {
    None,
    Single,
    Double,
}

/// The quotes of the keys of a mapping, taken from its first key.
pub(in crate::migrate) fn quote_of(
    form: Form,
    source: &Text<'_>,
    field: Option<&Field<'_>>,
) -> Quote {
    if form == Form::Json {
        return Quote::Double;
    }
    let key = field.map(|field| source.slice(content(source, field.name_span)));
    match key.and_then(|key| key.as_bytes().first()) {
        Some(b'"') => Quote::Double,
        Some(b'\'') => Quote::Single,
        _ => Quote::None,
    }
}

/// A name as a key. Inserted names do not need quotes.
pub(in crate::migrate) fn key_text(name: &str, quote: Quote) -> String {
    match quote {
        Quote::None => name.to_owned(),
        Quote::Single => format!("'{name}'"),
        Quote::Double => format!("\"{name}\""),
    }
}

/// A value in one line.
pub(in crate::migrate) fn flow_text(value: &Value, quote: Quote) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(name, value)| {
                    let key = key_text(name, quote);
                    format!("{key}: {}", flow_text(value, quote))
                })
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        // Scalars in JSON are valid YAML.
        other => other.to_string(),
    }
}
