//! The server's verdict on a request that creates or replaces an object.
//!
//! ```
//! use k8s_flowcontrol_rules::decode::Format;
//! use k8s_flowcontrol_rules::validate::verdict;
//! use k8s_flowcontrol_rules::validate::verdict::{Operation, Request};
//! use k8s_flowcontrol_types::kind::VersionedKind;
//! use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
//!
//! let kind = VersionedKind::new(Kind::FlowSchema, ApiVersion::V1, Release::NEWEST);
//! let request = Request::new(kind, Operation::Create { existing: &["exempt"] });
//! let failure = verdict::of_text(b"{}", Format::Json, &request).failure.unwrap();
//! assert_eq!(failure.code, 422);
//! assert_eq!(
//!     failure.message,
//!     "FlowSchema.flowcontrol.apiserver.k8s.io \"\" is invalid: \
//!      [metadata.name: Required value: name or generateName is required, \
//!      spec.priorityLevelConfiguration.name: Required value: must reference a priority level]",
//! );
//! ```

use super::owner_references::dedup_owner_references;
use super::{Rules, create, generated_name, update, update_status};
use crate::decode::{BodyError, FieldValidation, Format, Object, read_body};
use k8s_flowcontrol_text::go::parse_uint;
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::json;
use serde_json::Value;

pub use super::status::{Details, Failure};

/// The operation of a request.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Operation<'a> {
    /// POST.
    Create {
        /// The names of the existing objects.
        existing: &'a [&'a str],
    },
    /// PUT of an object.
    Replace {
        /// The existing object, in the version of the rules. The request's path has its name.
        old: &'a Value,
    },
    /// PUT of `status`.
    ReplaceStatus {
        /// The existing object, in the version of the rules.
        old: &'a Value,
    },
}

/// A request without its body.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The rules for the kind and version in the request's path.
    pub rules: Rules,
    /// The operation.
    pub operation: Operation<'a>,
    /// The treatment of unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// Whether the request is a dry run, in which `resourceVersion` is no error on create.
    pub dry_run: bool,
}

impl<'a> Request<'a> {
    /// Creates a request with the default field validation that is not a dry run.
    pub fn new(rules: impl Into<Rules>, operation: Operation<'a>) -> Self {
        Self {
            rules: rules.into(),
            operation,
            field_validation: FieldValidation::default(),
            dry_run: false,
        }
    }
}

/// A server's response.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The failure; `None` if the server accepts the request.
    pub failure: Option<Failure>,
    /// The HTTP status code: 201, 200, or the failure's code.
    pub code: u16,
    /// The texts of the `Warning` headers: unknown and duplicate fields, duplicate owner references.
    pub warnings: Vec<String>,
    /// The decoded object, before defaults; `None` if the body does not decode.
    pub object: Option<Value>,
    /// The decoding error, with its position in the text.
    pub body_error: Option<BodyError>,
}

/// Maximum length of a request body in bytes.
const MAX_BODY: usize = 3 << 20;

/// Returns the verdict on a body.
///
/// In a version that the release does not serve, the path of the request does not exist: 404.
///
/// ```
/// use k8s_flowcontrol_rules::decode::Format;
/// use k8s_flowcontrol_rules::validate::verdict::{Operation, Request, of_text};
/// use k8s_flowcontrol_types::kind::VersionedKind;
/// use k8s_flowcontrol_types::{ApiVersion, Kind, Release};
///
/// let body = b"metadata: {name: a}\nspec: {priorityLevelConfiguration: {name: exempt}}";
/// let code = |version, minor| {
///     let kind = VersionedKind::new(Kind::FlowSchema, version, Release::new(minor).unwrap());
///     of_text(body, Format::Yaml, &Request::new(kind, Operation::Create { existing: &[] })).code
/// };
/// assert_eq!(code(ApiVersion::V1, 31), 201);
/// assert_eq!(code(ApiVersion::V1Beta2, 31), 404);
/// ```
pub fn of_text(body: &[u8], format: Format, request: &Request<'_>) -> Verdict {
    let kind = request.rules.kind();
    if !kind.version.is_served_by(kind.release) {
        return Verdict::failed(Failure::not_served());
    }
    if body.len() > MAX_BODY {
        return Verdict::failed(Failure::too_large(MAX_BODY));
    }
    match read_body(body, format, request.rules.kind(), request.field_validation) {
        Ok(Object {
            mut value,
            mut warnings,
        }) => {
            warnings.extend(dedup_owner_references(&mut value, false));
            let failure = judge(&value, request);
            let success = match request.operation {
                Operation::Create { .. } => 201,
                Operation::Replace { .. } | Operation::ReplaceStatus { .. } => 200,
            };
            Verdict {
                code: failure.as_ref().map_or(success, |failure| failure.code),
                failure,
                warnings,
                object: Some(value),
                body_error: None,
            }
        }
        Err(error) => {
            let mut verdict = Verdict::failed(Failure::bad_request(error.message.clone()));
            verdict.body_error = Some(error);
            verdict
        }
    }
}

impl Verdict {
    /// The verdict on a request that fails before its body is an object.
    pub fn failed(failure: Failure) -> Self {
        Self {
            code: failure.code,
            failure: Some(failure),
            warnings: Vec::new(),
            object: None,
            body_error: None,
        }
    }
}

/// Returns the verdict on a tree, which is sent as JSON.
pub fn of_tree(object: &Value, request: &Request<'_>) -> Verdict {
    of_text(object.to_string().as_bytes(), Format::Json, request)
}

/// Returns the verdict on a typed object, which is sent as JSON.
pub fn of_typed<K: Resource>(object: &K, request: &Request<'_>) -> Verdict {
    of_text(json::to_string(object).as_bytes(), Format::Json, request)
}

/// The failure of a decoded object, if any.
fn judge(object: &Value, request: &Request<'_>) -> Option<Failure> {
    let rules = request.rules;
    let kind = rules.kind().kind;
    let metadata = |name: &str| metadata(object, name);
    let invalid = |name: &str, causes: Vec<_>| {
        (!causes.is_empty()).then(|| Failure::invalid(kind, name, causes))
    };
    match request.operation {
        Operation::Create { existing } => {
            let (mut name, base) = (metadata("name").to_owned(), metadata("generateName"));
            if name.is_empty() && !base.is_empty() {
                name = generated_name(base);
            }
            let has_version =
                parse_uint(metadata("resourceVersion")).is_ok_and(|version| version != 0);
            invalid(&name, create(object, rules))
                .or_else(|| {
                    (has_version && !request.dry_run).then(|| {
                        let message = "resourceVersion should not be set on objects to be created";
                        Failure::internal(message.into())
                    })
                })
                .or_else(|| {
                    existing
                        .contains(&name.as_str())
                        .then(|| Failure::already_exists(kind, &name))
                })
        }
        Operation::Replace { old } => check_identity(old, object, request)
            .or_else(|| invalid(metadata("name"), update(old, object, rules))),
        Operation::ReplaceStatus { old } => check_identity(old, object, request).or_else(|| {
            let causes = update_status(old, object, rules.kind().release);
            invalid(metadata("name"), causes)
        }),
    }
}

fn metadata<'a>(object: &'a Value, name: &str) -> &'a str {
    object["metadata"][name].as_str().unwrap_or_default()
}

fn check_identity(old: &Value, new: &Value, request: &Request<'_>) -> Option<Failure> {
    check_name(old, new).or_else(|| check_versions(old, new, request))
}

/// The name in the body must be the one in the path.
fn check_name(old: &Value, new: &Value) -> Option<Failure> {
    let (url, name) = (metadata(old, "name"), metadata(new, "name"));
    let message = if name.is_empty() {
        format!(
            "the name of the object ({url} based on URL) was undeterminable: name must be provided"
        )
    } else if name != url {
        format!("the name of the object ({name}) does not match the name on the URL ({url})")
    } else {
        return None;
    };
    Some(Failure::bad_request(message))
}

/// The UID and the resource version in the body must be absent or equal the values of the existing object.
fn check_versions(old: &Value, new: &Value, request: &Request<'_>) -> Option<Failure> {
    let (kind, name) = (request.rules.kind().kind, metadata(old, "name"));
    let (uid, wanted_uid) = (metadata(old, "uid"), metadata(new, "uid"));
    if !wanted_uid.is_empty() && wanted_uid != uid {
        let prefix = if request.dry_run { "" } else { "/registry" };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {prefix}/{}/{name}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted_uid}, UID in object \
             meta: {uid}",
            kind.plural(),
        );
        return Some(Failure::conflict(kind, name, &why));
    }
    let wanted = metadata(new, "resourceVersion");
    if wanted.is_empty() {
        return None;
    }
    match parse_uint(wanted) {
        // Zero matches every version.
        Ok(0) => None,
        Ok(version) if parse_uint(metadata(old, "resourceVersion")) == Ok(version) => None,
        Ok(_) => {
            let why = "the object has been modified; please apply your changes to the latest version \
                       and try again";
            Some(Failure::conflict(kind, name, why))
        }
        Err(message) => Some(Failure::internal(message)),
    }
}
