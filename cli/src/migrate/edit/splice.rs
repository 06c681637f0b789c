//! Small changes of a mapping in the style in which it is written: a new name, a new scalar, one member less.

use super::edits::{Edit, Refusal};
use super::place::{self, comments, content, is_flow, value_span};
use crate::documents::Form;
use crate::migrate::read::Text;
use k8s_flowcontrol_text::{Content, Field, Node, Span};
use serde_json::Value;

/// Gives a key another name.
pub(in crate::migrate) fn rename(source: &Text<'_>, member: &Field<'_>, name: &str) -> Edit {
    replace_word(source, member.name_span, member.name, name)
}

/// Gives a member, or an element of a list, another scalar.
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
            "a value that is not the expected scalar",
        )),
        (_, new) => {
            let text = flow_text(new, quote_of(form, source, None));
            let span = content(source, value.span());
            let is_empty = span.start == span.end;
            match owner {
                Some(member) if is_empty => {
                    let at = place::colon(source, member.name_span)? + 1;
                    Ok(Edit::insert(at, format!(" {text}")))
                }
                _ if is_empty => Err(Refusal::new(span.start, "an empty element")),
                _ => Ok(Edit::replace(span, text)),
            }
        }
    }
}

/// Replaces a scalar as far as it differs: `v1beta2` alone when the group before it stays.
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

/// Takes members of a mapping away; their comments stay.
///
/// `members` are those that stand in the mapping itself, `gone` the indexes of some of them in order.
pub(in crate::migrate) fn remove(
    source: &Text<'_>,
    mapping: Node<'_>,
    members: &[Field<'_>],
    gone: &[usize],
) -> Result<Vec<Edit>, Refusal> {
    let (Some(first), Some(last)) = (members.first(), members.last()) else {
        return Ok(Vec::new());
    };
    let is_flow = is_flow(source, mapping);
    if gone.len() == members.len() {
        let span = if is_flow {
            content(source, mapping.span())
        } else {
            Span::new(first.name_span.start, value_span(source, last)?.end)
        };
        return without_comments(source, members, span, "{}").map(|edit| vec![edit]);
    }
    if !is_flow {
        return gone
            .iter()
            .map(|index| remove_block(source, &members[*index]))
            .collect();
    }
    let mut edits = Vec::new();
    // Neighbours go together, with the commas between them.
    for run in gone.chunk_by(|left, right| left + 1 == *right) {
        let (from, to) = (run[0], run[run.len() - 1]);
        let span = if let Some(next) = members.get(to + 1) {
            Span::new(members[from].name_span.start, next.name_span.start)
        } else {
            let before = value_span(source, &members[from - 1])?.end;
            Span::new(before, value_span(source, &members[to])?.end)
        };
        edits.push(without_comments(source, &members[from..=to], span, "")?);
    }
    Ok(edits)
}

/// An edit of a part that has no comments.
fn without_comments(
    source: &Text<'_>,
    members: &[Field<'_>],
    span: Span,
    text: &str,
) -> Result<Edit, Refusal> {
    let start = members.first().map_or(0, |member| member.name_span.start);
    if !comments(source, members, span.end).is_empty() {
        let why = "a comment stands inside of what has to be removed";
        return Err(Refusal::new(start, why));
    }
    Ok(Edit::replace(span, text))
}

/// Takes the lines of a member away.
fn remove_block(source: &Text<'_>, member: &Field<'_>) -> Result<Edit, Refusal> {
    let value = value_span(source, member)?;
    let key = member.name_span;
    let line_start = source.line_start(key.start);
    let indent = &source.text[line_start..key.start];
    let last_line_end = source.line_end(value.end.max(key.end));
    if !indent.trim().is_empty() {
        let why = "this member cannot be removed without moving what stands beside it";
        return Err(Refusal::new(key.start, why));
    }
    let rest = source.text[value.end.max(key.end)..last_line_end].trim();
    if !(rest.is_empty() || rest.starts_with('#')) {
        return Err(Refusal::new(
            value.end,
            "something else stands in the same line",
        ));
    }
    // The comments of the lines that go stay in lines of their own.
    let kept = comments(source, std::slice::from_ref(member), last_line_end);
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

/// How keys are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::migrate) enum Quote {
    None,
    Single,
    Double,
}

/// How the keys of a mapping are quoted, judged by one of them.
pub(in crate::migrate) fn quote_of(
    form: Form,
    source: &Text<'_>,
    member: Option<&Field<'_>>,
) -> Quote {
    if form == Form::Json {
        return Quote::Double;
    }
    let key = member.map(|member| source.slice(content(source, member.name_span)));
    match key.and_then(|key| key.as_bytes().first()) {
        Some(b'"') => Quote::Double,
        Some(b'\'') => Quote::Single,
        _ => Quote::None,
    }
}

/// A name as a key. The names that are inserted need no quotes of their own.
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
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, value)| {
                    let key = key_text(name, quote);
                    format!("{key}: {}", flow_text(value, quote))
                })
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        // JSON's scalars are YAML's.
        other => other.to_string(),
    }
}
