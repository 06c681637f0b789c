//! Versions of libraries.

use std::cmp::Ordering;

/// Compares two versions by their numbers: `v0.26.3`, `28.1`, `^0.20.0`, `==29.0.0`. Missing numbers are zeros. A version of a branch or
/// with a variable does not have numbers.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let (left, right) = (numbers(left)?, numbers(right)?);
    Some(left.cmp(&right))
}

/// The first three numbers of a version.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let text = version.trim_start_matches(|mark: char| {
        mark.is_whitespace() || matches!(mark, '^' | '~' | '=' | '>' | 'v' | 'V' | '[' | '(')
    });
    let mut numbers = [0; 3];
    for (index, part) in text.split('.').take(3).enumerate() {
        let digits = part
            .find(|digit: char| !digit.is_ascii_digit())
            .unwrap_or(part.len());
        if digits == 0 {
            return (index > 0).then_some(numbers);
        }
        numbers[index] = part[..digits].parse().ok()?;
        if digits < part.len() {
            break;
        }
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (left, right, expected) in [
            ("v0.26.3", "0.29.0", Some(Ordering::Less)),
            ("v0.29.0-alpha.1", "0.29.0", Some(Ordering::Equal)),
            ("^0.20.0", "0.21.0", Some(Ordering::Less)),
            (">=28", "29.0.0", Some(Ordering::Less)),
            ("==29.0.0a1", "29.0.0", Some(Ordering::Equal)),
            ("6.10", "6.9.2", Some(Ordering::Greater)),
            ("20.0.1-legacy", "21.0.0", Some(Ordering::Less)),
            ("master", "1.0.0", None),
            ("${version}", "1.0.0", None),
            ("*", "1.0.0", None),
            ("99999999999999999999.0", "1.0.0", None),
        ] {
            assert_eq!(compare(left, right), expected, "{left} {right}");
        }
    }
}
