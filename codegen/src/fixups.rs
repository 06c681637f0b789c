//! Corrections of published documents, each with its reason.
//!
//! A fix-up selects the documents that need it. A fix-up that finds nothing to correct in
//! a selected document is stale: generation fails until it is removed or selects fewer documents.

use crate::error::{At, Error};
use crate::model::{DocumentModel, Operation};

struct FixUp {
    name: &'static str,
    /// The mistake in the published documents.
    reason: &'static str,
    selects: fn(&DocumentModel) -> bool,
    /// Corrects the document and returns the number of corrected places.
    apply: fn(&mut DocumentModel) -> usize,
}

const FIX_UPS: [FixUp; 1] = [FixUp {
    name: "deprecated-watch-endpoints",
    reason: "kube-apiserver marks its watch endpoints as deprecated only in their descriptions",
    selects: |model| {
        published_by_kube_apiserver(model) && model.operations.iter().any(is_watch_endpoint)
    },
    apply: |model| {
        let mut changed = 0;
        for operation in model.operations.iter_mut().filter(|o| is_watch_endpoint(o)) {
            if !operation.deprecated
                && operation
                    .description
                    .contains("deprecated: use the 'watch'")
            {
                operation.deprecated = true;
                changed += 1;
            }
        }
        changed
    },
}];

/// Applies the fix-ups that select the document.
pub(crate) fn apply(model: &mut DocumentModel) -> Result<(), Error> {
    for fix_up in &FIX_UPS {
        if (fix_up.selects)(model) && (fix_up.apply)(model) == 0 {
            return Err(stale(fix_up, &model.document.root().at));
        }
    }
    Ok(())
}

fn stale(fix_up: &FixUp, at: &At) -> Error {
    Error::at(
        at,
        format!(
            "the fix-up `{}` found nothing to correct: {}",
            fix_up.name, fix_up.reason
        ),
    )
    .help("if the document has been corrected, remove the fix-up or let it select fewer documents")
}

fn published_by_kube_apiserver(model: &DocumentModel) -> bool {
    let root = model.document.root();
    root.get("info")
        .and_then(|info| info.json.get("title")?.as_str())
        == Some("Kubernetes")
}

fn is_watch_endpoint(operation: &Operation) -> bool {
    matches!(operation.action.as_str(), "watch" | "watchlist")
}
