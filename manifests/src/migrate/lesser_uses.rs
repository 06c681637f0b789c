//! Uses of old versions in programs that need nothing by themselves.

use super::findings::{Finding, Rule};
use k8s_flowcontrol_types::ApiVersion;

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

/// Whether nothing is to do at a finding: a note is enough.
pub(super) fn needs_nothing(text: &str, finding: &Finding, to: ApiVersion) -> bool {
    // A program may give its type any name; the places that use it for requests count.
    is_definition(text, finding)
        || is_imported(text, finding)
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
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let rest = text.get(finding.offset..).unwrap_or_default();
    let rest = rest.trim_start_matches(is_name).trim_start();
    let value = rest
        .strip_prefix('=')
        .and_then(|value| value.split_whitespace().next());
    let is_type = is_type || value.is_some_and(|value| DEFINITIONS.contains(&value));
    // A field of a Java class that has each type: `@JsonProperty("V1beta1FlowSchema")`.
    let is_field = line.trim_start().starts_with("@JsonProperty(");
    finding.rule == Rule::Program && (is_type || is_field)
}

/// Whether a finding is a use of a name that the same text gives to a package: the import decides about it. Go gives it before the path,
/// and in KCL the last part of the path is the name.
fn is_imported(text: &str, finding: &Finding) -> bool {
    let rest = text.get(finding.offset..).unwrap_or_default();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (name, rest) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
    let is_own = |line: &str| {
        let line = line.trim();
        let import = line.strip_prefix("import ");
        let is_last = import
            .and_then(|path| path.strip_suffix(name))
            .is_some_and(|path| path.ends_with("flowcontrol."));
        let path = import
            .unwrap_or(line)
            .strip_prefix(name)
            .and_then(|rest| rest.trim_start().strip_prefix('"'));
        is_last || path.is_some_and(|path| path.contains("/flowcontrol/"))
    };
    finding.rule == Rule::Program
        && !name.is_empty()
        && rest.starts_with('.')
        && text.lines().any(is_own)
}

/// The number of lines around an old field in which the same line with the new one stands.
const NEAR: usize = 3;

/// Whether the same line with the new name of the shares stands near a finding: the text handles both.
pub(super) fn is_beside_new(text: &str, finding: &Finding, to: ApiVersion) -> bool {
    let is_field = matches!(finding.rule, Rule::Program | Rule::Mention);
    let (old, new) = match to >= ApiVersion::V1Beta3 {
        true => ("ssured", "ominal"),
        false => ("ominal", "ssured"),
    };
    let first = |name: &str| {
        if name == "ssured" {
            ["A", "a"]
        } else {
            ["N", "n"]
        }
    };
    let before = text.get(..finding.offset).unwrap_or_default();
    let Some(own) = text[before.rfind('\n').map_or(0, |at| at + 1)..]
        .lines()
        .next()
    else {
        return false;
    };
    let number = before.matches('\n').count();
    let wanted = first(old)
        .into_iter()
        .zip(first(new))
        .find_map(|(old_first, new_first)| {
            let name = format!("{old_first}{old}");
            let place = own.find(&name)?;
            let is_shares = own[place + name.len()..]
                .to_ascii_lowercase()
                .replace('_', "");
            is_shares
                .starts_with("concurrencyshares")
                .then(|| own.replace(&name, &format!("{new_first}{new}")))
        });
    is_field
        && wanted.is_some_and(|wanted| {
            let lines = text.lines().skip(number.saturating_sub(NEAR));
            let mut near = lines.take(2 * NEAR + 1);
            near.any(|line| line.trim() == wanted.trim())
        })
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
