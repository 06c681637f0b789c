//! Validating one document.

use crate::documents::{Document, documents, read};
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::Streams;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::kind::VersionedKind;
use k8s_flowcontrol::rules::decode::BodyError;
use k8s_flowcontrol::rules::validate::verdict::{Operation, Request};
use k8s_flowcontrol::rules::validate::{Rules, Violation, verdict};
use k8s_flowcontrol::rules::{bootstrap, conversion, decode};
use k8s_flowcontrol::{ApiVersion, FieldValidation, GROUP, Release, convert};
use serde_json::{Value, json};
use std::path::Path;

/// Validates documents as one server does.
pub(super) struct Judge {
    release: Release,
    zero_shares: bool,
    field_validation: FieldValidation,
    strip: bool,
    existing: Vec<(Kind, &'static str)>,
    old: Option<Old>,
    status_only: bool,
}

/// The response of a server.
pub(super) struct Verdict {
    /// The Status of an error response.
    pub(super) status: Option<Value>,
    /// The broken rules.
    pub(super) causes: Vec<Violation>,
    /// The error of decoding the body.
    pub(super) body_error: Option<BodyError>,
    /// The warnings of the response.
    pub(super) warnings: Vec<String>,
}

impl Judge {
    pub(super) fn new(
        release: Release,
        zero_shares: bool,
        field_validation: FieldValidation,
        no_bootstrap: bool,
        strip: bool,
        old: Option<Old>,
        status_only: bool,
    ) -> Self {
        let objects = match no_bootstrap {
            true => Vec::new(),
            false => bootstrap::objects(release),
        };
        let existing = objects
            .iter()
            .map(|object| (object.kind, object.name))
            .collect();
        Self {
            release,
            zero_shares,
            field_validation,
            strip,
            existing,
            old,
            status_only,
        }
    }

    /// Validates a document.
    pub(super) fn judge(&self, document: &Document) -> Verdict {
        let version = document.version(self.release);
        if !version.is_served_by(self.release) {
            return Verdict::status(
                404,
                "NotFound",
                "the server could not find the requested resource".into(),
            );
        }
        let (mut kind, old);
        kind = document.kind();
        let existing: Vec<&str>;
        let operation = match &self.old {
            None => {
                existing = self.names(kind);
                Operation::Create {
                    existing: &existing,
                }
            }
            Some(known) => {
                let Some((old_kind, found)) = known.find(document, version, self.release) else {
                    return Verdict::not_found(kind, document.name());
                };
                (kind, old) = (old_kind, found);
                match self.status_only {
                    true => Operation::ReplaceStatus { old: &old },
                    false => Operation::Replace { old: &old },
                }
            }
        };
        let rules = Rules::from(VersionedKind::new(kind, version, self.release))
            .with_zero_limited_shares(self.zero_shares);
        let mut request = Request::new(rules, operation);
        request.field_validation = self.field_validation;
        // Objects are validated independently, so nothing is stored.
        request.dry_run = true;
        let (format, body) = document.body();
        let verdict = match self.strip.then(|| document.stripped()).flatten() {
            Some(value) => verdict::of_tree(&value, &request),
            None => verdict::of_text(body, format, &request),
        };
        let mut verdict = Verdict {
            status: verdict.failure.as_ref().map(|failure| failure.status()),
            causes: verdict
                .failure
                .and_then(|failure| failure.details)
                .map_or_else(Vec::new, |details| details.causes),
            body_error: verdict.body_error,
            warnings: verdict.warnings,
        };
        verdict.add_duplicates(document, kind, version, self.field_validation);
        verdict
    }

    fn names(&self, kind: Kind) -> Vec<&str> {
        let of_kind = self.existing.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, name)| *name).collect()
    }
}

/// Whether a document is in v1alpha1, which no known release serves or converts.
pub(super) fn is_alpha(document: &Document) -> bool {
    let version = document
        .api_version()
        .and_then(|version| version.strip_prefix(GROUP));
    version == Some("/v1alpha1")
}

impl Verdict {
    fn status(code: u16, reason: &str, message: String) -> Self {
        let status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            "details": {},
            "code": code,
        });
        Self {
            status: Some(status),
            causes: Vec::new(),
            body_error: None,
            warnings: Vec::new(),
        }
    }

    fn not_found(kind: Kind, name: Option<&str>) -> Self {
        let name = name.unwrap_or_default();
        let message = format!("{}.{GROUP} {name:?} not found", kind.plural());
        let mut verdict = Self::status(404, "NotFound", message);
        if let Some(status) = &mut verdict.status {
            status["details"] = json!({"name": name, "group": GROUP, "kind": kind.plural()});
        }
        verdict
    }

    /// The code of the Status, or 200 without one.
    pub(super) fn code(&self) -> u64 {
        self.status
            .as_ref()
            .and_then(|status| status["code"].as_u64())
            .unwrap_or(200)
    }

    /// The message of the Status.
    pub(super) fn message(&self) -> &str {
        self.status
            .as_ref()
            .and_then(|status| status["message"].as_str())
            .unwrap_or_default()
    }

    /// The reason of the Status, such as `BadRequest`.
    pub(super) fn reason(&self) -> &str {
        self.status
            .as_ref()
            .and_then(|status| status["reason"].as_str())
            .unwrap_or("InternalError")
    }

    /// Adds the error for duplicate keys to an item of a YAML list: its JSON no longer has them.
    fn add_duplicates(
        &mut self,
        document: &Document,
        kind: Kind,
        version: ApiVersion,
        field_validation: FieldValidation,
    ) {
        const STRICT: &str = "strict decoding error: ";
        let duplicates = document.duplicates();
        if duplicates.is_empty() || field_validation != FieldValidation::Strict {
            return;
        }
        let other = match &self.body_error {
            None => None,
            Some(error) => match error.cause.strip_prefix(STRICT) {
                Some(other) => Some(other.to_owned()),
                // Other decoding errors are reported alone.
                None => return,
            },
        };
        let lines: Vec<_> = duplicates
            .iter()
            .map(|problem| format!("  {}", problem.message))
            .collect();
        let mut cause = format!("{STRICT}yaml: unmarshal errors:\n{}", lines.join("\n"));
        if let Some(other) = other {
            cause = format!("{cause}, {other}");
        }
        let message =
            format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {cause}");
        let mut status = Self::status(400, "BadRequest", message).status;
        if let Some(Value::Object(status)) = &mut status {
            status.remove("details");
        }
        self.status = status;
        self.causes.clear();
    }
}

/// The objects before the update.
pub(super) struct Old {
    objects: Vec<OldObject>,
    /// Whether objects are found by kind and name; a single object is used for every input.
    by_name: bool,
}

struct OldObject {
    kind: Kind,
    name: String,
    version: ApiVersion,
    tree: Value,
}

impl Old {
    /// Reads the objects of a file.
    pub(super) fn read(
        file: &Path,
        release: Release,
        streams: &mut Streams,
    ) -> Result<Self, Failure> {
        let source = read(file, true)?;
        let name = source.name.clone();
        let mut objects = Vec::new();
        for document in &documents(source).documents {
            let object = document.object(release)?;
            object.warn(streams)?;
            objects.push(OldObject {
                kind: object.kind,
                name: object.name().to_owned(),
                version: object.version,
                tree: object.tree,
            });
        }
        if objects.is_empty() {
            return Err(Failure::input(format!(
                "{name} contains no flow-control object to update"
            )));
        }
        Ok(Self {
            by_name: objects.len() > 1,
            objects,
        })
    }

    /// The objects of a cluster.
    pub(super) fn live(objects: &Objects) -> Self {
        let schemas = objects
            .flow_schemas
            .iter()
            .map(|schema| OldObject::new(Kind::FlowSchema, schema));
        let levels = objects
            .levels
            .iter()
            .map(|level| OldObject::new(Kind::PriorityLevelConfiguration, level));
        Self {
            objects: schemas.chain(levels).collect(),
            by_name: true,
        }
    }

    /// The object that a document replaces, as the server returns it in a version.
    fn find(
        &self,
        document: &Document,
        version: ApiVersion,
        release: Release,
    ) -> Option<(Kind, Value)> {
        let old = self.objects.iter().find(|old| {
            !self.by_name
                || old.kind == document.kind() && Some(old.name.as_str()) == document.name()
        })?;
        let kind = VersionedKind::new(old.kind, old.version, release);
        let shown = conversion::server_tree(old.tree.clone(), kind, version);
        // A server validates against the object that it returns, even if fields are lost.
        Some((old.kind, convert::Lossy::parts(shown).0))
    }
}

impl OldObject {
    fn new<K: k8s_flowcontrol::kind::Versioned>(kind: Kind, object: &K) -> Self {
        Self {
            kind,
            name: object.name().to_owned(),
            version: ApiVersion::V1,
            tree: decode::tree_of(object),
        }
    }
}
