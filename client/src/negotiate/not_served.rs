//! A 404 that is about the API version and not about an object.

use crate::config::RetryPolicy;
use crate::error::{Error, NotServed};
use crate::request::http_request::HttpRequest;
use crate::send::client::Client;
use std::time::Duration;

/// The maximum time for reading the versions that the server serves.
const TIMEOUT: Duration = Duration::from_secs(5);

impl Client {
    /// The same error. If the server does not serve the version of the request, the error says so, and names the
    /// versions that it serves.
    pub(crate) async fn with_served_versions(&self, request: &HttpRequest, error: Error) -> Error {
        let Some((group, version)) = group_version(request).filter(|_| error.names_no_object())
        else {
            return error;
        };
        let discovery = self.api_group(group).retry_policy(RetryPolicy::none());
        let served = match discovery.timeout(TIMEOUT).await {
            Ok(found) => {
                let versions = found.versions.into_iter().map(|served| served.version);
                Some(versions.collect::<Vec<_>>())
            }
            Err(error) if error.code() == Some(404) => Some(Vec::new()),
            Err(_) => None,
        };
        if served
            .as_ref()
            .is_some_and(|served| served.iter().any(|served| served == version))
        {
            // The server lacks the resource or the subresource.
            return error;
        }
        error.with_not_served(NotServed {
            group: group.to_owned(),
            version: version.to_owned(),
            served,
        })
    }
}

/// The group and version of a resource's path. The core group has one version, which every server serves.
fn group_version(request: &HttpRequest) -> Option<(&str, &str)> {
    if request.resource.is_empty() {
        return None;
    }
    let mut segments = request.path.strip_prefix("/apis/")?.split('/');
    Some((segments.next()?, segments.next()?))
}
