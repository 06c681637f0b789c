//! The response of a server to the objects of manifests.

use crate::documents::{Document, Object};
use k8s_flowcontrol_rules::validate::Rules;
use k8s_flowcontrol_rules::validate::verdict::{self, Failure, Operation, Request, Verdict};
use k8s_flowcontrol_rules::{bootstrap, conversion, decode::FieldValidation};
use k8s_flowcontrol_types::convert::Lossy;
use k8s_flowcontrol_types::kind::VersionedKind;
use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
use serde_json::Value;

/// Validates documents as a server of one release does, each by itself, as with `--dry-run=server`.
///
/// ```
/// use k8s_flowcontrol_manifests::{Validator, read};
/// use k8s_flowcontrol_types::Release;
///
/// let text = "\
/// apiVersion: flowcontrol.apiserver.k8s.io/v1beta2
/// kind: FlowSchema
/// metadata: {name: batch}
/// spec: {priorityLevelConfiguration: {name: workload-low}}
/// ";
/// let found = read(text.as_bytes());
/// let code = |release: Release| Validator::new(release).verdict(&found.documents[0]).code;
/// assert_eq!(code(Release::new(28).unwrap()), 201);
/// // Kubernetes 1.31 does not serve v1beta2.
/// assert_eq!(code(Release::new(31).unwrap()), 404);
/// ```
#[derive(Clone, Debug)]
pub struct Validator {
    release: Release,
    zero_limited_shares: bool,
    field_validation: FieldValidation,
    strips_server_fields: bool,
    existing: Vec<(Kind, &'static str)>,
    old: Option<Vec<Object>>,
    is_status: bool,
}

impl Validator {
    /// Validates the creation of objects with strict field validation, where only the built-in objects exist.
    pub fn new(release: Release) -> Self {
        let objects = bootstrap::objects(release);
        Self {
            release,
            zero_limited_shares: false,
            field_validation: FieldValidation::Strict,
            strips_server_fields: false,
            existing: objects
                .iter()
                .map(|object| (object.kind, object.name))
                .collect(),
            old: None,
            is_status: false,
        }
    }

    /// Sets the treatment of unknown and duplicate fields.
    #[must_use]
    pub fn field_validation(mut self, field_validation: FieldValidation) -> Self {
        self.field_validation = field_validation;
        self
    }

    /// Sets the feature gate `ZeroLimitedNominalConcurrencyShares`, which only 1.29 has. Defaults to false.
    #[must_use]
    pub fn zero_limited_shares(mut self, is_on: bool) -> Self {
        self.zero_limited_shares = is_on;
        self
    }

    /// Assumes that the built-in objects do not exist.
    #[must_use]
    pub fn without_built_in_objects(mut self) -> Self {
        self.existing.clear();
        self
    }

    /// Removes the fields that servers fill in before the validation, see [`strip_server_fields`](crate::strip_server_fields).
    #[must_use]
    pub fn strip_server_fields(mut self) -> Self {
        self.strips_server_fields = true;
        self
    }

    /// Validates updates of these objects, which are found by kind and name. A single object is the old object of every document.
    #[must_use]
    pub fn update_of(mut self, old: Vec<Object>) -> Self {
        self.old = Some(old);
        self
    }

    /// Validates updates of the subresource `status`. Without old objects it has no effect.
    #[must_use]
    pub fn status(mut self) -> Self {
        self.is_status = true;
        self
    }

    /// The response to a document. A document without a version is sent in the preferred version of the release.
    ///
    /// In a version that the release does not serve it is 404, without regard to the document; [`Document::decode`] has the errors of its text.
    pub fn verdict(&self, document: &Document) -> Verdict {
        let version = document.version(self.release);
        let mut kind = document.kind();
        let existing = self.names(kind);
        let mut old = Value::Null;
        if let Some(known) = &self.old {
            match find(known, document) {
                Some(found) => {
                    kind = found.kind;
                    old = self.returned(found, version);
                }
                None if version.is_served_by(self.release) => {
                    let name = document.name().unwrap_or_default();
                    return Verdict::failed(Failure::not_found(kind, name));
                }
                None => {}
            }
        }
        let operation = match (self.old.is_some(), self.is_status) {
            (false, _) => Operation::Create {
                existing: &existing,
            },
            (true, true) => Operation::ReplaceStatus { old: &old },
            (true, false) => Operation::Replace { old: &old },
        };
        let rules = Rules::from(VersionedKind::new(kind, version, self.release))
            .with_zero_limited_shares(self.zero_limited_shares);
        let mut request = Request::new(rules, operation);
        request.field_validation = self.field_validation;
        // Objects are validated independently, so nothing is stored.
        request.dry_run = true;
        let (format, body) = document.body();
        let stripped = self
            .strips_server_fields
            .then(|| document.stripped())
            .flatten();
        let verdict = match stripped {
            Some(value) => verdict::of_tree(&value, &request),
            None => verdict::of_text(body, format, &request),
        };
        self.with_duplicates(verdict, document, kind, version)
    }

    fn names(&self, kind: Kind) -> Vec<&str> {
        let of_kind = self.existing.iter().filter(|(of, _)| *of == kind);
        of_kind.map(|(_, name)| *name).collect()
    }

    /// An object as the server returns it in a version. A server validates against it even if fields are lost.
    fn returned(&self, object: &Object, version: ApiVersion) -> Value {
        let kind = VersionedKind::new(object.kind, object.version, self.release);
        Lossy::parts(conversion::server_tree(object.tree.clone(), kind, version)).0
    }

    /// Adds the error for duplicate keys of an item of a YAML list, whose JSON no longer has them.
    fn with_duplicates(
        &self,
        verdict: Verdict,
        document: &Document,
        kind: Kind,
        version: ApiVersion,
    ) -> Verdict {
        const STRICT: &str = "strict decoding error: ";
        let duplicates = document.duplicates();
        let is_strict = self.field_validation == FieldValidation::Strict;
        if duplicates.is_empty() || !is_strict || verdict.code == 404 {
            return verdict;
        }
        let other = match &verdict.body_error {
            None => String::new(),
            Some(error) => match error.cause.strip_prefix(STRICT) {
                Some(other) => format!(", {other}"),
                // Other decoding errors are reported alone.
                None => return verdict,
            },
        };
        let lines = duplicates
            .iter()
            .map(|problem| format!("  {}", problem.message));
        let lines = lines.collect::<Vec<_>>().join("\n");
        let message = format!(
            "{kind} in version \"{version}\" cannot be handled as a {kind}: {STRICT}yaml: unmarshal errors:\n{lines}{other}"
        );
        let mut failed = Verdict::failed(Failure::bad_request(message));
        failed.body_error = verdict.body_error;
        failed.warnings = verdict.warnings;
        failed
    }
}

fn find<'a>(old: &'a [Object], document: &Document) -> Option<&'a Object> {
    match old {
        [only] => Some(only),
        old => old.iter().find(|old| {
            old.kind == document.kind()
                && document
                    .name()
                    .is_some_and(|name| old.tree["metadata"]["name"] == name)
        }),
    }
}
