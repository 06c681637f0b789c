//! The edits of all documents of a text together, checked against the intended result.

use super::changes::PlannedChange;
use super::edits::{self, Edit};
use super::verify::{Expected, verify};
use crate::documents::Form;
use crate::migrate::read::{Text, other_shares_of, shares_of};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::ApiVersion;
use serde_json::Value;

/// The changes of one document.
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
    /// The start of the next document.
    pub(in crate::migrate) end: usize,
}

/// A document that stays unchanged because its edits do not give the intended result.
pub(in crate::migrate) struct Dropped {
    /// The indexes of its objects in the result.
    pub(in crate::migrate) objects: Vec<usize>,
    pub(in crate::migrate) offset: usize,
    pub(in crate::migrate) why: String,
}

/// The edits of all documents in order. A document whose edits do not give the intended result loses them, and the others
/// are checked again.
pub(in crate::migrate) fn checked_edits(
    text: &Text<'_>,
    form: Form,
    to: ApiVersion,
    mut documents: Vec<DocumentEdits>,
) -> (Vec<Edit>, Vec<Dropped>) {
    let mut all_dropped = Vec::new();
    loop {
        let edits = documents.iter().flat_map(|document| &document.changes);
        let edits: Vec<_> = edits.flat_map(|change| change.edits.clone()).collect();
        if edits.is_empty() {
            return (Vec::new(), all_dropped);
        }
        let (offset, why) = match check(text, form, to, &documents, edits) {
            Ok(edits) => return (edits, all_dropped),
            Err(error) => error,
        };
        // The last changed document that starts at or before the error, or else the first changed one.
        let has_changes = |document: &DocumentEdits| !document.changes.is_empty();
        let culprit = documents
            .iter()
            .rposition(|document| has_changes(document) && document.expected.offset <= offset)
            .or_else(|| documents.iter().position(has_changes));
        let Some(culprit) = culprit else {
            return (Vec::new(), all_dropped);
        };
        let document = &mut documents[culprit];
        document.changes.clear();
        document.expected.value = document.original.clone();
        all_dropped.push(Dropped {
            objects: document.objects.clone(),
            offset,
            why,
        });
    }
}

/// The edits in order, if they give the intended result. If not, keys hidden by duplicates and merges are renamed too.
fn check(
    text: &Text<'_>,
    form: Form,
    to: ApiVersion,
    documents: &[DocumentEdits],
    edits: Vec<Edit>,
) -> Result<Vec<Edit>, (usize, String)> {
    let expected: Vec<_> = documents
        .iter()
        .map(|document| document.expected.clone())
        .collect();
    let attempt = |edits: Vec<Edit>| {
        let edits = edits::in_order(edits).map_err(|refusal| (refusal.offset, refusal.why))?;
        verify(&edits::apply(text.text, &edits), form, &expected)?;
        Ok(edits)
    };
    attempt(edits.clone()).or_else(|error| {
        let hidden = hidden_keys(text, to, documents, &edits);
        if hidden.is_empty() {
            return Err(error);
        }
        attempt(edits.into_iter().chain(hidden).collect()).map_err(|_| error)
    })
}

/// Renames of the remaining keys with the old name of the shares.
fn hidden_keys(
    text: &Text<'_>,
    to: ApiVersion,
    documents: &[DocumentEdits],
    edits: &[Edit],
) -> Vec<Edit> {
    let (old, new) = (other_shares_of(to), shares_of(to));
    let mut hidden = Vec::new();
    for document in documents.iter().filter(|document| document.renames) {
        let start = document.expected.offset;
        for (at, _) in text.text[start..document.end].match_indices(old) {
            let span = Span::new(start + at, start + at + old.len());
            let behind = text.text[span.end..].trim_start_matches(['"', '\'']);
            let is_key = behind.trim_start_matches([' ', '\t']).starts_with(':');
            let is_known = edits
                .iter()
                .any(|edit| edit.span.start <= span.start && span.end <= edit.span.end);
            if is_key && !is_known {
                hidden.push(Edit::replace(span, new));
            }
        }
    }
    hidden
}
