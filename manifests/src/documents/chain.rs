//! The branches of a template, and actions that choose between two values.

use k8s_flowcontrol_text::Span;
use std::ops::Range;

/// An `if` with all its branches, or a choice between two values.
#[derive(Debug)]
pub(crate) struct Chain {
    /// From the first brace of `if` to the last brace of `end`.
    pub(crate) span: Span,
    pub(crate) branches: Vec<Branch>,
    /// Whether it is one action that chooses between two values: `{{ ternary "a" "b" .x }}`.
    pub(crate) is_choice: bool,
}

/// A branch of an `if`.
#[derive(Debug)]
pub(crate) struct Branch {
    /// The action with the condition, or `else`. Of a choice, the condition alone, which is empty for the second value.
    pub(crate) condition: Span,
    pub(crate) body: Span,
}

/// The choice that an action makes between two quoted values: `ternary "a" "b" .x` and `.x | ternary "a" "b"` of Go and Helm,
/// `x | ternary('a', 'b')` of Ansible, `'a' if x else 'b'` of Jinja and ytt, `x ? 'a' : 'b'` of ERB.
pub(super) fn choice(text: &str, action: Span) -> Option<Chain> {
    let source = text.get(action.range())?;
    let quoted = quoted(source);
    let between = |from: usize, to: usize| {
        let mut values = quoted
            .iter()
            .filter(|value| value.start >= from && value.end <= to);
        (values.next().cloned(), values.next().cloned())
    };
    let whole = source.len();
    let (condition, first, second) = if let Some(at) = source.find("ternary") {
        let (first, second) = between(at, whole);
        let (first, second) = (first?, second?);
        let before = source[..at].trim_end();
        let condition = match before.strip_suffix('|') {
            Some(before) => 0..before.len(),
            None => second.end + 1..whole,
        };
        (condition, first, second)
    } else if let (Some(at), Some(other)) = (source.find(" if "), source.find(" else ")) {
        let condition = (at < other).then_some(at + " if ".len()..other)?;
        (condition, between(0, at).0?, between(other, whole).0?)
    } else {
        let at = source.find(" ? ")?;
        let (first, second) = between(at, whole);
        let start = if source.starts_with("<%=") { 3 } else { 0 };
        (start..at, first?, second?)
    };
    let span =
        |range: Range<usize>| Span::new(action.start + range.start, action.start + range.end);
    let end = action.end;
    Some(Chain {
        span: action,
        branches: vec![
            Branch {
                condition: span(condition),
                body: span(first),
            },
            Branch {
                condition: Span::new(end, end),
                body: span(second),
            },
        ],
        is_choice: true,
    })
}

/// The contents of the quoted strings of a text.
fn quoted(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(open) = text[rest..].find(['"', '\'']) {
        let start = rest + open + 1;
        let Some(length) = text[start..].find(&text[start - 1..start]) else {
            break;
        };
        found.push(start..start + length);
        rest = start + length + 1;
    }
    found
}
