//! The edits of a document together, checked against the intended result.

use super::content::{Expected, verify};
use crate::documents::Form;
use crate::migrate::edit::{Edit, PlannedChange, Refusal, apply, in_order};
use crate::migrate::read::{Text, other_shares_of};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::ApiVersion;
use k8s_flowcontrol_types::convert::shares_name;
use serde_json::Value;
use std::ops::Range;

pub(in crate::migrate) struct DocumentEdits {
    /// The indexes of its objects in the result.
    pub(in crate::migrate) objects: Vec<usize>,
    pub(in crate::migrate) changes: Vec<PlannedChange>,
    /// The document after the changes.
    pub(in crate::migrate) expected: Expected,
    /// The document before the changes.
    pub(in crate::migrate) original: Value,
    /// Whether the shares are renamed somewhere in the document.
    pub(in crate::migrate) renames: bool,
}

/// The part of a text that reads as one document by itself.
pub(in crate::migrate) struct Part<'a> {
    pub(in crate::migrate) source: &'a Text<'a>,
    pub(in crate::migrate) form: Form,
    pub(in crate::migrate) range: Range<usize>,
    /// The number of template actions before the part.
    pub(in crate::migrate) actions_before: usize,
}

/// The edits of a document in order, if they give the intended result. If not, keys hidden by duplicates and merges are
/// renamed too.
///
/// Only the part of the document is read again, so the work does not grow with the number of documents.
///
/// Errors: [`Refusal`] if the document must stay unchanged.
pub(in crate::migrate) fn checked_edits(
    part: &Part<'_>,
    to: ApiVersion,
    document: &DocumentEdits,
) -> Result<Vec<Edit>, Refusal> {
    let edits = document.changes.iter().flat_map(|change| &change.edits);
    let edits: Vec<_> = edits.cloned().collect();
    if edits.is_empty() {
        return Ok(edits);
    }
    part.checked(edits.clone(), &document.expected)
        .or_else(|refusal| {
            if !document.renames {
                return Err(refusal);
            }
            let hidden = part.hidden_keys(to, &edits);
            if hidden.is_empty() {
                return Err(refusal);
            }
            let all = edits.into_iter().chain(hidden).collect();
            part.checked(all, &document.expected).map_err(|_| refusal)
        })
}

impl Part<'_> {
    fn text(&self) -> &str {
        let Range { start, end } = self.range;
        self.source.slice(Span::new(start, end))
    }

    fn checked(&self, edits: Vec<Edit>, expected: &Expected) -> Result<Vec<Edit>, Refusal> {
        let edits = in_order(edits)?;
        let Range { start, end } = self.range;
        let is_outside = |edit: &&Edit| edit.span.start < start || edit.span.end > end;
        if let Some(edit) = edits.iter().find(is_outside) {
            let why = "the change would affect another document";
            return Err(Refusal::new(edit.span.start, why));
        }
        let inner: Vec<_> = edits
            .iter()
            .map(|edit| {
                let span = Span::new(edit.span.start - start, edit.span.end - start);
                Edit::replace(span, edit.text.as_str())
            })
            .collect();
        let new = apply(self.text(), &inner);
        verify(&new, self.form, self.actions_before, expected)
            .map_err(|why| Refusal::new(expected.offset, why))?;
        Ok(edits)
    }

    /// Renames of the remaining keys with the old name of the shares.
    fn hidden_keys(&self, to: ApiVersion, edits: &[Edit]) -> Vec<Edit> {
        let (old, new) = (other_shares_of(to), shares_name(to));
        let mut known: Vec<_> = edits.iter().map(|edit| edit.span).collect();
        known.sort_by_key(|span| span.start);
        let text = self.text();
        let mut hidden = Vec::new();
        for (at, _) in text.match_indices(old) {
            let start = self.range.start + at;
            let span = Span::new(start, start + old.len());
            let behind = text[at + old.len()..].trim_start_matches(['"', '\'']);
            let is_key = behind.trim_start_matches([' ', '\t']).starts_with(':');
            let before = known.partition_point(|edit| edit.start <= span.start);
            let last = before.checked_sub(1).and_then(|last| known.get(last));
            let is_known = last.is_some_and(|edit| span.end <= edit.end);
            if is_key && !is_known {
                hidden.push(Edit::replace(span, new));
            }
        }
        hidden
    }
}
