//! Versions that the names around them assign to flow control: `flowcontrol_version: v1beta2`, or a field `version` below a key
//! `flowcontrol`.

use crate::cut::floor;
use crate::migrate::lesser_uses::is_search;
use k8s_flowcontrol_text::Span;

/// The number of lines with less indentation around a version whose names count.
const LEVELS: usize = 2;

/// The maximum number of lines above a version that are searched.
const MAX_LINES: usize = 60;

/// The maximum number of bytes of a line before or above a version that are searched.
const MAX_LINE: usize = 400;

/// The number of lines above a call with a version in which its kind stands.
const CALL: usize = 6;

/// The names of other groups. A version beside such a name belongs to it.
const OTHERS: [&str; 14] = [
    "policy",
    "batch",
    "apps",
    "autoscaling",
    "extensions",
    "networking",
    "rbac",
    "storage",
    "scheduling",
    "admission",
    "certificates",
    "coordination",
    "discovery",
    "kubeadm",
];

/// The words of a name that is about a version.
const VERSION_WORDS: [&str; 5] = ["version", "default", "value", "return", "api"];

/// The versions of `versions` that stand alone as a value and belong to flow control by the names around them.
pub(crate) fn versions_in_context(
    text: &str,
    versions: &[&'static str],
) -> Vec<(Span, &'static str)> {
    let mut found = Vec::new();
    let mut lines: Vec<(usize, &str)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        if !is_comment(content) {
            let mut from = 0;
            for (at, version) in values(content, versions) {
                let end = at + version.len();
                if belongs(content, from, at, end, &lines) {
                    let place = start + at;
                    found.push((Span::new(place, start + end), version));
                }
                from = end;
            }
            if !content.is_empty() {
                lines.push((indentation(content), shortened(content)));
            }
        }
        start += line.len();
    }
    found
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let marks = ["//", "# ", "* ", "/*", "<!--", "-- ", "; "];
    line == "#" || marks.iter().any(|mark| line.starts_with(mark))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The versions in a line that are a whole value: behind `=`, `:`, `(`, in quotes, or searched for.
fn values<'a>(
    line: &'a str,
    versions: &'a [&'static str],
) -> impl Iterator<Item = (usize, &'static str)> + 'a {
    let at = line.match_indices('v').map(|(at, _)| at);
    at.filter_map(move |at| {
        let version = versions
            .iter()
            .find(|version| line[at..].starts_with(**version))?;
        let (before, after) = (&line[..at], &line[at + version.len()..]);
        let ends = after.is_empty()
            || after.starts_with([' ', '"', '\'', ',', ')', '}', ']', ';', '`', '<', '\t']);
        let quote = before
            .chars()
            .next_back()
            .filter(|last| "\"'`".contains(*last));
        let is_value = match quote {
            Some(quote) => after.starts_with(quote) || after.starts_with('}'),
            None => {
                let head = before.trim_end();
                let is_assigned = head.ends_with(['=', ':', '?']) || before.ends_with(":-");
                let is_variable = head.starts_with("ENV ") || head.starts_with("ARG ");
                let is_searched =
                    || is_search(&before[floor(before, before.len().saturating_sub(MAX_LINE))..]);
                is_assigned || is_variable || before.ends_with(' ') && is_searched()
            }
        };
        (ends && is_value).then_some((at, *version))
    })
}

/// Whether a version belongs to flow control. `from` is the end of the version before it in its line.
fn belongs(line: &str, from: usize, at: usize, end: usize, above: &[(usize, &str)]) -> bool {
    let before = &line[from..at];
    // Names in an object before do not count.
    let before = before.rfind('}').map_or(before, |end| &before[end..]);
    if is_flow(before) {
        return true;
    }
    // Go: the kind is in a line above, and the version is an argument.
    if before.to_ascii_lowercase().ends_with("withversion(\"") && !is_other(before) {
        let near = || above.iter().rev().take(CALL).map(|(_, line)| line);
        return near().any(|line| is_flow(line)) && !near().any(|line| is_other(line));
    }
    if assigned(before).is_some_and(|name| is_of_group(name, above)) {
        return true;
    }
    if is_other(before) || before.contains("kind") || before.contains("Kind") {
        return false;
    }
    let after = within_object(line.get(end..).unwrap_or_default());
    let next = after.find("v1").map_or(after, |next| &after[..next]);
    if is_flow(next) && !is_other(next) && (before.contains("ersion") || from == 0) {
        return true;
    }
    let is_version = VERSION_WORDS
        .iter()
        .any(|word| before.to_ascii_lowercase().contains(word));
    is_version && is_below(line, above)
}

/// The text up to the end of the object around it. Names in the object after do not count.
fn within_object(after: &str) -> &str {
    let mut open = 0_usize;
    let end = after.bytes().position(|byte| match byte {
        b'{' => {
            open += 1;
            false
        }
        b'}' if open == 0 => true,
        b'}' => {
            open -= 1;
            false
        }
        _ => false,
    });
    &after[..end.unwrap_or(after.len())]
}

/// The object whose field `version` the text before a version assigns: `api` of `api.version = "`.
fn assigned(before: &str) -> Option<&str> {
    let field = before
        .trim_end_matches(['"', '\'', '`', ' '])
        .strip_suffix('=')?;
    let object = field.trim_end().strip_suffix(".version");
    let object = object.or_else(|| field.trim_end().strip_suffix(".Version"))?;
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name = &object[object.trim_end_matches(is_part).len()..];
    (!name.is_empty()).then_some(name)
}

/// The number of lines of an object in which its group stands.
const OBJECT: usize = 5;

/// Whether the nearest line above that assigns an object, or one of the lines behind it, has the group.
fn is_of_group(name: &str, above: &[(usize, &str)]) -> bool {
    let assigns = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
            let rest = line[at + name.len()..].trim_start();
            let is_whole = !line[..at].ends_with(is_part);
            is_whole
                && (rest.starts_with('=') || rest.starts_with(":=") || rest.starts_with(".group ="))
        })
    };
    let from = above.len().saturating_sub(MAX_LINES);
    let place = (from..above.len()).rev().find(|at| assigns(above[*at].1));
    place.is_some_and(|at| {
        let mut object = above[at..].iter().take(OBJECT);
        object.any(|(_, line)| line.contains("flowcontrol.apiserver.k8s.io"))
    })
}

/// Whether a line above, with less indentation or as the head of a section, names flow control.
fn is_below(line: &str, above: &[(usize, &str)]) -> bool {
    let line = shortened(line);
    let mut indent = indentation(line);
    let mut levels = 0;
    let is_value = ["value", "default"]
        .iter()
        .any(|word| line.trim_start().starts_with(word));
    for (found, other) in above.iter().rev().take(MAX_LINES) {
        let trimmed = other.trim_start();
        let is_name = is_value
            && trimmed.trim_start_matches("- ").starts_with("name")
            && (*found == indent || trimmed.starts_with("- ") && *found + 2 == indentation(line));
        let is_head = trimmed.starts_with('[') && *found == indent && !trimmed.starts_with("[[");
        if !(is_name || is_head || *found < indent) {
            continue;
        }
        if is_other(trimmed) {
            return false;
        }
        if is_flow(trimmed) {
            return true;
        }
        if is_name || is_head {
            return false;
        }
        indent = *found;
        levels += 1;
        if levels == LEVELS {
            return false;
        }
    }
    false
}

/// The beginning of a line, in which its key is. All of the lines above are read for each version, so that they may not be long.
fn shortened(line: &str) -> &str {
    &line[..floor(line, MAX_LINE)]
}

/// Whether a text names flow control, in any spelling.
fn is_flow(text: &str) -> bool {
    let plain: String = text
        .chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .map(|character| character.to_ascii_lowercase())
        .collect();
    let is_abbreviated = || {
        let mut words = text.split(|character: char| !character.is_ascii_alphanumeric());
        words.any(|word| word.eq_ignore_ascii_case("apf"))
    };
    ["flowcontrol", "flowschema", "prioritylevel"]
        .iter()
        .any(|word| plain.contains(word))
        || is_abbreviated()
}

/// Whether a text names another group.
fn is_other(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|character: char| !character.is_ascii_alphanumeric());
    words.any(|word| OTHERS.contains(&word))
        || lower.contains(".k8s.io") && !lower.contains("flowcontrol.")
}
