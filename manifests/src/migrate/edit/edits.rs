//! Edits of a text, which leave all other bytes unchanged.

use k8s_flowcontrol_text::Span;

/// A span of a text and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty for an insertion.
    pub span: Span,
    /// The new text of the span.
    pub text: String,
}

impl Edit {
    pub(in crate::migrate) fn replace(span: Span, text: impl Into<String>) -> Self {
        Self {
            span,
            text: text.into(),
        }
    }

    pub(in crate::migrate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(Span::new(at, at), text)
    }
}

/// The reason why a text cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::migrate) struct Refusal {
    /// The byte offset of the problem.
    pub(in crate::migrate) offset: usize,
    pub(in crate::migrate) why: String,
}

impl Refusal {
    pub(in crate::migrate) fn new(offset: usize, why: impl Into<String>) -> Self {
        Self {
            offset,
            why: why.into(),
        }
    }
}

/// The edits in the order of the text. Equal edits of a shared anchor are merged.
/// Errors: [`Refusal`] if two edits conflict.
pub(in crate::migrate) fn in_order(mut edits: Vec<Edit>) -> Result<Vec<Edit>, Refusal> {
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    edits.dedup();
    for pair in edits.windows(2) {
        let (left, right) = (&pair[0], &pair[1]);
        if right.span.start < left.span.end || left.span == right.span {
            let why = "two objects share this text and need different changes";
            return Err(Refusal::new(right.span.start, why));
        }
    }
    Ok(edits)
}

/// The text after the edits, which are [in order](in_order).
pub(in crate::migrate) fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + 64 * edits.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start).unwrap_or_default());
        out.push_str(&edit.text);
        at = edit.span.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
