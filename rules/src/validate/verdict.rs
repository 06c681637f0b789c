//! The whole verdict of a server on a request that creates or replaces an object.
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

use super::{Rules, create, dedup_owner_references, generated_name, update, update_status};
use crate::decode::{BodyError, FieldValidation, Format, Object, read_body};
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::json;
use serde_json::Value;

pub use super::status::{Details, Failure};

/// What a request wants.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// POST.
    Create {
        /// Names of objects that are there already.
        existing: &'a [&'a str],
    },
    /// PUT of an object.
    Replace {
        /// The object that is replaced, in the version of the rules. Its name is the one in the path.
        old: &'a Value,
    },
    /// PUT of `status`.
    ReplaceStatus {
        /// The object whose status is replaced, in the version of the rules.
        old: &'a Value,
    },
}

/// A request, apart from its body.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The rules for the kind and the version that the path names.
    pub rules: Rules,
    /// What it wants.
    pub operation: Operation<'a>,
    /// What happens to unknown and duplicate fields.
    pub field_validation: FieldValidation,
    /// Whether nothing is to be stored: then `resourceVersion` is no error on create.
    pub dry_run: bool,
}

impl<'a> Request<'a> {
    /// A request with the server's default field validation, and not a dry run.
    pub fn new(rules: impl Into<Rules>, operation: Operation<'a>) -> Self {
        Self {
            rules: rules.into(),
            operation,
            field_validation: FieldValidation::default(),
            dry_run: false,
        }
    }
}

/// What a server answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// The failure; nothing when the server accepts.
    pub failure: Option<Failure>,
    /// The HTTP status code: 201, 200, or that of the failure.
    pub code: u16,
    /// What is said in `Warning` headers: unknown and duplicate fields, duplicate owner references.
    pub warnings: Vec<String>,
    /// The decoded object, before defaults; nothing when the body does not decode.
    pub object: Option<Value>,
    /// Why the body does not decode, with the place in the text.
    pub body_error: Option<BodyError>,
}

/// How many bytes the body of a request may have.
const MAX_BODY: usize = 3 << 20;

/// The verdict on a body.
pub fn of_text(body: &[u8], format: Format, request: &Request<'_>) -> Verdict {
    if body.len() > MAX_BODY {
        return Verdict::refused(Failure::too_large(MAX_BODY), None);
    }
    match read_body(body, format, request.rules.kind(), request.field_validation) {
        Ok(Object {
            mut value,
            mut warnings,
        }) => {
            warnings.extend(dedup_owner_references(&mut value));
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
        Err(error) => Verdict::refused(Failure::bad_request(error.message.clone()), Some(error)),
    }
}

impl Verdict {
    /// The verdict on what does not decode.
    fn refused(failure: Failure, body_error: Option<BodyError>) -> Self {
        Self {
            code: failure.code,
            failure: Some(failure),
            warnings: Vec::new(),
            object: None,
            body_error,
        }
    }
}

/// The verdict on a tree, which is sent as JSON.
pub fn of_tree(object: &Value, request: &Request<'_>) -> Verdict {
    of_text(object.to_string().as_bytes(), Format::Json, request)
}

/// The verdict on a typed object, which is sent as JSON.
pub fn of_typed<K: Resource>(object: &K, request: &Request<'_>) -> Verdict {
    of_text(json::to_string(object).as_bytes(), Format::Json, request)
}

/// What fails after a body was decoded.
fn judge(object: &Value, request: &Request<'_>) -> Option<Failure> {
    let rules = request.rules;
    let kind = rules.kind().kind;
    let metadata = |name: &str| object["metadata"][name].as_str().unwrap_or_default();
    let invalid = |name: &str, causes: Vec<_>| {
        (!causes.is_empty()).then(|| Failure::invalid(kind, name, causes))
    };
    match request.operation {
        Operation::Create { existing } => {
            let (mut name, base) = (metadata("name").to_owned(), metadata("generateName"));
            if name.is_empty() && !base.is_empty() {
                name = generated_name(base);
            }
            let has_version = metadata("resourceVersion")
                .parse::<u64>()
                .is_ok_and(|v| v != 0);
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
        Operation::Replace { old } => check_name(old, object)
            .or_else(|| check_versions(old, object, request))
            .or_else(|| invalid(metadata("name"), update(old, object, rules))),
        Operation::ReplaceStatus { old } => check_name(old, object)
            .or_else(|| check_versions(old, object, request))
            .or_else(|| {
                invalid(
                    metadata("name"),
                    update_status(old, object, rules.kind().release),
                )
            }),
    }
}

/// The name in the body is the one in the path.
fn check_name(old: &Value, new: &Value) -> Option<Failure> {
    let name = |object: &Value| {
        object["metadata"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let (url, name) = (name(old), name(new));
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

/// The UID and the resource version in the body are those of the object that is there, or absent.
fn check_versions(old: &Value, new: &Value, request: &Request<'_>) -> Option<Failure> {
    let text = |object: &Value, name: &str| {
        object["metadata"][name]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let (kind, name) = (request.rules.kind().kind, text(old, "name"));
    let (uid, wanted_uid) = (text(old, "uid"), text(new, "uid"));
    if !wanted_uid.is_empty() && wanted_uid != uid {
        let prefix = if request.dry_run { "" } else { "/registry" };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {prefix}/{}/{name}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {wanted_uid}, UID in object \
             meta: {uid}",
            kind.plural(),
        );
        return Some(Failure::conflict(kind, &name, &why));
    }
    let wanted = text(new, "resourceVersion");
    match wanted.parse::<u64>() {
        // Nothing, or zero, means whatever version is there.
        _ if wanted.is_empty() => None,
        Ok(0) => None,
        Ok(_) if wanted == text(old, "resourceVersion") => None,
        Ok(_) => {
            let why = "the object has been modified; please apply your changes to the latest version \
                       and try again";
            Some(Failure::conflict(kind, &name, why))
        }
        Err(_) => {
            let is_number = wanted.bytes().all(|byte| byte.is_ascii_digit());
            let why = if is_number {
                "value out of range"
            } else {
                "invalid syntax"
            };
            let wanted = k8s_flowcontrol_text::go::quote(&wanted);
            Some(Failure::internal(format!(
                "strconv.ParseUint: parsing {wanted}: {why}"
            )))
        }
    }
}
