//! Label selectors: `a=b,c in (d,e),!f,g>3`. Own code, because the messages are part of the server's responses.

mod parse;
mod requirement;
mod syntax;

use crate::status::Failure;
use k8s_flowcontrol_types::Release;
use requirement::Requirement;
use serde_json::Value;

/// Requirements that must all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct LabelSelector(Vec<Requirement>);

impl LabelSelector {
    /// Errors: a 400 with the message of the server's parser.
    pub(crate) fn parse(text: &str, release: Release) -> Result<Self, Failure> {
        parse::requirements(text, release)
            .map(Self)
            .map_err(crate::status::bad_request)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn matches(&self, object: &Value) -> bool {
        let labels = object["metadata"]["labels"].as_object();
        self.0.iter().all(|requirement| requirement.holds(labels))
    }
}
