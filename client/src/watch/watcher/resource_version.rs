//! The order of resource versions.

use std::cmp::Ordering;

/// Compares two [resource versions](https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions), which
/// are decimal numbers of any size. Returns `None` for any other text.
pub(super) fn compare(a: &str, b: &str) -> Option<Ordering> {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(a) || !is_number(b) {
        return None;
    }
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    Some(a.len().cmp(&b.len()).then_with(|| a.cmp(b)))
}
