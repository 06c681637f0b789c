//! A request's body as a server reads it: which object it is, or which 400 answers it.

use super::decoder::{DecodeAs, Problem, TypeError, decode};
use super::scheme::{self, GroupVersionKind};
use super::{media_type, type_meta};
use k8s_flowcontrol_text::{Node, Position, Span, SyntaxError, Tree, go, parse_json};
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{Fact, FieldValidation, GROUP, Kind};
use serde_json::Value;
use std::fmt;

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/yaml`.
    Yaml,
}

impl Format {
    /// The format of a `Content-Type`, when a server decodes it: parameters and case do not matter, and
    /// nothing at all means JSON.
    pub fn from_media_type(content_type: &str) -> Option<Self> {
        if content_type.is_empty() {
            return Some(Self::Json);
        }
        match media_type::parse(content_type)?.as_str() {
            "application/json" => Some(Self::Json),
            "application/yaml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

/// An object that a server takes from a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The object before defaults: known fields only, no `null`, `apiVersion` and `kind` filled in.
    pub value: Value,
    /// The texts of the `Warning` headers: unknown and duplicate fields under
    /// [`FieldValidation::Warn`]. The server cuts them at 256 characters when it writes them.
    pub warnings: Vec<String>,
}

/// A body that a server answers 400 to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyError {
    /// The message of the server's Status.
    pub message: String,
    /// The message without what the server wraps around it.
    pub cause: String,
    /// Where the error stands in the text, when it stands somewhere.
    pub span: Option<Span>,
    /// The same place as people count.
    pub position: Option<Position>,
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(f, "{position}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for BodyError {}

/// Reads the body of a request that creates or replaces an object of the kind `expected`, which its path names.
///
/// # Errors
/// [`BodyError`] when a server answers 400 because of the text: no JSON or YAML, a wrong type, another
/// kind, and unknown or duplicate fields under [`FieldValidation::Strict`].
pub fn read_body(
    body: &[u8],
    format: Format,
    expected: VersionedKind,
    field_validation: FieldValidation,
) -> Result<Object, BodyError> {
    let reader = BodyReader { body, expected };
    let text = reader.parse(format)?;
    let found = type_meta::interpret(text.tree.root(), text.sorted)
        .map_err(|error| reader.unrecognized(&error.message, Some(error.span)))?;
    let found = reader.complete(found)?;
    let target = reader.target(&found, &text)?;

    let decoded = match target {
        Some(target) => decode(text.tree.root(), target)
            .map_err(|TypeError { message, span }| reader.refused(&found, &message, Some(span)))?,
        // A kind that the decoder knows and whose schema is missing here.
        None => {
            return Err(reader.refused(&found, &reader.no_conversion(&found), text.span_of_kind()));
        }
    };
    if found.kind != expected.kind.as_str() {
        return Err(reader.refused(&found, &reader.no_conversion(&found), text.span_of_kind()));
    }
    let mut problems = text.problems;
    problems.extend(decoded.problems);
    let mut warnings = Vec::new();
    match (field_validation, problems.first()) {
        (FieldValidation::Ignore, _) | (_, None) => {}
        (FieldValidation::Warn, _) => {
            for problem in &problems {
                push_warnings(&mut warnings, problem);
            }
        }
        (FieldValidation::Strict, Some(first)) => {
            let messages: Vec<_> = problems.iter().map(|p| p.message.as_str()).collect();
            let cause = format!("strict decoding error: {}", messages.join(", "));
            return Err(reader.refused(&found, &cause, Some(first.span)));
        }
    }
    reader.check_version(&found, text.tree.root())?;

    let mut value = decoded.value;
    value["apiVersion"] = expected.version.api_version().into();
    value["kind"] = expected.kind.as_str().into();
    Ok(Object { value, warnings })
}

/// The line breaks in the YAML reader's list of duplicates make one warning each.
fn push_warnings(warnings: &mut Vec<String>, problem: &Problem) {
    let lines = problem.message.strip_prefix(YAML_ERRORS);
    match lines {
        Some(lines) => warnings.extend(lines.split('\n').map(|line| line.trim().to_owned())),
        None => warnings.push(problem.message.clone()),
    }
}

const YAML_ERRORS: &str = "yaml: unmarshal errors:\n";

struct Text {
    tree: Tree,
    sorted: bool,
    /// The problems that the YAML reader reports in strict mode.
    problems: Vec<Problem>,
}

impl Text {
    fn span_of_kind(&self) -> Option<Span> {
        let root = self.tree.root();
        root.get("kind")
            .or_else(|| root.get("apiVersion"))
            .map(Node::span)
    }
}

struct BodyReader<'a> {
    body: &'a [u8],
    expected: VersionedKind,
}

impl BodyReader<'_> {
    fn parse(&self, format: Format) -> Result<Text, BodyError> {
        match format {
            Format::Json => parse_json(self.body)
                .map(|tree| Text {
                    tree,
                    sorted: false,
                    problems: Vec::new(),
                })
                .map_err(|error| {
                    self.bad_syntax(&error, "couldn't get version/kind; json parse error: ")
                }),
            Format::Yaml => {
                let yaml = k8s_flowcontrol_text::parse_yaml(self.body).map_err(|error| {
                    let old = !self.expected.release.has(Fact::LowerCaseYamlErrors);
                    let capital = error
                        .message()
                        .strip_prefix("unsupported map key")
                        .filter(|_| old);
                    match capital {
                        Some(rest) => self.bad_syntax(
                            &SyntaxError::new(format!("Unsupported map key{rest}"), error.offset()),
                            "",
                        ),
                        None => self.bad_syntax(&error, ""),
                    }
                })?;
                let problems = match yaml.duplicates.first() {
                    None => Vec::new(),
                    Some(first) => {
                        let lines: Vec<_> = yaml
                            .duplicates
                            .iter()
                            .map(|key| format!("  {key}"))
                            .collect();
                        let message = format!("{YAML_ERRORS}{}", lines.join("\n"));
                        vec![Problem {
                            message,
                            span: first.span,
                        }]
                    }
                };
                Ok(Text {
                    tree: yaml.tree,
                    sorted: true,
                    problems,
                })
            }
        }
    }

    /// Fills in from the path what the body does not say.
    fn complete(&self, mut found: GroupVersionKind) -> Result<GroupVersionKind, BodyError> {
        if found.kind.is_empty() {
            found.kind = self.expected.kind.as_str().into();
        }
        if found.group.is_empty() && found.version.is_empty() {
            found.group = GROUP.into();
        }
        if found.group == GROUP && found.version.is_empty() {
            found.version = self.expected.version.as_str().into();
        }
        if found.version.is_empty() {
            let body = String::from_utf8_lossy(self.body);
            let cause = format!("Object 'apiVersion' is missing in '{body}'");
            return Err(self.refused(&found, &cause, None));
        }
        Ok(found)
    }

    /// The type that the body is decoded into; `None` for a known kind without a schema.
    fn target(&self, found: &GroupVersionKind, text: &Text) -> Result<Option<DecodeAs>, BodyError> {
        let release = self.expected.release;
        if !found.is_registered(release) {
            let cause = format!(
                "no kind {} is registered for version {} in scheme \
                 \"k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30\"",
                go::quote(&found.kind),
                go::quote(&found.group_version()),
            );
            return Err(self.refused(found, &cause, text.span_of_kind()));
        }
        let version = scheme::decoded_version(&found.version, release);
        Ok(match (version, Kind::named(&found.kind)) {
            (Some(version), Some(kind)) if found.group == GROUP => {
                let mut target = DecodeAs::from(VersionedKind::new(kind, version, release));
                if version.as_str() != found.version {
                    target.package = "v1alpha1";
                }
                Some(target.sorted(text.sorted))
            }
            _ => None,
        })
    }

    fn check_version(&self, found: &GroupVersionKind, root: Node<'_>) -> Result<(), BodyError> {
        let expected = self.expected.version.api_version();
        let group_version = found.group_version();
        if group_version == expected {
            return Ok(());
        }
        let message = format!(
            "the API version in the data ({group_version}) does not match the expected API version \
             ({expected})"
        );
        let span = root.get("apiVersion").map(Node::span);
        Err(self.error(message.clone(), message, span))
    }

    fn no_conversion(&self, found: &GroupVersionKind) -> String {
        let (package, kind) = (found.package(), &found.kind);
        let expected = self.expected.kind.as_str();
        format!("converting ({package}.{kind}) to (flowcontrol.{expected}): unknown conversion")
    }

    fn bad_syntax(&self, error: &SyntaxError, prefix: &str) -> BodyError {
        let span = Span::new(error.offset(), (error.offset() + 1).min(self.body.len()));
        self.unrecognized(&format!("{prefix}{}", error.message()), Some(span))
    }

    /// The error of a body of which not even the kind is known.
    fn unrecognized(&self, cause: &str, span: Option<Span>) -> BodyError {
        let message = format!(
            "the object provided is unrecognized (must be of type {}): {cause} ({})",
            self.expected.kind.as_str(),
            summary(self.body),
        );
        self.error(message, cause.into(), span)
    }

    /// The error of a body whose kind is known.
    fn refused(&self, found: &GroupVersionKind, cause: &str, span: Option<Span>) -> BodyError {
        let message = format!(
            "{} in version {} cannot be handled as a {}: {cause}",
            found.kind,
            go::quote(&found.version),
            self.expected.kind.as_str(),
        );
        self.error(message, cause.into(), span)
    }

    fn error(&self, message: String, cause: String, span: Option<Span>) -> BodyError {
        let position = span.map(|span| Position::of(self.body, span.start));
        BodyError {
            message,
            cause,
            span,
            position,
        }
    }
}

/// The beginning of a body as the server quotes it: text when it looks like JSON, else hexadecimal.
fn summary(body: &[u8]) -> String {
    const LENGTH: usize = 30;
    let Some(first) = body.first() else {
        return "<empty>".into();
    };
    let start = &body[..body.len().min(LENGTH)];
    let mut out = if *first == b'{' {
        go::lossy(start)
    } else {
        start.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    if body.len() > LENGTH {
        out.push_str(" ...");
    }
    out
}
