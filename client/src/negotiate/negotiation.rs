//! The version that a client and a server agree on, and the next one when an upgrade or a downgrade removes it.

use super::server_release::{known_release, release_with};
use crate::config::RetryPolicy;
use crate::error::{Error, NotServed};
use crate::meta::ApiGroup;
use crate::request::http_request::HttpRequest;
use crate::send::client::Client;
use crate::verbs::discovery::DiscoveryRequest;
use crate::{ApiVersion, Release};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex as StdMutex, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;

/// The maximum time for each request of a renewal.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The API version on the wire, and the release of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Agreed {
    pub(crate) version: ApiVersion,
    /// Decides which fields a write would lose.
    pub(crate) release: Release,
}

/// The agreement for one kind, shared by all clones of its [`Negotiated`](crate::client::Negotiated).
pub(crate) struct Negotiation {
    group: &'static str,
    /// The version to choose if the server serves it.
    preferred: &'static str,
    agreed: StdMutex<Agreed>,
    /// The result of the last renewal. Locked during the next one, so that it serves all concurrent requests.
    last: Mutex<Option<Renewed>>,
    /// The number of finished renewals.
    renewals: AtomicU64,
}

/// The result of a renewal.
#[derive(Clone, Debug)]
pub(crate) enum Renewed {
    /// The version that the server serves instead.
    Changed(Agreed),
    /// The server serves the version.
    Unchanged,
    /// The server does not serve a version that this crate knows, or did not respond.
    NotServed(NotServed),
}

impl Negotiation {
    /// Reads the versions and the release of a server.
    /// Errors: the error of the request, or the versions of a server that serves none of the known ones.
    pub(crate) async fn begin(
        client: &Client,
        group: &'static str,
        preferred: &'static str,
    ) -> Result<Result<Self, Vec<String>>, Error> {
        let served = names(client.api_group(group).await?);
        Ok(match choose(preferred, &served) {
            Some(version) => Ok(Self::new(
                group,
                preferred,
                Agreed {
                    version,
                    release: release_of(client, &served).await,
                },
            )),
            None => Err(served),
        })
    }

    pub(crate) fn new(group: &'static str, preferred: &'static str, agreed: Agreed) -> Self {
        Self {
            group,
            preferred,
            agreed: StdMutex::new(agreed),
            last: Mutex::new(None),
            renewals: AtomicU64::new(0),
        }
    }

    pub(crate) fn current(&self) -> Agreed {
        // Nothing panics while the lock is held.
        *self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version to use after a server answered that it does not serve `used`.
    ///
    /// Concurrent callers share one run and its result.
    pub(crate) async fn renew(&self, client: &Client, used: Agreed) -> Renewed {
        let finished = self.renewals.load(Ordering::Acquire);
        let mut last = self.last.lock().await;
        let current = self.current();
        if current.version != used.version {
            return Renewed::Changed(current);
        }
        match &*last {
            Some(result) if self.renewals.load(Ordering::Acquire) != finished => result.clone(),
            _ => {
                let result = self.run(client, used).await;
                self.renewals.fetch_add(1, Ordering::Release);
                last.insert(result).clone()
            }
        }
    }

    async fn run(&self, client: &Client, used: Agreed) -> Renewed {
        let Ok(served) = served(client.api_group(self.group).timeout(TIMEOUT)).await else {
            return Renewed::NotServed(self.not_served(used, None));
        };
        if served.iter().any(|name| name == used.version.as_str()) {
            return Renewed::Unchanged;
        }
        let Some(version) = choose(self.preferred, &served) else {
            return Renewed::NotServed(self.not_served(used, Some(served)));
        };
        let release = release_of(client, &served).await;
        let agreed = Agreed { version, release };
        tracing::info!(
            target: "k8s_flowcontrol::request",
            group = self.group,
            from = used.version.as_str(),
            to = version.as_str(),
            "the server no longer serves the version on the wire; another one was chosen"
        );
        *self.agreed.lock().unwrap_or_else(PoisonError::into_inner) = agreed;
        Renewed::Changed(agreed)
    }

    /// The reason of an error; `served` is `None` if the served versions are unknown.
    pub(crate) fn not_served(&self, used: Agreed, served: Option<Vec<String>>) -> NotServed {
        NotServed {
            group: self.group.to_owned(),
            version: used.version.as_str().to_owned(),
            served,
        }
    }
}

/// The versions of a group that a server serves; none if it does not have the group.
pub(crate) async fn served(discovery: DiscoveryRequest<ApiGroup>) -> Result<Vec<String>, Error> {
    match discovery.await {
        Ok(group) => Ok(names(group)),
        Err(error) if error.lacks_path() => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn names(group: ApiGroup) -> Vec<String> {
    let versions = group.versions.into_iter();
    versions.map(|version| version.version).collect()
}

/// The preferred version if the server has it, else the newest known version of the server.
pub(crate) fn choose(preferred: &str, served: &[String]) -> Option<ApiVersion> {
    let known = ApiVersion::ALL
        .iter()
        .copied()
        .filter(|version| served.iter().any(|name| name == version.as_str()));
    known
        .clone()
        .find(|version| version.as_str() == preferred)
        .or_else(|| known.max())
}

/// The release of a server: its own response, else the oldest release with these versions. The user may not be allowed to
/// read the release, and the versions are then sufficient.
async fn release_of(client: &Client, served: &[String]) -> Release {
    let info = client.version().timeout(TIMEOUT).await.ok();
    let answered = info.as_ref().and_then(known_release);
    answered.unwrap_or_else(|| release_with(served))
}

/// The maximum time for reading the versions that the server serves.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

impl Client {
    /// The same error. If the server does not serve the version of the request, the error says so, and names the
    /// versions that it serves.
    pub(crate) async fn with_served_versions(&self, request: &HttpRequest, error: Error) -> Error {
        let Some((group, version)) = group_version(request).filter(|_| error.lacks_path()) else {
            return error;
        };
        let discovery = self.api_group(group).retry_policy(RetryPolicy::none());
        let served = served(discovery.timeout(CHECK_TIMEOUT)).await.ok();
        let mut names = served.iter().flatten();
        if names.any(|name| name == version) {
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
