//! The answer to a document: the verdict of a server, or what a server of a release would say.

use k8s_flowcontrol::meta::Status;
use k8s_flowcontrol::rules::validate::verdict::Verdict;
use k8s_flowcontrol_text::Span;

/// The answer to a document.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The HTTP status code.
    pub(super) code: u16,
    /// The server's failure; none for a valid document.
    pub(super) failure: Option<Status>,
    pub(super) warnings: Vec<String>,
    /// The place of a decoding error in the body.
    pub(super) place: Option<Span>,
}

impl Answer {
    /// The answer of a server that is not asked.
    pub(super) fn of(verdict: &Verdict) -> Self {
        // A status that the rules write is a status.
        let status = |failure| serde_json::from_value(failure).unwrap_or_default();
        let failure = verdict.failure.as_ref();
        Self {
            code: verdict.code,
            failure: failure.map(|failure| status(failure.status())),
            warnings: verdict.warnings.clone(),
            place: verdict.body_error.as_ref().and_then(|error| error.span),
        }
    }

    /// Whether the failure has this reason.
    pub(super) fn has_reason(&self, reason: &str) -> bool {
        let failure = self.failure.as_ref();
        failure.is_some_and(|failure| failure.reason.as_deref() == Some(reason))
    }
}
