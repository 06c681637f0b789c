//! Patterns of this crate.

use regex::Regex;
use std::sync::OnceLock;

/// A pattern for a whole text, compiled at its first use.
pub(crate) struct Pattern {
    text: &'static str,
    whole: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(crate) const fn new(text: &'static str) -> Self {
        Self {
            text,
            whole: OnceLock::new(),
        }
    }

    pub(crate) fn text(&self) -> &'static str {
        self.text
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        let whole = self
            .whole
            .get_or_init(|| Regex::new(&format!("^(?:{})$", self.text)).ok());
        whole.as_ref().is_some_and(|whole| whole.is_match(text))
    }
}
