//! Bodies that are whole objects.

use crate::decode::{self, Node};
use crate::scheme::Kind;
use crate::status::{Failure, bad_request};
use crate::validation::FieldValidation;
use k8s_flowcontrol::ApiVersion;
use serde_json::Value;

/// How many bytes of a body an error shows.
const SHOWN: usize = 30;

/// An object as a client sent it.
#[derive(Debug)]
pub(crate) struct Read {
    /// In hub form, defaults filled in.
    pub(crate) object: Value,
    pub(crate) warnings: Vec<String>,
}

/// Reads a body as a `kind` of `version`. What it leaves out of its type is taken from the path.
///
/// # Errors
/// 400 for text that is no such object.
pub(crate) fn read_object(
    body: &[u8],
    kind: &Kind,
    version: ApiVersion,
    validation: FieldValidation,
) -> Result<Read, Failure> {
    let node = decode::parse(body).map_err(|why| unrecognized(body, kind, &why))?;
    if !matches!(node, Node::Object(_) | Node::Null) {
        let why = format!(
            "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \
             \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
            node.go_kind()
        );
        return Err(unrecognized(body, kind, &why));
    }
    check_type(&node, kind, version)?;
    let refused = |why: &str| unhandled(kind.name(), version.as_str(), kind, why);
    let decoded = decode::decode(&node, kind.schema(version), version.as_str())
        .map_err(|why| refused(&why))?;
    if let Some(problem) = validation.refusal(&decoded.problems) {
        return Err(refused(&problem));
    }
    Ok(Read {
        object: kind.to_hub(decoded.tree, version),
        warnings: validation.warnings(decoded.problems),
    })
}

fn unrecognized(body: &[u8], kind: &Kind, why: &str) -> Failure {
    bad_request(format!(
        "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json \
         parse error: {why} ({})",
        kind.name(),
        shown(body)
    ))
}

/// The beginning of a body: as text when it looks like JSON, else in hexadecimal.
fn shown(body: &[u8]) -> String {
    if body.is_empty() {
        return "<empty>".into();
    }
    let start = &body[..body.len().min(SHOWN)];
    let dots = if body.len() > SHOWN { " ..." } else { "" };
    if body.first() == Some(&b'{') {
        return format!("{}{dots}", String::from_utf8_lossy(start));
    }
    let hex: String = start.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{hex}{dots}")
}

fn unhandled(found_kind: &str, found_version: &str, kind: &Kind, why: &str) -> Failure {
    bad_request(format!(
        "{found_kind} in version {found_version:?} cannot be handled as a {}: {why}",
        kind.name()
    ))
}

fn check_type(node: &Node, kind: &Kind, version: ApiVersion) -> Result<(), Failure> {
    let text = |name: &str, default: &'static str| {
        let text = node
            .get(name)
            .and_then(Node::as_str)
            .unwrap_or_default()
            .to_owned();
        if text.is_empty() {
            default.to_owned()
        } else {
            text
        }
    };
    let found_version = text("apiVersion", version.api_version());
    let found_kind = text("kind", kind.name());
    let short = found_version.rsplit('/').next().unwrap_or_default();
    let known_version = ApiVersion::ALL
        .into_iter()
        .find(|known| known.api_version() == found_version);
    let refused = |why: String| Err(unhandled(&found_kind, short, kind, &why));
    match known_version {
        Some(found) if found == version && found_kind == kind.name() => Ok(()),
        Some(found) if found_kind == kind.name() && kind.is_served_in(found) => {
            Err(bad_request(format!(
                "the API version in the data ({found_version}) does not match the expected API \
                 version ({})",
                version.api_version()
            )))
        }
        Some(_) if is_known(&found_kind) => {
            let group = kind.group().split('.').next().unwrap_or_default();
            refused(format!(
                "converting ({short}.{found_kind}) to ({group}.{}): unknown conversion",
                kind.name()
            ))
        }
        // A kind of another group that every cluster has.
        None if found_version == "v1" => {
            let group = kind.group().split('.').next().unwrap_or_default();
            refused(format!(
                "converting (v1.{found_kind}) to ({group}.{}): unknown conversion",
                kind.name()
            ))
        }
        _ => refused(format!(
            "no kind {found_kind:?} is registered for version {found_version:?} in scheme \
             \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\""
        )),
    }
}

/// Whether the group has that kind or list.
fn is_known(kind: &str) -> bool {
    let kind = kind.strip_suffix("List").unwrap_or(kind);
    matches!(kind, "FlowSchema" | "PriorityLevelConfiguration")
}
