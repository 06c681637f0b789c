//! The filters before a request is served: authentication, faults, authorization.

use super::context::Context;
use super::fault_responses;
use super::payload::Body;
use super::response::ApiResponse;
use crate::auth::{self, ImpersonationError, Tokens, User};
use crate::faults::Effect;
use crate::status::without_html;
use hyper::header::{self, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};
use k8s_flowcontrol_rules::matching::RequestAttributes;
use std::time::Duration;
use tokio::time::sleep;

#[derive(Default)]
pub(super) struct Filtered {
    /// The attributes of the request, for flow control.
    pub(super) attributes: RequestAttributes,
    /// The response to a request that is not served.
    pub(super) response: Option<ApiResponse>,
    /// The time that the request takes when it executes.
    pub(super) delay: Option<Duration>,
    pub(super) warning: Option<String>,
    /// Whether the path or the authentication failed, which precedes classification.
    is_unclassified: bool,
    is_forbidden: bool,
    /// The number of lines after which the response breaks off.
    cut: Option<usize>,
}

/// Runs the filters, and puts the [`User`] into the extensions of the request.
pub(super) async fn run(context: &Context, parts: &mut Parts) -> Filtered {
    let url = parts.uri.to_string();
    let method = parts.method.as_str();
    let request = match RequestAttributes::from_http(method, &url, Default::default()) {
        Ok(request) => request,
        Err(why) => {
            let text = filter_error(&url, &format!("failed to create RequestInfo: {why}"));
            return Filtered {
                response: Some(ApiResponse::text(500, text)),
                is_unclassified: true,
                ..Filtered::default()
            };
        }
    };
    let authorization = parts.headers.get(header::AUTHORIZATION).map(text);
    let tokens = context.tokens.get();
    let credentials = (tokens.as_deref(), authorization.as_deref());
    let warning = auth::warning(credentials.0, credentials.1);
    let user = match authenticate(context, credentials, parts, &request) {
        Ok(user) => user,
        Err(response) => {
            return Filtered {
                attributes: request,
                response: Some(*response),
                warning,
                is_unclassified: true,
                ..Filtered::default()
            };
        }
    };
    let attributes = user.requests(request);
    let is_watch = attributes.verb == "watch";
    let mut filtered = Filtered {
        warning,
        ..Filtered::default()
    };
    for effect in context
        .faults
        .take(parts.method.as_str(), parts.uri.path(), is_watch)
    {
        match effect {
            // In a server that throttles, a delayed request occupies its seats.
            Effect::Delay(delay) if context.state.throttles() => {
                let before = filtered.delay.unwrap_or_default();
                filtered.delay = Some(before.saturating_add(delay));
            }
            Effect::Delay(delay) => sleep(delay).await,
            Effect::ExpireHistory => context.state.expire_history(),
            Effect::CutWatch(lines) => filtered.cut = Some(lines),
            Effect::Cut => filtered.cut = Some(0),
            effect => filtered.response = fault_responses::response(&effect),
        }
    }
    if filtered.response.is_none()
        && let Err(failure) = auth::authorize(&user, &attributes)
    {
        filtered.response = Some(failure.into());
        filtered.is_forbidden = true;
    }
    filtered.attributes = attributes;
    parts.extensions.insert(user);
    filtered
}

/// The attributes of a request; those of no resource for a path without a meaning.
pub(crate) fn attributes(parts: &Parts) -> RequestAttributes {
    let (method, url) = (parts.method.as_str(), parts.uri.to_string());
    RequestAttributes::from_http(method, &url, Default::default()).unwrap_or_else(|_| {
        RequestAttributes {
            verb: method.to_ascii_lowercase(),
            path: url,
            ..RequestAttributes::default()
        }
    })
}

pub(super) fn text(value: &HeaderValue) -> String {
    String::from_utf8_lossy(value.as_bytes()).into_owned()
}

fn authenticate(
    context: &Context,
    (tokens, authorization): (Option<&Tokens>, Option<&str>),
    parts: &Parts,
    request: &RequestAttributes,
) -> Result<User, Box<ApiResponse>> {
    let user =
        auth::authenticate(tokens, authorization).map_err(|failure| Box::new(failure.into()))?;
    let headers: Vec<_> = parts
        .headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("impersonate-"))
        .map(|(name, value)| (name.as_str(), text(value)))
        .collect();
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
    let release = context.state.kinds.release;
    let request = |user: &User| user.requests(request.clone());
    auth::impersonate(user, headers, request, release).map_err(|error| {
        Box::new(match error {
            ImpersonationError::Failed(failure) => ApiResponse::from(failure),
            ImpersonationError::NoUser(why) => {
                ApiResponse::text(500, filter_error(&parts.uri.to_string(), &why))
            }
        })
    })
}

/// Go's message for an error in a filter.
fn filter_error(uri: &str, why: &str) -> String {
    let uri = without_html(uri);
    format!("Internal Server Error: {uri:?}: {why}\n")
}

impl Filtered {
    pub(super) fn finish(&self, mut response: Response<Body>) -> Response<Body> {
        let is_forbidden = response.status() == StatusCode::FORBIDDEN;
        let headers = response.headers_mut();
        if self.is_unclassified {
            headers.remove("x-kubernetes-pf-flowschema-uid");
            headers.remove("x-kubernetes-pf-prioritylevel-uid");
        }
        // Before classification, only impersonation is forbidden.
        if self.is_forbidden || (self.is_unclassified && is_forbidden) {
            headers.insert(
                header::X_CONTENT_TYPE_OPTIONS,
                HeaderValue::from_static("nosniff"),
            );
        }
        match self.cut {
            Some(lines) => response.map(|body| fault_responses::cut(body, lines)),
            None => response,
        }
    }
}

impl User {
    /// The attributes of a request when this user sends it.
    fn requests(&self, request: RequestAttributes) -> RequestAttributes {
        RequestAttributes {
            user: k8s_flowcontrol_rules::matching::User::new(&self.name, self.groups.clone()),
            ..request
        }
    }
}
