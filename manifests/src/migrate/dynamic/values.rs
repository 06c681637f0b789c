//! The versions in the values of names, and in the source of computed values.

use super::tokens::is_word;
use super::versions::{Links, MAX_NAMES, Search};
use k8s_flowcontrol_text::Span;
use k8s_flowcontrol_types::GROUP;
use std::collections::BTreeSet;

impl Search<'_, '_> {
    /// The versions and names in the source of an unknown value.
    pub(super) fn hole(&mut self, source: &str) {
        let Some(start) = offset_in(self.folding.text, source) else {
            return;
        };
        let mut word = 0;
        let mut words = Vec::new();
        for (at, next) in source.char_indices().chain([(source.len(), ' ')]) {
            if !(is_word(next) || matches!(next, '.' | '$' | '@')) {
                if at > word {
                    words.push((word, &source[word..at]));
                }
                word = at + next.len_utf8();
            }
        }
        for (at, word) in words {
            match self.known(word) {
                Some(version) if start + at + word.len() <= self.folding.text.len() => {
                    let start = start + at;
                    self.found
                        .push((Span::new(start, start + word.len()), version));
                }
                _ => self.name(word),
            }
        }
    }

    /// The versions in the values of all names. Returns the links to other texts.
    pub(super) fn values(&mut self) -> Links {
        let tokens = self.folding.tokens;
        let mut links = Links {
            groups: self.groups.clone(),
            ..Links::default()
        };
        let mut open: Vec<String> = self.names.iter().cloned().collect();
        let mut seen: BTreeSet<String> = self.names.clone();
        while let Some(name) = open.pop() {
            let last = name.rsplit('.').next().unwrap_or(&name);
            let values = match name.starts_with("Values.") {
                true => &[],
                false => self.folding.definitions.values(last),
            };
            let mut is_any = false;
            for value in values {
                for token in tokens.get(value.clone()).unwrap_or_default() {
                    // The value may have the group too.
                    let version = token.text.strip_prefix(GROUP);
                    let version = version.and_then(|rest| rest.strip_prefix('/'));
                    let version = version.unwrap_or(token.text);
                    if let Some(version) = self.known(version) {
                        let span = Span::new(token.end() - version.len(), token.end());
                        self.found.push((span, version));
                        is_any = true;
                    } else if token.text == "v1" {
                        is_any = true;
                    }
                    // A default in an expansion of a shell.
                    let default = token.text.rsplit_once(":-").filter(|_| token.is_string());
                    if let Some((before, rest)) = default {
                        let word = rest.trim_end_matches(['}', '"', '\'']);
                        if let Some(version) = self.known(word) {
                            let start = token.start + before.len() + 2;
                            self.found
                                .push((Span::new(start, start + word.len()), version));
                            is_any = true;
                        }
                    }
                }
                // A name for another name.
                if let [token] = tokens.get(value.clone()).unwrap_or_default()
                    && token.is_word()
                    && seen.len() < MAX_NAMES
                    && seen.insert(token.text.to_owned())
                {
                    open.push(token.text.to_owned());
                }
            }
            if !is_any {
                links.versions.insert(name);
            }
        }
        links
    }
}

/// The offset of a part of a text; none for a text from elsewhere.
fn offset_in(text: &str, part: &str) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let is_within = !part.is_empty() && text.get(offset..offset + part.len()) == Some(part);
    is_within.then_some(offset)
}
