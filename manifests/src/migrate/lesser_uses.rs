//! Uses of old versions in programs that need nothing by themselves.

use super::findings::{Finding, Rule};
use crate::cut::leading;
use k8s_flowcontrol_types::ApiVersion;
use std::collections::HashSet;
use std::ops::Range;

/// The words before a name that is defined.
const DEFINITIONS: [&str; 12] = [
    "class",
    "interface",
    "struct",
    "type",
    "record",
    "trait",
    "protocol",
    "message",
    "enum",
    "module",
    "object",
    "typedef",
];

/// Whether nothing is to do at a finding: a note is enough. `imported` are the imported names of the text.
pub(super) fn needs_nothing(
    text: &str,
    imported: &HashSet<&str>,
    finding: &Finding,
    to: ApiVersion,
) -> bool {
    // A program may give its type any name; the places that use it for requests count.
    is_definition(text, finding)
        || is_imported(text, imported, finding)
        || is_choice(text, finding, to)
        || is_beside_new(text, finding, to)
}

/// Whether a finding is the name of a type that its line defines: `class V1beta2FlowSchema`.
pub(super) fn is_definition(text: &str, finding: &Finding) -> bool {
    let before = text.get(..finding.offset).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    // The finding may begin within the name: `FlowSchemaFlowcontrolV1beta1`.
    let line =
        before[start..].trim_end_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
    let word = line.split_whitespace().next_back();
    let is_ended = line.ends_with(char::is_whitespace);
    let is_type = is_ended && word.is_some_and(|word| DEFINITIONS.contains(&word));
    // Zig: `pub const FlowcontrolV1beta3FlowSchema = struct {`.
    let rest = text.get(finding.offset..).unwrap_or_default();
    let value = rest[name_end(rest)..]
        .trim_start()
        .strip_prefix('=')
        .and_then(|value| value.split_whitespace().next());
    let is_type = is_type || value.is_some_and(|value| DEFINITIONS.contains(&value));
    // A field of a Java class that has each type: `@JsonProperty("V1beta1FlowSchema")`.
    let is_field = line.trim_start().starts_with("@JsonProperty(");
    finding.rule == Rule::Program && (is_type || is_field)
}

/// The names that a text gives to packages of the group.
pub(super) fn imported(text: &str) -> HashSet<&str> {
    text.lines().filter_map(imported_in).collect()
}

/// The name in a line with an import. Go gives it before the path; without one, and in KCL, the last part of the path is the name.
fn imported_in(line: &str) -> Option<&str> {
    let line = line.trim();
    let import = line.strip_prefix("import ");
    if let Some((path, last)) = import.and_then(|path| path.rsplit_once('.'))
        && path.ends_with("flowcontrol")
    {
        return Some(last);
    }
    let import = import.unwrap_or(line);
    let (name, path) = import.split_at(name_end(import));
    let path = path.trim_start().strip_prefix('"')?;
    let path = path
        .split('"')
        .next()
        .filter(|path| path.contains("/flowcontrol/"))?;
    match name.is_empty() {
        true => path.rsplit('/').next(),
        false => Some(name),
    }
}

/// The end of the name at the beginning of a text.
fn name_end(text: &str) -> usize {
    leading(text, |letter| letter.is_alphanumeric() || letter == '_').len()
}

/// The most letters of a name before the version in it.
const MAX_NAME: usize = 100;

/// Whether a finding is a use of an imported name: the import decides about it.
fn is_imported(text: &str, imported: &HashSet<&str>, finding: &Finding) -> bool {
    if finding.rule != Rule::Program || imported.is_empty() {
        return false;
    }
    let (before, rest) = text.split_at_checked(finding.offset).unwrap_or_default();
    let (last, rest) = rest.split_at(name_end(rest));
    // The finding may begin within the name: `fcv1beta3.FlowSchema`.
    let is_name = |letter: &char| letter.is_alphanumeric() || *letter == '_';
    let first = before.chars().rev().take(MAX_NAME).take_while(is_name);
    let start = before.len() - first.map(char::len_utf8).sum::<usize>();
    let name = &text[start..finding.offset + last.len()];
    rest.starts_with('.') && imported.contains(name)
}

/// The number of lines around an old field in which the same line with the new one stands.
const NEAR: usize = 3;

/// The most bytes of such a line before and behind the finding.
const LINE: usize = 500;

/// Whether the same line with the new name of the shares stands near a finding: the text handles both.
pub(super) fn is_beside_new(text: &str, finding: &Finding, to: ApiVersion) -> bool {
    if !matches!(finding.rule, Rule::Program | Rule::Mention) {
        return false;
    }
    let (old, new) = match to >= ApiVersion::V1Beta3 {
        true => (["Assured", "assured"], ["Nominal", "nominal"]),
        false => (["Nominal", "nominal"], ["Assured", "assured"]),
    };
    let Some(line) = line_at(text, finding.offset) else {
        return false;
    };
    let own = &text[line.clone()];
    let wanted = old.into_iter().zip(new).find_map(|(old, new)| {
        let place = own.find(old)?;
        let rest = own[place + old.len()..]
            .to_ascii_lowercase()
            .replace('_', "");
        let is_shares = rest.starts_with("concurrencyshares");
        is_shares.then(|| own.replace(old, new))
    });
    wanted.is_some_and(|wanted| {
        let above = text[..line.start].lines().rev().take(NEAR);
        let below = text[line.end..].lines().skip(1).take(NEAR);
        above.chain(below).any(|line| line.trim() == wanted.trim())
    })
}

/// The line around a place; none if it is long, as in a text without lines.
fn line_at(text: &str, offset: usize) -> Option<Range<usize>> {
    let offset = offset.min(text.len());
    let is_end = |at: &usize| text.as_bytes()[*at] == b'\n';
    let first = offset.saturating_sub(LINE);
    let before = (first..offset).rev().find(is_end);
    let start = before.map(|at| at + 1).or((first == 0).then_some(0))?;
    let last = text.len().min(offset + LINE);
    let end = (offset..last).find(is_end);
    let end = end.or((last == text.len()).then_some(last))?;
    Some(start..end)
}

/// Whether a finding is in an action of a Helm template that chooses between it and the wanted version by the cluster's release:
/// `{{ eq .Capabilities.KubeVersion.Minor "28" | ternary "v1beta3" "v1" }}` in a script.
fn is_choice(text: &str, finding: &Finding, to: ApiVersion) -> bool {
    let before = text.get(..finding.offset).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text[line..].lines().next().unwrap_or_default();
    line.split("{{").skip(1).any(|action| {
        let action = action.split("}}").next().unwrap_or_default();
        let mut words = action.split(['"', '\'', '\\']);
        action.contains("ternary")
            && action.contains(".Capabilities.KubeVersion")
            && words.any(|word| word == to.as_str())
    })
}

/// The commands that search a text.
const SEARCHES: [&str; 8] = [
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "findstr",
    "Select-String",
];

/// What a line has when the outcome of its search decides something, or its text is the list of the versions that a server has.
const DECIDING: [&str; 7] = ["if ", "while ", "until ", "&&", "||", "api-", "/apis"];

/// Whether a finding is what a command searches for: `grep "v1beta2" audit.log | grep flowcontrol`.
pub(super) fn is_searched(text: &str, finding: &Finding) -> bool {
    let Some(line) = line_at(text, finding.offset) else {
        return false;
    };
    let own = &text[line.clone()];
    let before = &own[..finding.offset - line.start];
    // `grep -q` prints nothing: only its outcome counts.
    let mut options = own.split_whitespace().filter(|word| word.starts_with('-'));
    let is_quiet = options.any(|option| match option.starts_with("--") {
        true => matches!(option, "--quiet" | "--silent"),
        false => option.contains('q'),
    });
    matches!(finding.rule, Rule::Program | Rule::Mention)
        && !is_quiet
        && !DECIDING.iter().any(|word| own.contains(word))
        && is_search(before)
}

/// Whether a line ends in the arguments of a command that searches a text.
pub(super) fn is_search(line: &str) -> bool {
    last_command(line).is_some_and(|command| SEARCHES.contains(&command))
}

/// The command whose words a line ends in.
fn last_command(line: &str) -> Option<&str> {
    let mut quote = None;
    let mut start = 0;
    for (index, letter) in line.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '|' | ';' | '(' | '`') => start = index + 1,
            _ => {}
        }
    }
    let mut words = line[start..].split_whitespace();
    words.find(|word| !matches!(*word, "$" | "-" | "run:"))
}
