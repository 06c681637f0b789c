//! Versions of libraries.

use crate::cut::leading;
use std::cmp::Ordering;

/// The days on which Kubernetes released its minor versions, from the release before the first one with a version of the group until
/// the first one with the newest.
const RELEASES: [(u32, &str); 11] = [
    (19, "20200826"),
    (20, "20201208"),
    (21, "20210408"),
    (22, "20210804"),
    (23, "20211207"),
    (24, "20220503"),
    (25, "20220823"),
    (26, "20221209"),
    (27, "20230411"),
    (28, "20230815"),
    (29, "20231213"),
];

/// Compares two versions by their numbers: `v0.26.3`, `28.1`, `^0.20.0`, `==29.0.0`. Missing numbers are zeros. A version of a branch or
/// with a variable does not have numbers, and `0.0.0` stands for a library in the same repository.
///
/// A commit without a version, such as `v0.0.0-20220531235728-33da27cc171f`, is between the last release before its day and the next one.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    let wanted = numbers(right)?;
    if let Some(day) = day_of_commit(left) {
        let mut releases = RELEASES.iter().rev();
        let last = releases.find(|(_, released)| *released <= day);
        let last = last.map_or(RELEASES[0].0 - 1, |(minor, _)| *minor);
        return match wanted[1] {
            minor if minor <= last => Some(Ordering::Greater),
            minor if minor > last + 1 => Some(Ordering::Less),
            _ => None,
        };
    }
    let own = numbers(left).filter(|own| *own != [0; 3])?;
    Some(own.cmp(&wanted))
}

/// Whether a version is a commit without a version.
pub(super) fn is_commit(version: &str) -> bool {
    day_of_commit(version).is_some()
}

/// The day of a commit that stands for a version of Go, as `20220531`.
fn day_of_commit(version: &str) -> Option<&str> {
    let commit = version.strip_prefix("v0.0.0-")?;
    let (time, _) = commit.split_once('-')?;
    let is_time = time.len() == 14 && time.bytes().all(|digit| digit.is_ascii_digit());
    time.get(..8).filter(|_| is_time)
}

/// The first three numbers of a version.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let text = version.trim_start_matches(|mark: char| {
        mark.is_whitespace() || matches!(mark, '^' | '~' | '=' | '>' | 'v' | 'V' | '[' | '(')
    });
    let mut numbers = [0; 3];
    for (index, part) in text.split('.').take(3).enumerate() {
        let digits = leading(part, |digit| digit.is_ascii_digit());
        if digits.is_empty() {
            return (index > 0).then_some(numbers);
        }
        numbers[index] = digits.parse().ok()?;
        if digits != part {
            break;
        }
    }
    Some(numbers)
}
