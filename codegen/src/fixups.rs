//! Corrections of published documents, each with its reason.
//!
//! A fix-up is addressed to the documents that need it. When it is addressed to a document and finds
//! nothing to correct there it has become stale, and generation fails until it is removed.

use crate::error::{At, Error};
use crate::read::DocumentModel;

struct FixUp {
    name: &'static str,
    /// Why the document cannot be taken at its word.
    reason: &'static str,
    addressed_to: fn(&DocumentModel) -> bool,
    /// Corrects the document and says how many places it changed.
    apply: fn(&mut DocumentModel) -> usize,
}

const FIX_UPS: [FixUp; 1] = [FixUp {
    name: "deprecated-watch-endpoints",
    reason: "kube-apiserver says of its watch endpoints in prose only that they are deprecated",
    addressed_to: |model| {
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

/// Applies the fix-ups that are addressed to the document.
pub(crate) fn apply(model: &mut DocumentModel) -> Result<(), Error> {
    for fix_up in &FIX_UPS {
        if (fix_up.addressed_to)(model) && (fix_up.apply)(model) == 0 {
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
    .help(
        "when the document has been corrected, remove the fix-up or narrow whom it is addressed to",
    )
}

fn published_by_kube_apiserver(model: &DocumentModel) -> bool {
    let root = model.document.root();
    root.get("info")
        .and_then(|info| info.json.get("title")?.as_str())
        == Some("Kubernetes")
}

fn is_watch_endpoint(operation: &crate::model::Operation) -> bool {
    matches!(operation.action.as_str(), "watch" | "watchlist")
}
