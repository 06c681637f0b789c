//! Go templates of Helm and Jinja templates: actions are masked, so the text reads as YAML and every byte keeps its offset.

use k8s_flowcontrol_text::Span;

/// An action `{{ … }}` of Go or Jinja, or a statement `{% … %}` or comment `{# … #}` of Jinja.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) span: Span,
    /// Whether the action produces output: `include` does, `if` does not.
    pub(crate) writes: bool,
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
    while let Some(found) = memchr::memchr(b'{', &text.as_bytes()[at..]) {
        let start = at + found;
        let rest = &text[start..];
        let (end, writes) = if rest.starts_with("{{") {
            let end = action_end(text, start + 2)?;
            (Some(end), writes(inside(&text[start..end])))
        } else if let Some(close) = jinja_close(text, start) {
            (rest.find(close).map(|at| start + at + close.len()), false)
        } else {
            (None, false)
        };
        let Some(end) = end else {
            at = start + 1;
            continue;
        };
        actions.push(Action {
            span: Span::new(start, end),
            writes,
        });
        at = end;
    }
    Some(actions)
}

/// The end of a Jinja statement or comment that begins here. `${#` is the length of a variable in a shell.
fn jinja_close(text: &str, start: usize) -> Option<&'static str> {
    match text.as_bytes().get(start + 1)? {
        b'%' => Some("%}"),
        b'#' if !text[..start].ends_with('$') => Some("#}"),
        _ => None,
    }
}

/// The content of an action without its braces.
pub(crate) fn inside(action: &str) -> &str {
    action.trim_matches(|character: char| {
        matches!(character, '{' | '}' | '%' | '#' | '-' | '+') || character.is_whitespace()
    })
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
    let word: String = inside
        .chars()
        .take_while(|character| character.is_ascii_alphabetic())
        .collect();
    let controls = matches!(
        word.as_str(),
        "if" | "else" | "end" | "with" | "range" | "define" | "block" | "break" | "continue"
    );
    let assigns = inside.starts_with('$')
        && inside
            .split_once('=')
            .is_some_and(|(name, _)| !name.contains(['"', '(', '|']));
    !(controls || assigns || inside.is_empty() || inside.starts_with("/*"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_masked_template_has_the_same_offsets() {
        let template = "{{- if .Values.on }}\nname: {{ .Values.name | quote }}\nlabels:\n  {{- include \"a\" . | nindent 2 }}\n{{- end }}\n";
        let masked = mask(template, 0).unwrap();
        assert_eq!(masked.text.len(), template.len());
        assert_eq!(masked.text.lines().count(), template.lines().count());
        assert!(masked.text.starts_with("####"));
        assert!(masked.text.contains("name: x1"));
        assert!(!masked.text.contains('{'));
        let writes: Vec<_> = masked.actions.iter().map(|action| action.writes).collect();
        assert_eq!(writes, [false, true, true, false]);
    }

    #[test]
    fn jinja_statements_and_comments_are_masked() {
        let template = "{% if on %}\na: {{ b }} {# c #}\n{% endif %}\nn: ${#list} 100{% 1\n";
        let masked = mask(template, 0).unwrap();
        assert_eq!(masked.text.len(), template.len());
        assert!(masked.text.starts_with("####"), "{}", masked.text);
        assert!(masked.text.contains("a: x1xxxx"), "{}", masked.text);
        assert!(masked.text.ends_with("n: ${#list} 100{% 1\n"));
    }

    #[test]
    fn braces_in_strings_and_comments_do_not_end_an_action() {
        let template = "a: {{ \"}}\" }} {{/* }} */}}\n{{ `}}` }}{{ $x := \"a=b\" }}";
        let spans = actions(template).unwrap();
        let texts: Vec<_> = spans
            .iter()
            .map(|action| &template[action.span.range()])
            .collect();
        assert_eq!(
            texts,
            [
                "{{ \"}}\" }}",
                "{{/* }} */}}",
                "{{ `}}` }}",
                "{{ $x := \"a=b\" }}"
            ]
        );
        assert!(!spans[3].writes);
        assert!(actions("a: {{ b").is_none());
    }
}
