//! Google Cloud Logging, where GKE writes its audit log: as entries of Cloud Audit Logs, not as events of Kubernetes.
//!
//! Sources: the reference of Cloud Logging, `LogEntry` (`protoPayload`, `timestamp`, `labels`, `operation`, `insertId`) and `AuditLog`
//! (`serviceName`, `methodName`, `resourceName`, `authenticationInfo.principalEmail`, `requestMetadata.callerIp` and
//! `callerSuppliedUserAgent`, `status` of `google.rpc.Status`); GKE, "About GKE audit logs" (`methodName` is
//! `io.k8s.GROUP.VERSION.RESOURCE.VERB`, `resourceName` is `GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME`, `operation.id` is the audit
//! ID); `google/rpc/code.proto` (the HTTP status code of each code).

use super::content::Content;
use super::record::Record;
use crate::evidence::audit::parse::text as string;
use k8s_flowcontrol_rules::matching::{NODE_PREFIX, NODES, User};
use k8s_flowcontrol_types::json::{Fault, Reader};
use serde_json::json;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &[
    "insertId",
    "labels",
    "operation",
    "protoPayload",
    "timestamp",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    let payload = Payload::read(record.json("protoPayload")?).unwrap_or_default();
    // Entries of other services, such as the management of clusters.
    if !payload.method.starts_with("io.k8s.") && payload.service != "k8s.io" {
        return Some(Content::Nothing);
    }
    let found = record.json("operation").map(operation);
    let found = found.and_then(Result::ok);
    let (id, stage) = found.unwrap_or((Cow::default(), COMPLETE));
    let id = match id.as_ref() {
        "" => record.text("insertId").unwrap_or_default(),
        id => id,
    };
    let verb = payload.method.rsplit('.').next().unwrap_or_default();
    let object = Object::parse(&payload.resource, &payload.method);
    let user = payload.principal.as_ref();
    // The groups that follow from the name.
    let groups = match user.starts_with(NODE_PREFIX) {
        true => User::authenticated(user, [NODES]).groups,
        false => User::named(user).groups,
    };
    let mut event = json!({
        "auditID": id,
        "stage": stage,
        "verb": verb,
        "requestURI": object.uri(),
        "user": {"username": user, "groups": groups},
        "userAgent": payload.agent,
        "responseStatus": {"code": http_code(payload.code), "message": payload.message},
        "requestReceivedTimestamp": record.text("timestamp").unwrap_or_default(),
    });
    if !payload.address.is_empty() {
        event["sourceIPs"] = json!([payload.address]);
    }
    if !object.resource.is_empty() {
        event["objectRef"] = json!({
            "apiGroup": object.group,
            "apiVersion": object.version,
            "resource": object.resource,
            "subresource": object.subresource,
            "namespace": object.namespace,
            "name": object.name,
        });
    }
    if let Some(labels) = record.json("labels") {
        event["annotations"] = serde_json::from_str(labels).unwrap_or_default();
    }
    Some(Content::Event(event.to_string()))
}

/// The fields of an AuditLog.
#[derive(Default)]
struct Payload<'a> {
    service: Cow<'a, str>,
    method: Cow<'a, str>,
    resource: Cow<'a, str>,
    principal: Cow<'a, str>,
    address: Cow<'a, str>,
    agent: Cow<'a, str>,
    code: i64,
    message: Cow<'a, str>,
}

impl<'a> Payload<'a> {
    fn read(text: &'a str) -> Result<Self, Fault> {
        let mut payload = Self::default();
        Reader::new(text).fields(&"a payload", &mut |name, reader| match name.as_ref() {
            "serviceName" => string(reader, &mut payload.service),
            "methodName" => string(reader, &mut payload.method),
            "resourceName" => string(reader, &mut payload.resource),
            "authenticationInfo" => one(reader, "principalEmail", &mut payload.principal),
            "requestMetadata" => {
                reader.fields(&"metadata", &mut |name, reader| match name.as_ref() {
                    "callerIp" => string(reader, &mut payload.address),
                    "callerSuppliedUserAgent" => string(reader, &mut payload.agent),
                    _ => reader.skip(),
                })
            }
            "status" => reader.fields(&"a status", &mut |name, reader| match name.as_ref() {
                "code" => match reader.integer() {
                    Some(code) => {
                        payload.code = code;
                        Ok(())
                    }
                    None => reader.skip(),
                },
                "message" => string(reader, &mut payload.message),
                _ => reader.skip(),
            }),
            _ => reader.skip(),
        })?;
        Ok(payload)
    }
}

/// The id of the operation that an entry belongs to, which is a request, and the stage of the entry.
fn operation(text: &str) -> Result<(Cow<'_, str>, &'static str), Fault> {
    let (mut id, mut first, mut last) = (Cow::default(), false, false);
    Reader::new(text).fields(&"an operation", &mut |name, reader| {
        match name.as_ref() {
            "id" => string(reader, &mut id)?,
            "first" => first = reader.bool()?,
            "last" => last = reader.bool()?,
            _ => reader.skip()?,
        }
        Ok(())
    })?;
    let is_unfinished = first && !last;
    let stage = if is_unfinished {
        "ResponseStarted"
    } else {
        COMPLETE
    };
    Ok((id, stage))
}

const COMPLETE: &str = "ResponseComplete";

/// The object of a request, or the path of a request without an object.
#[derive(Default)]
struct Object<'a> {
    path: &'a str,
    group: &'a str,
    version: &'a str,
    namespace: &'a str,
    resource: &'a str,
    name: &'a str,
    subresource: &'a str,
}

impl<'a> Object<'a> {
    fn parse(path: &'a str, method: &str) -> Self {
        let mut object = Self {
            path,
            ..Self::default()
        };
        // `io.k8s.get` and the like are requests without an object.
        if method.split('.').count() < 6 {
            return object;
        }
        let mut parts = path.splitn(3, '/');
        let (Some(group), Some(version), Some(rest)) = (parts.next(), parts.next(), parts.next())
        else {
            return object;
        };
        object.group = if group == "core" { "" } else { group };
        object.version = version;
        let mut parts = rest.splitn(4, '/');
        let mut next = || parts.next().unwrap_or_default();
        let (first, second, third) = (next(), next(), next());
        // The subresources of a namespace are below its name, where other objects have their resource.
        if first == "namespaces" && !matches!(third, "" | "finalize" | "status") {
            let (name, subresource) = match next() {
                "" => ("", ""),
                rest => rest.split_once('/').unwrap_or((rest, "")),
            };
            (object.namespace, object.resource) = (second, third);
            (object.name, object.subresource) = (name, subresource);
        } else {
            (object.resource, object.name, object.subresource) = (first, second, third);
            if first == "namespaces" {
                object.namespace = second;
            }
        }
        object
    }

    /// The path of the request. The query is not recorded.
    fn uri(&self) -> String {
        let path = self.path;
        match (self.resource, path.strip_prefix("core/")) {
            ("", _) => format!("/{}", path.trim_start_matches('/')),
            (_, Some(core)) => format!("/api/{core}"),
            (_, None) => format!("/apis/{path}"),
        }
    }
}

/// The HTTP status code of a code of `google.rpc`. A number that is an HTTP status code already stays.
fn http_code(code: i64) -> i64 {
    match code {
        0 => 200,
        1 => 499,
        3 | 9 | 11 => 400,
        4 => 504,
        5 => 404,
        6 | 10 => 409,
        7 => 403,
        8 => 429,
        12 => 501,
        14 => 503,
        16 => 401,
        100..=599 => code,
        _ => 500,
    }
}

/// One field of an object.
fn one<'a>(reader: &mut Reader<'a>, field: &str, value: &mut Cow<'a, str>) -> Result<(), Fault> {
    reader.fields(&"an object", &mut |name, reader| match name == field {
        true => string(reader, value),
        false => reader.skip(),
    })
}
