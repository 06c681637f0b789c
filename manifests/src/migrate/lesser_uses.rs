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
    is_definition(text, finding) || is_imported(text, finding) || is_choice(text, finding, to)
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
    // A field of a Java class that has each type: `@JsonProperty("V1beta1FlowSchema")`.
    let is_field = line.trim_start().starts_with("@JsonProperty(");
    finding.rule == Rule::Program && (is_type || is_field)
}

/// Whether a finding is a use of a name that the same Go text gives to a package: the import decides about it.
fn is_imported(text: &str, finding: &Finding) -> bool {
    let rest = text.get(finding.offset..).unwrap_or_default();
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let (name, rest) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
    let is_own = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("import ").unwrap_or(line);
        let path = line
            .strip_prefix(name)
            .and_then(|rest| rest.trim_start().strip_prefix('"'));
        path.is_some_and(|path| path.starts_with("k8s.io/") && path.contains("/flowcontrol/"))
    };
    finding.rule == Rule::Program
        && !name.is_empty()
        && rest.starts_with('.')
        && text.lines().any(is_own)
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
