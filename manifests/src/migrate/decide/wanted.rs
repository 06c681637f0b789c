//! The condition to add for a version, in the words of a condition about another one.

use super::conditions::{MAX_LENGTH, compared_part, comparisons};
use super::words::unwrapped;
use k8s_flowcontrol_types::{ApiVersion, GROUP};

/// The condition that holds on the clusters with a version, in the words of a condition about another one: with its name, or the first
/// release with it. A negation and an upper bound become what is wanted. `None` if the condition is about more.
pub(super) fn for_version(condition: &str, to: ApiVersion) -> Option<String> {
    if condition.len() > MAX_LENGTH {
        return None;
    }
    let mut condition = unwrapped(condition.trim());
    while let Some(rest) = condition.strip_prefix("not")
        && rest.starts_with([' ', '('])
    {
        condition = unwrapped(rest.trim());
    }
    if let Some(at) = condition.find(GROUP) {
        let from = at + GROUP.len() + 1;
        let rest = condition.get(from..)?;
        let end = rest.find(|next: char| !next.is_ascii_alphanumeric());
        let rest = &rest[end.unwrap_or(rest.len())..];
        let is_single = !rest.contains(GROUP);
        return is_single.then(|| format!("{}{to}{rest}", &condition[..from]));
    }
    let since = to.lifecycle().introduced;
    if let Some((word, part, number)) = compared_part(condition) {
        let is_minor = part.contains(".Minor");
        let digits = number.trim_matches(|mark: char| !mark.is_ascii_digit());
        let number = number.replacen(digits, &since.to_string(), 1);
        let compares = ["eq", "ne", "ge", "gt", "le", "lt"].contains(&word);
        return (is_minor && compares && !digits.is_empty()).then(|| format!("ge {part} {number}"));
    }
    let [only] = &comparisons(condition)?[..] else {
        return None;
    };
    let (start, end) = only.number;
    condition[start..end].strip_prefix("1.")?;
    // The text is changed from its end on, so that the places stay right.
    let mut found = condition.to_owned();
    let mark = only.place..only.place + only.mark.len();
    let number = (start..end, format!("1.{since}"));
    let mut changes = [(mark, ">=".to_owned()), number];
    changes.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, text) in changes {
        found.replace_range(place, &text);
    }
    Some(found)
}
