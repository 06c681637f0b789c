//! The `Warning` headers of a response.

use std::collections::HashSet;

/// The number of characters of all warnings from which on each is cut.
const ALL: usize = 4096;
/// The number of characters of a warning that is cut.
const EACH: usize = 256;

/// The values of the headers: each warning once, except warnings with control characters. Long warnings are cut and the last ones
/// left out if all together are too long.
pub(super) fn headers(warnings: &[String]) -> Vec<String> {
    let mut known = HashSet::new();
    let mut ordered = Vec::new();
    let mut headers = Headers::default();
    for warning in warnings.iter().filter(|warning| !warning.is_empty()) {
        if headers.are_cut && headers.length >= ALL {
            break;
        }
        if !known.insert(warning) {
            continue;
        }
        ordered.push(warning);
        if headers.are_cut || headers.length + warning.chars().count() <= ALL {
            headers.push(warning);
            continue;
        }
        headers = Headers {
            are_cut: true,
            ..Headers::default()
        };
        for warning in &ordered {
            headers.push(warning);
        }
    }
    headers.values
}

#[derive(Default)]
struct Headers {
    values: Vec<String>,
    /// The characters of all warnings.
    length: usize,
    are_cut: bool,
}

impl Headers {
    fn push(&mut self, warning: &str) {
        let length = if self.are_cut { EACH } else { usize::MAX };
        let text: String = warning.chars().take(length).collect();
        if text.chars().any(char::is_control) {
            return;
        }
        self.length += text.chars().count();
        let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
        self.values.push(format!("299 - \"{quoted}\""));
    }
}
