//! Templates: actions are masked, so the text reads as YAML and every byte keeps its offset.
//!
//! The [`Syntax`] of each action is one of Go and Helm, Jinja, ytt, ERB, envsubst and Velocity. They may be mixed in a text.

use super::velocity::{directive_at, is_velocity, word};
use crate::cut::{ceil, floor};
use k8s_flowcontrol_text::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// `{{ … }}`, which Jinja has too.
    Go,
    /// `{% … %}` and `{# … #}`.
    Jinja,
    /// `#@ …` up to the end of the line.
    Ytt,
    /// `<% … %>`.
    Erb,
    /// `${NAME}` as the value of a field, or in it.
    Envsubst,
    /// `#if(…)`, `#else` and others, alone in a line.
    Velocity,
}

/// An action of a template: a value, a statement or a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) span: Span,
    /// Whether the action produces output: `include` does, `if` does not.
    pub(crate) writes: bool,
    pub(crate) syntax: Syntax,
}

/// A template that can be read as YAML.
#[derive(Debug)]
pub(super) struct Masked {
    /// The text with masked actions, which has the same length and line breaks.
    pub(super) text: String,
    pub(super) actions: Vec<Action>,
}

/// The actions of a text; none if an action does not end.
pub(crate) fn actions(text: &str) -> Option<Vec<Action>> {
    let mut actions = Vec::new();
    let mut at = 0;
    let is_velocity = is_velocity(text);
    while let Some(found) = memchr::memchr3(b'{', b'<', b'#', &text.as_bytes()[at..]) {
        let start = at + found;
        let directive = is_velocity.then(|| directive_at(text, start)).flatten();
        let Some((span, syntax)) = (match directive {
            Some(span) => Some((span, Syntax::Velocity)),
            None => action_at(text, start)?,
        }) else {
            at = start + 1;
            continue;
        };
        let source = &text[span.range()];
        actions.push(Action {
            span,
            writes: match syntax {
                Syntax::Go => writes(inside(source)),
                Syntax::Jinja | Syntax::Velocity => false,
                Syntax::Erb => source.starts_with("<%="),
                Syntax::Envsubst => true,
                Syntax::Ytt => is_value(text, span.start),
            },
            syntax,
        });
        at = span.end;
    }
    Some(actions)
}

/// The action that begins at a brace, a bracket or a hash; an outer `None` if it does not end.
#[expect(clippy::option_option, reason = "none of them, or one without an end")]
fn action_at(text: &str, start: usize) -> Option<Option<(Span, Syntax)>> {
    let rest = &text[start..];
    let closed = |close: &str, syntax| {
        let end = near(rest).find(close)? + close.len();
        Some((Span::new(start, start + end), syntax))
    };
    Some(if rest.starts_with("{{") {
        let end = action_end(text, start + 2)?;
        Some((Span::new(start, end), Syntax::Go))
    } else if rest.starts_with("{%") {
        closed("%}", Syntax::Jinja)
    } else if rest.starts_with("{#") && !text[..start].ends_with('$') {
        // `${#` is the length of a variable in a shell.
        closed("#}", Syntax::Jinja)
    } else if rest.starts_with("<%") {
        closed("%>", Syntax::Erb)
    } else if rest.starts_with("#@ ") {
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        Some((Span::new(start, start + end), Syntax::Ytt))
    } else if rest.starts_with('{') && text[..start].ends_with('$') && is_value(text, start - 1) {
        let end = near(rest).find(['}', '\n']);
        let end = end.filter(|end| rest[*end..].starts_with('}') && is_variable(&rest[1..*end]));
        end.map(|end| (Span::new(start - 1, start + end + 1), Syntax::Envsubst))
    } else {
        None
    })
}

/// The maximum number of bytes of a statement, so that a text of openings is not searched to its end for each.
const MAX_STATEMENT: usize = 16 << 10;

/// The maximum number of bytes of a key and the value behind it.
const MAX_KEY: usize = 400;

/// The part of a text in which a statement ends.
fn near(text: &str) -> &str {
    &text[..floor(text, MAX_STATEMENT)]
}

/// Whether a place is in the value of a field in the same line.
fn is_value(text: &str, at: usize) -> bool {
    let first = ceil(text, at.saturating_sub(MAX_KEY));
    let line = match text[first..at].rfind('\n') {
        Some(end) => first + end + 1,
        None if first == 0 => 0,
        None => return false,
    };
    let before = text[line..at].trim_start_matches([' ', '-']);
    let Some((key, value)) = before.split_once(": ") else {
        return false;
    };
    let is_key = |letter: char| letter.is_alphanumeric() || "_-./\"'".contains(letter);
    key.chars().all(is_key) && !value.contains(' ')
}

/// Whether the content of `${…}` is the name of a variable, perhaps with a default.
fn is_variable(content: &str) -> bool {
    let name = content.split([':', '-', '=']).next().unwrap_or(content);
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Whether a text is a template of ytt. It reads as YAML too, but its values are comments then.
pub(crate) fn is_ytt(text: &str) -> bool {
    memchr::memmem::find_iter(text.as_bytes(), b"#@").any(|at| {
        let rest = &text[at + 2..];
        let before = text[..at].trim_end_matches([' ', '\t']);
        let is_alone = before.is_empty() || before.ends_with('\n');
        rest.starts_with(' ') && (is_alone || is_value(text, at))
            || ["overlay/", "data/", "library/", "schema/"]
                .iter()
                .any(|name| rest.starts_with(name))
    })
}

/// The content of an action without its braces.
pub(crate) fn inside(action: &str) -> &str {
    action
        .trim_matches(|character: char| {
            matches!(character, '{' | '}' | '%' | '#' | '-' | '+' | '<' | '>')
                || character.is_whitespace()
        })
        .trim_start_matches("@ ")
        .trim_start()
}

/// Masks the actions of a template.
///
/// Actions alone in their lines become comments, actions that produce a value become unique words, and control actions become
/// blanks. `actions_before` are the actions of the text before this part of it: the words are the same as in the whole text.
pub(super) fn mask(text: &str, actions_before: usize) -> Option<Masked> {
    let actions = actions(text)?;
    let alone = standing_alone(text, &actions);
    let mut out = text.as_bytes().to_vec();
    for (index, (action, is_alone)) in actions.iter().zip(alone).enumerate() {
        let Span { start, end } = action.span;
        if is_alone {
            fill(&mut out[start..end], b'#', true);
        } else if action.writes {
            fill(&mut out[start..end], b'x', false);
            for (place, digit) in out[start + 1..end]
                .iter_mut()
                .zip((actions_before + index).to_string().bytes())
            {
                *place = digit;
            }
        } else {
            fill(&mut out[start..end], b' ', true);
        }
    }
    let text = String::from_utf8(out).ok()?;
    Some(Masked { text, actions })
}

/// Whether any action overlaps a part of the text. The actions are in order.
pub(crate) fn touches(actions: &[Action], span: Span) -> bool {
    touching(actions, span).next().is_some()
}

/// The actions that overlap a part of the text. The actions are in order.
pub(crate) fn touching(actions: &[Action], span: Span) -> impl Iterator<Item = &Action> {
    let first = actions.partition_point(|action| action.span.end <= span.start);
    let from = actions.get(first..).unwrap_or_default().iter();
    from.take_while(move |action| action.span.start < span.end)
}

fn fill(bytes: &mut [u8], with: u8, keep_breaks: bool) {
    for byte in bytes {
        if !(keep_breaks && matches!(*byte, b'\n' | b'\r')) {
            *byte = with;
        }
    }
}

/// Whether the lines of each action contain only actions.
fn standing_alone(text: &str, actions: &[Action]) -> Vec<bool> {
    let gap = |index: usize| {
        let start = index
            .checked_sub(1)
            .map_or(0, |before| actions[before].span.end);
        let end = actions
            .get(index)
            .map_or(text.len(), |action| action.span.start);
        text.get(start..end).unwrap_or_default()
    };
    let has_break = |action: &Action| text[action.span.range()].contains('\n');
    let is_blank = |part: &str| part.trim().is_empty();
    // From the left: the part of the line before each action.
    let mut alone = Vec::with_capacity(actions.len());
    for index in 0..actions.len() {
        let is_alone = match gap(index).rsplit_once('\n') {
            Some((_, line)) => is_blank(line),
            None => {
                let before = index.checked_sub(1);
                let is_clear = before.is_none_or(|at| alone[at] || has_break(&actions[at]));
                is_clear && is_blank(gap(index))
            }
        };
        alone.push(is_alone);
    }
    // From the right: the part of the line after each action.
    let mut is_clear = true;
    for index in (0..actions.len()).rev() {
        is_clear = match gap(index + 1).split_once('\n') {
            Some((line, _)) => is_blank(line),
            None => {
                let after = actions.get(index + 1);
                after.is_none_or(|after| is_clear || has_break(after)) && is_blank(gap(index + 1))
            }
        };
        alone[index] &= is_clear;
    }
    alone
}

/// The end of an action whose content starts at `at`. Braces in strings and comments do not end it.
fn action_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let inside = text[at..].trim_start_matches('-').trim_start();
    if inside.starts_with("/*") {
        let comment = text.len() - inside.len();
        let close = comment + text[comment..].find("*/")?;
        return Some(close + text[close..].find("}}")? + 2);
    }
    let mut at = at;
    let mut quote = None;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (None, b'}') if bytes.get(at + 1) == Some(&b'}') => return Some(at + 2),
            (None, byte @ (b'"' | b'`' | b'\'')) => quote = Some(byte),
            (Some(b'"'), b'\\') => at += 1,
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

fn writes(inside: &str) -> bool {
    let controls = matches!(
        word(inside),
        "if" | "else" | "end" | "with" | "range" | "define" | "block" | "break" | "continue"
    );
    let assigns = inside.starts_with('$')
        && inside
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(['"', '(', '|']));
    !(controls || assigns || inside.is_empty() || inside.starts_with("/*"))
}
