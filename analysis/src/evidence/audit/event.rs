//! An event of an audit log.

use crate::evidence::go_duration;
use jiff::Timestamp;
use k8s_flowcontrol_rules::matching::{RequestAttributes, User, decode_percent};
use k8s_flowcontrol_types::__named as named;
use std::borrow::Cow;
use std::time::Duration;

/// An event. Texts are empty where the event lacks them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The id that all events about a request share. A client may choose it.
    pub audit_id: Cow<'a, str>,
    /// The stage of the request.
    pub stage: Stage,
    /// The level of the audit policy.
    pub level: Level,
    /// The path and query, as the client sent them.
    pub request_uri: Cow<'a, str>,
    /// The verb, as in [`RequestAttributes`].
    pub verb: Cow<'a, str>,
    /// The authenticated user.
    pub user: UserInfo<'a>,
    /// The user on whose behalf the request acted, once the server permitted that.
    pub impersonated_user: Option<UserInfo<'a>>,
    /// The header `User-Agent`.
    pub user_agent: Cow<'a, str>,
    /// The addresses of the client and of the proxies between it and the server, the client first. A client can add addresses in
    /// front.
    pub source_ips: Vec<Cow<'a, str>>,
    /// The object; `None` for a non-resource request.
    pub object_ref: Option<ObjectReference<'a>>,
    /// The HTTP status code of the response.
    pub code: Option<u16>,
    /// The message of an error.
    pub message: Cow<'a, str>,
    /// The annotations, in the order of the event.
    pub annotations: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    /// The time at which the request arrived, in RFC 3339.
    pub received: Cow<'a, str>,
    /// The time of this stage, in RFC 3339.
    pub stage_time: Cow<'a, str>,
    /// The time at which the response of a watch began, in RFC 3339, if the log has it.
    pub watch_started: Cow<'a, str>,
}

named! {
    /// A stage of a request.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Stage {
        /// The request arrived. Its impersonated user and its response are not known yet.
        #[default]
        RequestReceived = "RequestReceived",
        /// The header of a long response was sent, such as that of a watch; or authentication failed.
        ResponseStarted = "ResponseStarted",
        /// The response is complete.
        ResponseComplete = "ResponseComplete",
        /// The server panicked.
        Panic = "Panic",
    }
    /// The name in the event.
    pub fn name;
    /// All stages, in the order of a request.
    pub const ALL;
}

/// The level of the audit policy, which decides about the content of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// The event does not have the level.
    #[default]
    Unknown,
    /// No bodies.
    Metadata,
    /// The body of the request.
    Request,
    /// The bodies of the request and of the response.
    RequestResponse,
}

impl Level {
    /// All levels.
    pub const ALL: [Self; 4] = [
        Self::Unknown,
        Self::Metadata,
        Self::Request,
        Self::RequestResponse,
    ];
}

/// A user in an event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserInfo<'a> {
    /// The user name.
    pub name: Cow<'a, str>,
    /// All groups, including the groups that the server added.
    pub groups: Vec<Cow<'a, str>>,
}

/// The object of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectReference<'a> {
    /// The API group; empty for the core group.
    pub api_group: Cow<'a, str>,
    /// The version within the group, such as `v1`.
    pub api_version: Cow<'a, str>,
    /// The plural name of the resource.
    pub resource: Cow<'a, str>,
    /// The subresource.
    pub subresource: Cow<'a, str>,
    /// The namespace.
    pub namespace: Cow<'a, str>,
    /// The name of the object.
    pub name: Cow<'a, str>,
}

/// The annotation with the time in a queue.
const QUEUE_WAIT: &str = "apiserver.latency.k8s.io/apf-queue-wait";
/// The annotations that a server adds when it authorizes a request, after flow control, begin with this.
const AUTHORIZATION: &str = "authorization.k8s.io/";

impl Event<'_> {
    /// The user who counts: the impersonated user, or else the authenticated one.
    pub fn effective_user(&self) -> &UserInfo<'_> {
        self.impersonated_user.as_ref().unwrap_or(&self.user)
    }

    /// The attributes by which the server classified the request.
    pub fn attributes(&self) -> RequestAttributes {
        let effective = self.effective_user();
        let user = User::new(
            effective.name.as_ref(),
            effective.groups.iter().map(AsRef::as_ref),
        );
        let Some(object) = &self.object_ref else {
            return self.attributes_of_uri(user);
        };
        RequestAttributes {
            user,
            verb: self.verb.to_string(),
            is_resource_request: true,
            api_group: object.api_group.to_string(),
            resource: object.resource.to_string(),
            subresource: object.subresource.to_string(),
            namespace: match self.is_in_namespace() {
                true => object.namespace.to_string(),
                false => String::new(),
            },
            name: object.name.to_string(),
            path: decode_percent(self.path(), false)
                .unwrap_or_else(|| self.path().into())
                .into_owned(),
        }
    }

    /// Whether the path can have a namespace. Without one, the namespace of an object is that of the request's body, which a server adds to
    /// the event after flow control, also for a cluster-scoped kind.
    fn is_in_namespace(&self) -> bool {
        let path = self.path();
        path.is_empty() || path.contains("/namespaces/") || path.contains('%')
    }

    /// The attributes of an event without an object: a non-resource request, or one whose object was removed from the log.
    fn attributes_of_uri(&self, user: User) -> RequestAttributes {
        let method = match self.verb.as_ref() {
            "create" => "POST",
            "update" => "PUT",
            "patch" => "PATCH",
            "delete" | "deletecollection" => "DELETE",
            _ => "GET",
        };
        match RequestAttributes::from_http(method, &self.request_uri, user.clone()) {
            Ok(attributes) => RequestAttributes {
                verb: self.verb.to_string(),
                ..attributes
            },
            Err(_) => RequestAttributes {
                user,
                verb: self.verb.to_string(),
                path: self.path().to_owned(),
                ..RequestAttributes::default()
            },
        }
    }

    /// The path of the request, without the query and with its percent escapes.
    pub fn path(&self) -> &str {
        self.request_uri.split('?').next().unwrap_or_default()
    }

    /// The query of the request, without the question mark.
    pub fn query(&self) -> &str {
        let uri = self.request_uri.split_once('?');
        uri.map_or("", |(_, query)| query)
    }

    /// The value of an annotation.
    pub fn annotation(&self, name: &str) -> Option<&str> {
        let found = self.annotations.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_ref())
    }

    /// Whether the request came as far as flow control. A failed authentication and a forbidden impersonation end before.
    ///
    /// Flow control then applies to the request if
    /// [`RequestAttributes::is_subject_to_flow_control`] says so.
    pub fn reached_flow_control(&self) -> bool {
        let is_authorized = |(name, _): &(Cow<'_, str>, _)| name.starts_with(AUTHORIZATION);
        if self.annotations.iter().any(is_authorized) {
            return true;
        }
        if self.user.name.is_empty() {
            return false;
        }
        match self.code {
            Some(401) => false,
            Some(403) => !self.message.is_empty() && !self.message.contains("cannot impersonate"),
            // Invalid headers for impersonation.
            Some(500) => self.stage == Stage::Panic,
            _ => true,
        }
    }

    /// Whether flow control rejected the request, with status 429. Others who answer 429 do so after the authorization.
    pub fn is_rejected_by_flow_control(&self) -> bool {
        let is_authorized = |(name, _): &(Cow<'_, str>, _)| name.starts_with(AUTHORIZATION);
        self.code == Some(429) && !self.annotations.iter().any(is_authorized)
    }

    /// The time that the request spent in a queue, as the server recorded it in the annotation
    /// `apiserver.latency.k8s.io/apf-queue-wait`.
    ///
    /// Servers have it since 1.31, and write it only for requests that took more than half a second and waited; some patches of
    /// 1.34 and 1.35 never write it.
    pub fn queue_wait(&self) -> Option<Duration> {
        go_duration(self.annotation(QUEUE_WAIT)?)
    }

    /// The time for which the request executed: from its arrival to its end, or to the beginning of the response of a watch,
    /// without the [recorded](Self::queue_wait) time in a queue.
    ///
    /// `None` if flow control rejected the request, or if the log does not have its end.
    pub fn execution_time(&self) -> Option<Duration> {
        if self.is_rejected_by_flow_control() {
            return None;
        }
        let waited = self.queue_wait().unwrap_or_default();
        Some(self.response_time()?.saturating_sub(waited))
    }

    /// The time from the arrival of the request to its end, or to the beginning of the response of a watch.
    ///
    /// `None` if the log does not have its end.
    pub fn response_time(&self) -> Option<Duration> {
        let end = match (self.verb.as_ref(), self.stage) {
            ("watch", Stage::ResponseStarted) => self.stage_us()?,
            ("watch", _) => microseconds(&self.watch_started)?,
            _ if self.is_last() => self.stage_us()?,
            _ => return None,
        };
        // Clocks can jump back.
        let took = end.saturating_sub(self.received_us()?).max(0);
        Some(Duration::from_micros(took.unsigned_abs()))
    }

    /// Whether the event is the last one about its request.
    pub fn is_last(&self) -> bool {
        matches!(self.stage, Stage::ResponseComplete | Stage::Panic)
    }

    /// The time at which the request arrived, in microseconds since 1970; `None` if the event lacks it.
    pub fn received_us(&self) -> Option<i64> {
        microseconds(&self.received)
    }

    /// The time of the stage, in microseconds since 1970; `None` if the event lacks it.
    pub fn stage_us(&self) -> Option<i64> {
        microseconds(&self.stage_time)
    }
}

/// Microseconds since 1970 of a time in RFC 3339.
fn microseconds(text: &str) -> Option<i64> {
    let time: Timestamp = text.parse().ok()?;
    Some(time.as_microsecond())
}
