//! The edits of all documents of a text together, as far as the result says what it has to.

use super::edit::{self, Edit};
use super::mentions::{old_shares, shares_of};
use super::report::{Finding, Rule, Severity};
use super::run::{Run, Work};
use super::source::Parsed;
use super::verify::verify;
use k8s_flowcontrol_text::Span;

impl Run<'_> {
    /// Puts the edits of all documents together, as far as the result says what it has to.
    pub(super) fn settle(&mut self, parsed: &Parsed, mut work: Vec<Work>) {
        loop {
            let edits = work.iter().flat_map(|work| &work.changes);
            let edits: Vec<_> = edits.flat_map(|change| change.edits.clone()).collect();
            if edits.is_empty() {
                return;
            }
            let (offset, why) = match self.checked(parsed, &work, edits) {
                Ok(edits) => {
                    self.edits = edits;
                    return;
                }
                Err(refused) => refused,
            };
            // The document stays as it is, and the others have another try.
            let refused = work.iter_mut().rev().find(|work| {
                !work.changes.is_empty()
                    && work.expected.offset <= offset.max(work.expected.offset)
                    && offset >= work.expected.offset
            });
            let refused = match refused {
                Some(refused) => refused,
                None => match work.iter_mut().find(|work| !work.changes.is_empty()) {
                    Some(work) => work,
                    None => return,
                },
            };
            refused.changes.clear();
            refused.expected.value = refused.original.clone();
            for report in &refused.reports {
                self.outcome.documents[*report].changes.clear();
            }
            let finding = Finding::new(Severity::Manual, Rule::CannotEdit, offset, why)
                .help("change it by hand");
            self.outcome.findings.push(finding);
        }
    }

    /// The edits in order, if the text says after them what it has to say. When it does not, keys that are hidden
    /// behind duplicates and merges are renamed too.
    fn checked(
        &self,
        parsed: &Parsed,
        work: &[Work],
        edits: Vec<Edit>,
    ) -> Result<Vec<Edit>, (usize, String)> {
        let expected: Vec<_> = work.iter().map(|work| work.expected.clone()).collect();
        let attempt = |edits: Vec<Edit>| {
            let edits = edit::in_order(edits).map_err(|refusal| (refusal.offset, refusal.why))?;
            verify(
                &edit::apply(self.source.text, &edits),
                parsed.form,
                &expected,
            )?;
            Ok(edits)
        };
        attempt(edits.clone()).or_else(|refused| {
            let hidden = self.hidden_keys(work, &edits);
            if hidden.is_empty() {
                return Err(refused);
            }
            attempt(edits.into_iter().chain(hidden).collect()).map_err(|_| refused)
        })
    }

    /// Renames of the keys with the old name of the shares that nothing has renamed yet.
    fn hidden_keys(&self, work: &[Work], edits: &[Edit]) -> Vec<Edit> {
        let old = old_shares(self.settings.to);
        let new = shares_of(self.settings.to);
        let text = self.source.text;
        let mut hidden = Vec::new();
        for work in work.iter().filter(|work| work.renames) {
            let start = work.expected.offset;
            for (at, _) in text[start..work.end].match_indices(old) {
                let span = Span::new(start + at, start + at + old.len());
                let behind = text[span.end..].trim_start_matches(['"', '\'']);
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
}
