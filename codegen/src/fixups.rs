//! Corrections of published documents, each with its reason.
//!
//! A fix-up selects the documents that need it. A fix-up that finds nothing to correct in
//! a selected document is stale: generation fails until it is removed or selects fewer documents.

use crate::error::{At, Error};
use crate::model::{DocumentModel, Model, Operation, Type};

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

/// Fields that hold secrets, which no document tells. The schemas of a release that has them must have the fields.
const SECRETS: [(&str, &[&str]); 4] = [
    ("io.k8s.api.core.v1.Secret", &["data", "stringData"]),
    (
        "io.k8s.api.authentication.v1.TokenRequestStatus",
        &["token"],
    ),
    ("io.k8s.api.authentication.v1.TokenReviewSpec", &["token"]),
    (
        "io.k8s.api.authentication.v1beta1.TokenReviewSpec",
        &["token"],
    ),
];

/// Marks the fields that `Debug` hides.
pub(crate) fn mark_secrets(model: &mut Model) -> Result<(), Error> {
    for (full, names) in SECRETS {
        let found = model.schemas.iter_mut().find(|(key, _)| key.is(full));
        let Some((_, schema)) = found else {
            continue;
        };
        let Type::Object(object) = &mut schema.value else {
            continue;
        };
        for name in names {
            let field = object.fields.iter_mut().find(|field| field.name == *name);
            let Some(field) = field else {
                let message =
                    format!("the schema `{full}` has no field `{name}`, which holds a secret");
                return Err(Error::at(&schema.at, message).help(
                    "if the field has another name now, correct SECRETS in the generator's source",
                ));
            };
            field.facts.secret = true;
        }
        object.has_secrets = true;
    }
    Ok(())
}

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
