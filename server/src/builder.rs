//! Settings of a server.

mod start;

#[cfg(feature = "tls")]
pub(crate) use start::make_authority;

use crate::connections::ConnectionLimits;
use crate::faults::Fault;
use crate::kinds::Settings;
use crate::listening::{Listening, listening_setters};
use crate::server::ApiServer;
use crate::start_error::StartError;
use crate::store::Limits;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::release::UnknownRelease;
use k8s_flowcontrol_types::schema::ResourceSchema;
use serde::Serialize;
use serde_json::Value;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

impl ApiServer {
    /// Settings for a server, each with a default.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts a server that emulates the newest known Kubernetes release, on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// [`StartError`] when no port is available.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }
}

/// Settings of an [`ApiServer`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use k8s_flowcontrol_server::ApiServer;
/// use serde_json::json;
///
/// let schema = json!({"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema",
///     "metadata": {"name": "mine"}, "spec": {"priorityLevelConfiguration": {"name": "catch-all"}}});
/// let server = ApiServer::builder().kubernetes("1.31").objects([&schema]).flow_control(true).start().await?;
/// println!("{}", server.url());
/// # Ok(())
/// # }
/// ```
///
/// The server runs in the Tokio runtime that [starts](Self::start) it, which needs I/O and time (`Builder::enable_all`), and ends with
/// it. In a runtime of one thread, such as that of `#[tokio::test]`, it responds only while the thread waits in `await`: a client that
/// blocks the thread, such as `std::process::Command::output`, needs `flavor = "multi_thread"`.
#[derive(Clone, Debug)]
pub struct Builder {
    release: Result<Release, UnknownRelease>,
    settings: Settings,
    others: Vec<&'static ResourceSchema>,
    bootstrap: bool,
    bootstrap_interval: Duration,
    bookmark_interval: Duration,
    record_requests: bool,
    listening: Listening,
    history: Limits,
    connections: ConnectionLimits,
    tls: bool,
    faults: Vec<Fault>,
    /// Or the error of a value that cannot be JSON.
    objects: Vec<Result<Value, String>>,
    data_dir: Option<PathBuf>,
    flow_control: bool,
    server_seats: Option<u32>,
    peers: Vec<SocketAddr>,
}

/// More than this overflows the clocks of some platforms.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Default for Builder {
    fn default() -> Self {
        Self {
            release: Ok(Release::default()),
            settings: Settings::default(),
            others: Vec::new(),
            bootstrap: true,
            bootstrap_interval: Duration::from_secs(60),
            bookmark_interval: Duration::from_secs(60),
            record_requests: false,
            listening: Listening::default(),
            history: Limits {
                changes: 10_000,
                bytes: 64 << 20,
            },
            connections: ConnectionLimits::default(),
            tls: false,
            faults: Vec::new(),
            objects: Vec::new(),
            data_dir: None,
            flow_control: false,
            server_seats: None,
            peers: Vec::new(),
        }
    }
}

listening_setters!(
    Builder,
    "With tokens the server authorizes like a fresh RBAC cluster: the groups `system:masters` and `kubeadm:cluster-admins` may do \
     anything, other users see discovery, version and health, anonymous ones version and health. Without tokens every request is of `system:masters`."
);

impl Builder {
    /// The Kubernetes release to emulate, such as `1.29`. It decides the served versions, the defaults and the
    /// bootstrap objects. Defaults to the newest known release.
    ///
    /// [`start`](Self::start) fails for an unknown release.
    #[must_use]
    pub fn kubernetes(mut self, release: impl AsRef<str>) -> Self {
        self.release = release.as_ref().parse();
        self
    }

    /// The Kubernetes release to emulate, as a value.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = Ok(release);
        self
    }

    /// Serves all four versions, regardless of the release.
    #[must_use]
    pub fn all_versions(mut self) -> Self {
        self.settings.all_versions = true;
        self
    }

    /// Opens the feature gate `ZeroLimitedNominalConcurrencyShares`, with which a 1.29 server accepts zero shares in
    /// limited levels. Only 1.29 has the gate: older releases cannot express zero, and newer ones always accept it.
    #[must_use]
    pub fn zero_limited_shares(mut self) -> Self {
        self.settings.zero_limited_shares = true;
        self
    }

    /// Serves kinds of another API group too: the `RESOURCES` of a module that `k8s-flowcontrol-codegen` generated
    /// from the group's document.
    ///
    /// Such a kind has all verbs, namespaces and the subresource `status` if the document has them, patches and
    /// server-side apply by the document's list types and merge keys, discovery, and the validation of metadata. It
    /// has no defaults, validation of `spec` or controllers, because a document does not describe them. A kind
    /// that is given twice is served once.
    ///
    /// [`start`](Self::start) fails for kinds of `flowcontrol.apiserver.k8s.io`, which are built in.
    #[must_use]
    pub fn serve(mut self, resources: &'static [ResourceSchema]) -> Self {
        for resource in resources {
            let same = |known: &&'static ResourceSchema| {
                (known.group, known.version, known.plural)
                    == (resource.group, resource.version, resource.plural)
            };
            if !self.others.iter().any(same) {
                self.others.push(resource);
            }
        }
        self
    }

    /// Whether the server creates its bootstrap objects at the start and maintains them once a minute. Defaults to
    /// true.
    #[must_use]
    pub fn bootstrap(mut self, bootstrap: bool) -> Self {
        self.bootstrap = bootstrap;
        self
    }

    /// The interval of the bootstrap pass. Defaults to 60 s; at least 1 ms.
    #[must_use]
    pub fn bootstrap_interval(mut self, interval: Duration) -> Self {
        self.bootstrap_interval = interval.max(Duration::from_millis(1));
        self
    }

    /// The interval of bookmarks, in watches that allow them. Defaults to 60 s; at least 1 ms.
    #[must_use]
    pub fn bookmark_interval(mut self, interval: Duration) -> Self {
        self.bookmark_interval = interval.max(Duration::from_millis(1));
        self
    }

    /// Records the requests, for [`ApiServer::requests`]: except requests that get 403 because of their [host](Self::any_host), or 400
    /// because of an invalid escape in their path. They stay in memory until the server stops.
    #[must_use]
    pub fn record_requests(mut self) -> Self {
        self.record_requests = true;
        self
    }

    /// The concurrency limit in seats, as a real server has it from `--max-requests-inflight` plus
    /// `--max-mutating-requests-inflight`. The metrics of flow control show each level's part of it, which
    /// [`flow_control`](Self::flow_control) enforces. Defaults to 600.
    #[must_use]
    pub fn server_seats(mut self, seats: u32) -> Self {
        self.server_seats = Some(seats);
        self
    }

    /// The number of changes that the server keeps for watches, pages and lists of the past. Defaults to 10,000.
    ///
    /// The memory of these changes is limited too; see [`history_bytes`](Self::history_bytes). A watch or page that
    /// needs an older change gets 410, as from a real server after a compaction.
    #[must_use]
    pub fn history(mut self, changes: usize) -> Self {
        self.history.changes = changes;
        self
    }

    /// The approximate memory, in bytes, of the past versions of objects that the server keeps in its
    /// [`history`](Self::history). Defaults to 64 MiB. The last change is kept even if it is larger.
    #[must_use]
    pub fn history_bytes(mut self, bytes: usize) -> Self {
        self.history.bytes = bytes;
        self
    }

    /// The maximum time for the headers of a request, after which the connection is closed; so is a connection
    /// without a request for that long. A request whose body does not continue for that long gets 408. Defaults to 32 s, as in
    /// kube-apiserver; at least 1 ms and at most a year.
    #[must_use]
    pub fn header_timeout(mut self, timeout: Duration) -> Self {
        self.connections.header_timeout = timeout.clamp(Duration::from_millis(1), YEAR);
        self
    }

    /// The maximum number of connections at the same time; others wait until one ends. Defaults to 4,096; at least 1 and at most
    /// 65,536.
    #[must_use]
    pub fn max_connections(mut self, count: u32) -> Self {
        self.connections.count = count.clamp(1, 1 << 16) as usize;
        self
    }

    /// Serves HTTPS, with a certificate from the server's own certificate authority; see [`ApiServer::ca_pem`]. Both
    /// are created at every start.
    #[cfg(feature = "tls")]
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Keeps the objects in a folder too, so that they survive a restart. The folder is created if it does not exist.
    ///
    /// A server that starts with the folder of an earlier server has its objects with their UIDs, and resource versions
    /// continue. As after a compaction, older resource versions are expired: a watch or page that needs one gets 410.
    /// If the earlier server emulated another release, it is an [upgrade](ApiServer::upgrade).
    /// [`objects`](Self::objects) are created only in a new folder. Events, faults, recorded requests and the
    /// certificate authority are not kept.
    ///
    /// The server responds to a write when it is on the disk: a process that is killed does not lose confirmed writes. Other
    /// requests wait meanwhile, usually a few milliseconds. If the disk cannot be written, writes fail with 500 and have no
    /// effect.
    ///
    /// [`start`](Self::start) fails if another server uses the folder, or a newer version of this crate has written it.
    /// [`ApiServer::stop`] releases the folder; dropping the server does so some time later.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::ApiServer;
    ///
    /// # let folder = std::env::temp_dir().join(format!("data-dir-{}", std::process::id()));
    /// let server = ApiServer::builder().data_dir(&folder).start().await?;
    /// // ... a client writes objects ...
    /// server.stop().await;
    /// let server = ApiServer::builder().data_dir(&folder).start().await?;
    /// // ... and finds them again.
    /// # server.stop().await;
    /// # std::fs::remove_dir_all(folder)?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "data-dir")]
    #[must_use]
    pub fn data_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(folder.into());
        self
    }

    /// Whether requests are queued and rejected as in a real server; off by default.
    ///
    /// The server classifies each request by its objects, and the priority level decides: the request executes, waits in a
    /// queue for at most 15 s, or gets 429 with `Retry-After: 1`. Limits, queues, borrowing and the seats of lists come from
    /// [`FlowController`](k8s_flowcontrol_rules::controller::FlowController). A write takes final seats for the open watches of
    /// its resource, including watches of single objects. The debug dumps and `/metrics` show the state. A request
    /// [delayed](Fault::delay) by a fault occupies its seats for that time, which makes load easy to produce.
    ///
    /// The group `system:masters`, and so every client without [tokens](Self::tokens), is exempt. A user of the group
    /// `kubeadm:cluster-admins` may do anything and is not exempt.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::{ApiServer, Fault};
    /// use std::time::Duration;
    ///
    /// let server = ApiServer::builder()
    ///     .flow_control(true)
    ///     .server_seats(20)
    ///     .tls() // clients send tokens over TLS only
    ///     .tokens("controller-token,controller,1,kubeadm:cluster-admins")
    ///     .fault(Fault::delay(Duration::from_millis(200)).times(100).on_path("/flowschemas"))
    ///     .start()
    ///     .await?;
    /// // Run the controller under test against `server.url()`, with the token and the authority of `server.ca_pem()`.
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn flow_control(mut self, enabled: bool) -> Self {
        self.flow_control = enabled;
        self
    }

    /// Other API servers of the same control plane, which the EndpointSlices of the service `kubernetes` list beside this
    /// server. The servers share nothing else. May be called more than once.
    ///
    /// Clients read `/apis/discovery.k8s.io/v1/namespaces/default/endpointslices` to reach each API server by itself. The port
    /// has the name `https`, or `http` without `tls`. The server serves nothing else of that group, unless
    /// [`serve`](Self::serve) adds its kinds.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::ApiServer;
    ///
    /// let one = ApiServer::start().await?;
    /// let two = ApiServer::builder().peers([([127, 0, 0, 1], one.port()).into()]).start().await?;
    /// # drop((one, two));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn peers(mut self, peers: impl IntoIterator<Item = SocketAddr>) -> Self {
        self.peers.extend(peers);
        self
    }

    /// A fault that the first requests meet; see [`Fault`]. May be called more than once.
    #[must_use]
    pub fn fault(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// Objects that the server has when it is ready: typed ones, or JSON with `apiVersion` and `kind`.
    ///
    /// They are created as by a client with the field manager `kubectl`, in order, before the first bootstrap pass. An object
    /// of a kind with namespaces that names none is in `default`. A resource version is ignored, and so is a status that only the subresource writes. May be called more than once.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_flowcontrol_server::ApiServer;
    /// use serde_json::json;
    ///
    /// let level = json!({
    ///     "apiVersion": "flowcontrol.apiserver.k8s.io/v1",
    ///     "kind": "PriorityLevelConfiguration",
    ///     "metadata": {"name": "batch"},
    ///     "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    /// });
    /// let server = ApiServer::builder().objects([level]).start().await?;
    /// # drop(server);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn objects<T: Serialize>(mut self, objects: impl IntoIterator<Item = T>) -> Self {
        let trees = objects
            .into_iter()
            .map(|object| serde_json::to_value(object).map_err(|error| error.to_string()));
        self.objects.extend(trees);
        self
    }
}
