//! `Status` objects with the messages of a Kubernetes API server.

use k8s_flowcontrol_text::go::quote;
use serde::Serialize;
use std::collections::HashSet;

/// A `Status` with its fields in Go's order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Status {
    kind: &'static str,
    #[serde(rename = "apiVersion")]
    api_version: &'static str,
    metadata: StatusMeta,
    status: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Details>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<u16>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct StatusMeta {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

/// The details of a `Status`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Details {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) uid: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) causes: Vec<Cause>,
    #[serde(rename = "retryAfterSeconds", skip_serializing_if = "Option::is_none")]
    pub(crate) retry_after_seconds: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Cause {
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) field: String,
}

impl Cause {
    pub(crate) fn new(
        reason: &'static str,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            reason,
            message: message.into(),
            field: field.into(),
        }
    }

    /// An invalid value; `shown` is its form in the message.
    pub(crate) fn invalid(field: impl Into<String>, shown: &str, detail: &str) -> Self {
        Self::new(
            "FieldValueInvalid",
            field,
            format!("Invalid value: {shown}: {detail}"),
        )
    }

    pub(crate) fn forbidden(field: impl Into<String>, detail: &str) -> Self {
        Self::new("FieldValueForbidden", field, format!("Forbidden: {detail}"))
    }

    pub(crate) fn required(field: impl Into<String>, detail: &str) -> Self {
        Self::new(
            "FieldValueRequired",
            field,
            format!("Required value: {detail}"),
        )
    }

    /// A value outside a list; `supported` has the quoted values in order.
    pub(crate) fn unsupported(field: impl Into<String>, shown: &str, supported: &str) -> Self {
        let message = format!("Unsupported value: {shown}: supported values: {supported}");
        Self::new("FieldValueNotSupported", field, message)
    }
}

/// The response to a failed request.
pub(crate) type Failure = Box<Status>;

impl Status {
    /// The response to a finished deletion.
    pub(crate) fn success(details: Details) -> Self {
        Self {
            status: "Success",
            details: Some(details),
            code: None,
            ..*failure(200, "", String::new())
        }
    }

    /// The HTTP status code.
    pub(crate) fn code(&self) -> u16 {
        self.code.unwrap_or(200)
    }

    pub(crate) fn retry_after_seconds(&self) -> Option<u32> {
        self.details.as_ref()?.retry_after_seconds
    }

    pub(crate) fn with_details(mut self: Box<Self>, details: Details) -> Failure {
        self.details = Some(details);
        self
    }

    fn with_continue(mut self: Box<Self>, token: String) -> Failure {
        self.metadata.token = Some(token);
        self
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

/// A failure with its HTTP status code. An empty reason is left out.
pub(crate) fn failure(code: u16, reason: &'static str, message: impl Into<String>) -> Failure {
    Box::new(Status {
        kind: "Status",
        api_version: "v1",
        metadata: StatusMeta::default(),
        status: "Failure",
        message: message.into(),
        reason,
        details: None,
        code: Some(code),
    })
}

pub(crate) fn bad_request(message: impl Into<String>) -> Failure {
    failure(400, "BadRequest", message)
}

/// A Go error that the server does not translate.
pub(crate) fn internal(message: impl Into<String>) -> Failure {
    failure(500, "", message)
}

pub(crate) fn unknown_resource() -> Failure {
    let message = "the server could not find the requested resource";
    failure(404, "NotFound", message).with_details(Details::default())
}

pub(crate) fn method_not_allowed() -> Failure {
    let message = "the server does not allow this method on the requested resource";
    failure(405, "MethodNotAllowed", message).with_details(Details::default())
}

pub(crate) fn too_large(message: &str) -> Failure {
    failure(
        413,
        "RequestEntityTooLarge",
        format!("Request entity too large: {message}"),
    )
}

/// Text in which nothing looks like HTML.
pub(crate) fn without_html(text: &str) -> String {
    let text = text.replace('&', "&amp;");
    text.replace('<', "&lt;").replace('>', "&gt;")
}

pub(crate) fn expired(message: impl Into<String>) -> Failure {
    failure(410, "Expired", message)
}

/// An expired `continue` token, with a token that continues a newer list.
pub(crate) fn expired_continue(token: String) -> Failure {
    expired(
        "The provided continue parameter is too old to display a consistent list result. You can \
         start a new list without the continue parameter, or use the continue token in this response \
         to retrieve the remainder of the results. Continuing with the provided token results in an \
         inconsistent list - objects that were created, modified, or deleted between the time the \
         first chunk was returned and now may show up in the list.",
    )
    .with_continue(token)
}

pub(crate) fn future_version(asked: u64, current: u64) -> Failure {
    let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
    failure(504, "Timeout", message).with_details(Details {
        causes: vec![Cause::new(
            "ResourceVersionTooLarge",
            "",
            "Too large resource version",
        )],
        retry_after_seconds: Some(1),
        ..Details::default()
    })
}

/// A 422 with its causes; `kind` and `group` name the invalid object.
pub(crate) fn invalid(kind: &str, group: &str, name: &str, causes: Vec<Cause>) -> Failure {
    let mut seen = HashSet::new();
    let texts: Vec<String> = causes
        .iter()
        .map(|cause| format!("{}: {}", cause.field, cause.message))
        .filter(|text| seen.insert(text.clone()))
        .collect();
    let errors = match &texts[..] {
        [one] => one.clone(),
        many => format!("[{}]", many.join(", ")),
    };
    let qualified = if group.is_empty() {
        kind.to_owned()
    } else {
        format!("{kind}.{group}")
    };
    failure(
        422,
        "Invalid",
        format!("{qualified} {} is invalid: {errors}", quote(name)),
    )
    .with_details(Details {
        name: name.into(),
        group: group.into(),
        kind: kind.into(),
        causes,
        ..Details::default()
    })
}

/// The names of an object in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    pub(crate) resource: &'a str,
    pub(crate) group: &'a str,
    pub(crate) name: &'a str,
}

impl Subject<'_> {
    fn details(&self) -> Details {
        Details {
            name: self.name.into(),
            group: self.group.into(),
            kind: self.resource.into(),
            ..Details::default()
        }
    }

    fn quoted(&self) -> String {
        format!("{}.{} {}", self.resource, self.group, quote(self.name))
    }

    pub(crate) fn not_found(&self) -> Failure {
        failure(404, "NotFound", format!("{} not found", self.quoted()))
            .with_details(self.details())
    }

    /// The conflict of a new object with the same name; a server takes every name beside a `generateName` for one that it generated.
    pub(crate) fn already_exists(&self, terminating: bool, generated: bool) -> Failure {
        let prefix = match terminating {
            true => "object is being deleted: ",
            false => "",
        };
        let rest = match generated {
            true => ", the server was not able to generate a unique name for the object",
            false => "",
        };
        let message = format!("{prefix}{} already exists{rest}", self.quoted());
        failure(409, "AlreadyExists", message).with_details(Details {
            retry_after_seconds: generated.then_some(1),
            ..self.details()
        })
    }

    pub(crate) fn conflict(&self, why: &str) -> Failure {
        let message = format!("Operation cannot be fulfilled on {}: {why}", self.quoted());
        failure(409, "Conflict", message).with_details(self.details())
    }

    /// The conflict of an object that changed since it was read.
    pub(crate) fn modified(&self) -> Failure {
        self.conflict(
            "the object has been modified; please apply your changes to the latest version and try \
             again",
        )
    }
}
