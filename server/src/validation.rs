//! What happens to unknown and repeated members: `fieldValidation`.

/// How strictly a body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    /// Problems are dropped.
    Ignore,
    /// Problems come back as warnings.
    #[default]
    Warn,
    /// Problems are an error.
    Strict,
}

impl FieldValidation {
    /// The error that the problems are, if they are one.
    pub(crate) fn refusal(self, problems: &[String]) -> Option<String> {
        (self == Self::Strict && !problems.is_empty())
            .then(|| format!("strict decoding error: {}", problems.join(", ")))
    }

    /// The warnings that the problems are.
    pub(crate) fn warnings(self, problems: Vec<String>) -> Vec<String> {
        if self == Self::Warn {
            problems
        } else {
            Vec::new()
        }
    }
}
