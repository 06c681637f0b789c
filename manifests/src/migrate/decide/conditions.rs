//! Conditions of templates about the cluster: their words, the releases for which they hold, and the condition to add for a version.

use crate::cut::{leading, leading_word};
use k8s_flowcontrol_types::{ApiVersion, GROUP, Release};
use std::fmt::Write;

/// The longest condition that is read, and the deepest nesting in it.
pub(super) const MAX_LENGTH: usize = 1_000;
const MAX_DEPTH: usize = 8;

/// The branch that runs on each known release, from the conditions in order: its index, or none if no branch runs. An `else` is
/// an empty condition. `None` if a condition depends on more than the release.
pub(super) fn branches_of_releases(conditions: &[&str]) -> Option<Vec<(Release, Option<usize>)>> {
    let branch = |release: Release| {
        for (index, condition) in conditions.iter().enumerate() {
            if condition.is_empty() || holds(condition, release, 0)? {
                return Some((release, Some(index)));
            }
        }
        Some((release, None))
    };
    Release::all().map(branch).collect()
}

/// Releases as a text: `1.26 to 1.31`, `1.32 and newer`. Releases before the oldest known one are as that.
pub(super) fn ranges(releases: &[Release]) -> String {
    let mut text = String::new();
    let mut rest = releases;
    while let Some(first) = rest.first() {
        let length = (1..rest.len()).find(|at| rest[*at].minor() != first.minor() + *at as u32);
        let (run, after) = rest.split_at(length.unwrap_or(rest.len()));
        rest = after;
        let last = run.last().unwrap_or(first);
        let separator = match (text.is_empty(), rest.is_empty()) {
            (true, _) => "",
            (false, true) => " and ",
            (false, false) => ", ",
        };
        text.push_str(separator);
        let (from, to) = (first.minor(), last.minor());
        let is_oldest = *first == Release::OLDEST;
        // Writing to a string cannot fail.
        let _ = match (is_oldest, *last == Release::NEWEST) {
            (true, true) => write!(text, "of all releases"),
            (true, false) => write!(text, "up to 1.{to}"),
            (false, true) => write!(text, "from 1.{from} on"),
            (false, false) if from == to => write!(text, "1.{from}"),
            (false, false) => write!(text, "1.{from} to 1.{to}"),
        };
    }
    text
}

/// Whether a condition holds on the clusters of a release; `None` if it depends on more.
fn holds(condition: &str, release: Release, depth: usize) -> Option<bool> {
    let condition = unwrapped(condition.trim());
    if condition.len() > MAX_LENGTH || depth > MAX_DEPTH {
        return None;
    }
    for word in ["not ", "not("] {
        if let Some(rest) = condition.strip_prefix(word) {
            let rest = &condition[condition.len() - rest.len() - usize::from(word == "not(")..];
            return holds(rest, release, depth + 1).map(|holds| !holds);
        }
    }
    for (word, all) in [("and ", true), ("or ", false)] {
        let parts = match condition.strip_prefix(word) {
            Some(rest) => parts(rest),
            None => words_between(condition, word.trim()),
        };
        if parts.len() > 1 {
            let values = parts.iter().map(|part| holds(part, release, depth + 1));
            let values: Option<Vec<_>> = values.collect();
            let values = values?;
            return Some(match all {
                true => values.iter().all(|value| *value),
                false => values.iter().any(|value| *value),
            });
        }
    }
    if let Some((_, rest)) = condition.split_once(&format!("{GROUP}/")) {
        let version: ApiVersion = leading_word(rest).parse().ok()?;
        return Some(version.is_served_by(release));
    }
    if let Some(holds) = compares_part(condition, release) {
        return Some(holds);
    }
    let comparisons = comparisons(condition)?;
    let minor = release.minor();
    let each = comparisons.iter().map(|comparison| {
        let number = &condition[comparison.number.0..comparison.number.1];
        let wanted: u32 = number.split('.').nth(1)?.parse().ok()?;
        Some(match comparison.mark {
            ">=" => minor >= wanted,
            "<=" => minor <= wanted,
            ">" => minor > wanted,
            "<" => minor < wanted,
            _ => return None,
        })
    });
    let each: Option<Vec<bool>> = each.collect();
    let each = each.filter(|each| !each.is_empty())?;
    Some(each.into_iter().all(|holds| holds))
}

/// A comparison of the major or minor number: `ge .Capabilities.KubeVersion.Minor "26"`.
fn compares_part(condition: &str, release: Release) -> Option<bool> {
    let (word, part, number) = compared_part(condition)?;
    let part = part.trim_matches(['(', ')']);
    let is = |name: &str| part.split([' ', '|']).any(|word| word.ends_with(name));
    let value = match (is(".Minor"), is(".Major")) {
        (true, false) => release.minor(),
        (false, true) => 1,
        _ => return None,
    };
    let wanted: u32 = number.trim_matches(['"', '\'', '+']).parse().ok()?;
    Some(match word {
        "eq" => value == wanted,
        "ne" => value != wanted,
        "ge" => value >= wanted,
        "gt" => value > wanted,
        "le" => value <= wanted,
        "lt" => value < wanted,
        _ => return None,
    })
}

/// The word, the part of the release and the number of a comparison: `ge`, `.Capabilities.KubeVersion.Minor`, `"26"`.
pub(super) fn compared_part(condition: &str) -> Option<(&str, &str, &str)> {
    let (word, rest) = condition.split_once(' ')?;
    match parts(rest)[..] {
        [part, number] if part.contains(".Minor") || part.contains(".Major") => {
            Some((word, part, number))
        }
        _ => None,
    }
}

/// A comparison with a release: `>=1.26-0`, `>= '1.26'`, `version('1.26', '>=')`.
pub(super) struct Comparison {
    pub(super) mark: &'static str,
    /// The place of the mark in the condition.
    pub(super) place: usize,
    /// The place of the number in the condition, such as `1.26`.
    pub(super) number: (usize, usize),
}

/// The comparisons of a condition about the release; `None` if it has none, or alternatives.
pub(super) fn comparisons(condition: &str) -> Option<Vec<Comparison>> {
    let is_release = condition.to_ascii_lowercase().contains("version");
    let is_other = ["||", ".Values.", "==", "!=", "eq ", "ne "];
    let is_plain = condition.contains("KubeVersion")
        || condition
            .match_indices(".Values.")
            .all(|(at, _)| is_cluster_version(&condition[at..]));
    if !is_release
        || !is_plain
        || is_other
            .iter()
            .any(|word| condition.contains(word) && *word != ".Values.")
    {
        return None;
    }
    let mut found = Vec::new();
    for (at, _) in condition.match_indices("1.") {
        let before = &condition[..at];
        if before.ends_with(|last: char| last.is_ascii_digit() || last == '.') {
            continue;
        }
        let digits = condition[at + 2..].find(|digit: char| !digit.is_ascii_digit());
        let end = digits.map_or(condition.len(), |digits| at + 2 + digits);
        let is_patch = condition[end..]
            .strip_prefix('.')
            .is_some_and(|patch| !patch.starts_with('0'));
        if end == at + 2 || is_patch {
            return None;
        }
        let before = before.trim_end_matches(['v', '"', '\'', ' ', '(']);
        let after = condition[end..].trim_start_matches(|mark: char| {
            mark.is_ascii_digit() || matches!(mark, '.' | '-' | '"' | '\'' | ',' | ' ')
        });
        let marks = [">=", "<=", ">", "<"];
        let mark = marks.into_iter().find(|mark| before.ends_with(mark));
        let mark = mark.map(|mark| (mark, before.len() - mark.len()));
        let behind = || {
            let mark = marks.into_iter().find(|mark| after.starts_with(mark))?;
            Some((mark, condition.len() - after.len()))
        };
        let (mark, place) = mark.or_else(behind)?;
        found.push(Comparison {
            mark,
            place,
            number: (at, end),
        });
    }
    (!found.is_empty()).then_some(found)
}

/// Whether a path of values that a text begins with ends in the version of the cluster: `.Values.global.kubernetesVersion`.
fn is_cluster_version(text: &str) -> bool {
    let path = leading(text, |next| {
        next.is_ascii_alphanumeric() || matches!(next, '.' | '_')
    });
    let last = path.rsplit('.').next().unwrap_or(path);
    let last = last.replace('_', "").to_ascii_lowercase();
    matches!(
        last.as_str(),
        "kubernetesversion" | "kubeversion" | "k8sversion"
    )
}

/// The arguments of a function of Go's templates: each in parentheses, or a word.
pub(super) fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let mut depth = 0_usize;
        let end = rest.char_indices().find_map(|(at, mark)| {
            match mark {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            (depth == 0 && (mark == ')' || mark == ' ')).then_some(at + usize::from(mark == ')'))
        });
        let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
        parts.push(part.trim());
        rest = after.trim_start();
    }
    parts
}

/// The parts of a condition between the words `and` or `or` outside of parentheses, as Jinja and Ruby write them.
pub(super) fn words_between<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let between = format!(" {word} ");
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(&between) {
        let before = &text[..at];
        let is_outside = before.matches('(').count() == before.matches(')').count();
        if is_outside && at >= start {
            parts.push(&text[start..at]);
            start = at + between.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A condition without parentheses around the whole of it.
pub(super) fn unwrapped(condition: &str) -> &str {
    let inner = condition
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some(inner) = inner else {
        return condition;
    };
    let mut depth = 0_i32;
    let is_one = inner.chars().all(|mark| {
        depth += i32::from(mark == '(') - i32::from(mark == ')');
        depth >= 0
    });
    if is_one { inner.trim() } else { condition }
}

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
        let rest = rest.trim_start_matches(|next: char| next.is_ascii_alphanumeric());
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
