//! Code that has clients or types of old versions because a library has them.

use crate::migrate::findings::{Finding, Rule};

/// The number of lines after the head of a method in which its body calls the client behind it.
const BODY: usize = 3;

/// Whether each finding is a method of client-go's interface, which has one for each version, or the call in it:
/// `func (c *Fake) FlowcontrolV1beta2() flowcontrolv1beta2.FlowcontrolV1beta2Interface`.
pub(super) fn is_implementation(text: &str, findings: &[Finding]) -> bool {
    let lines: Vec<_> = text.lines().collect();
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut is_any = false;
    let all = findings.iter().all(|finding| {
        let line = starts.partition_point(|start| *start <= finding.offset) - 1;
        let head = lines[line.saturating_sub(BODY).min(lines.len())..]
            .iter()
            .take(BODY + 1)
            .take(line + 1)
            .any(|line| is_method(line));
        let own = lines.get(line).copied().unwrap_or_default();
        is_any |= is_method(own);
        finding.rule == Rule::Program
            && (is_method(own)
                || own.contains("kubernetes/typed/flowcontrol/")
                || head && own.contains(".FlowcontrolV1"))
    });
    all && is_any
}

/// Whether a line is the head of a method that returns a client of a version.
fn is_method(line: &str) -> bool {
    line.split_once("() ").is_some_and(|(name, rest)| {
        let method = name
            .rsplit(|mark: char| !mark.is_ascii_alphanumeric())
            .next()
            .unwrap_or(name);
        method.starts_with("FlowcontrolV1") && rest.contains(&format!("{method}Interface"))
    })
}

/// Whether each finding is a name of the text itself, and none is imported or belongs to a package: `Spec *FlowSchemaSpecV1Alpha1`
/// beside the type that has the field.
pub(super) fn has_own_names_only(text: &str, findings: &[Finding]) -> bool {
    let is_imported = |line: &str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        [
            "import", "from", "use", "using", "require", "#include", "const", "let", "var",
        ]
        .contains(&first)
    };
    findings.iter().all(|finding| {
        let before = text.get(..finding.offset).unwrap_or_default();
        let line = &text[before.rfind('\n').map_or(0, |at| at + 1)..];
        let line = line.lines().next().unwrap_or_default();
        let is_qualified = before.ends_with(['.', ':', '/', '"', '\'', '`']);
        let is_called = line.contains("new ") || line.contains('(');
        match finding.rule {
            Rule::Comment => true,
            Rule::Program => !is_qualified && !is_called && !is_imported(line),
            _ => false,
        }
    })
}

/// Whether a text declares that it is in the module of an old version: `namespace Client.Flowcontrol.V1beta1`,
/// `module API::Flowcontrol::V1alpha1`, `package API::Flowcontrol::V1beta3::FlowSchema;`.
pub(super) fn is_module_of_version(text: &str) -> bool {
    text.lines().any(|line| {
        let mut words = line.split_whitespace();
        let is_declaration = matches!(words.next(), Some("namespace" | "module" | "package"));
        let name = words.next().unwrap_or_default().to_ascii_lowercase();
        let mut parts = name.split(|mark: char| !(mark.is_ascii_alphanumeric() || mark == '_'));
        let is_group = |part: &str| part.starts_with("flowcontrol");
        let is_old = |part: &str| {
            let rest = part.strip_prefix("v1");
            rest.is_some_and(|rest| rest.starts_with("alpha") || rest.starts_with("beta"))
        };
        is_declaration && parts.any(is_group) && parts.any(is_old)
    })
}

/// Whether each finding is a module of the library itself that the text passes on: `export * from './v1beta1FlowSchema'`,
/// `from .v1beta1_flow_schema import V1beta1FlowSchema`, `pub mod v1beta1_flow_schema;`.
pub(super) fn is_index(text: &str, findings: &[Finding]) -> bool {
    let passes_on = |finding: &Finding| {
        let before = text.get(..finding.offset).unwrap_or_default();
        let line = &text[before.rfind('\n').map_or(0, |at| at + 1)..];
        let line = line.lines().next().unwrap_or_default().trim_start();
        let is_own = line.contains(" from './") || line.contains(" from \"./");
        line.starts_with("export ") && is_own
            || ["from .", "pub mod ", "pub use self::"]
                .iter()
                .any(|start| line.starts_with(start))
    };
    findings.len() > 1 && findings.iter().all(passes_on)
}
