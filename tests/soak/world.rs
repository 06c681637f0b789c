//! The server with everything in front of it, and the events that happen to it.

use super::credentials::Credentials;
use super::gate::Gate;
use super::plan::{Event, Nonsense};
use crate::watching::proxy::{NetworkFault, Proxy};
use crate::watching::random::Random;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;
use tokio_rustls::rustls::ServerConfig;

/// Each protocol has a gate, which ends TLS. Connections of HTTP/1.1 also go through a network with faults.
pub(crate) struct World {
    gates: [Gate; 2],
    /// TLS for [`Self::direct_client`], which nothing interrupts: tokens need it.
    direct: Gate,
    network: Proxy,
    server: ApiServer,
    credentials: Credentials,
}

impl World {
    pub(crate) async fn new(mut random: Random) -> Self {
        let credentials = Credentials::new();
        let server = ApiServer::builder()
            // Negotiation finds v1beta3 as the best version.
            .kubernetes("1.28")
            .tokens(credentials.tokens())
            .bootstrap_interval(Duration::from_secs(1))
            .bookmark_interval(Duration::from_millis(100))
            // Short, so that long interruptions lead to 410 Gone.
            .history(500)
            .start()
            .await
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], server.port()));
        let network = Proxy::start(address, &NetworkFault::ALL, random.fork()).await;
        network.set_calm(true);
        let [http1, http2] = credentials.tls();
        Self {
            direct: Gate::open(address, http1.clone()),
            gates: [
                Gate::open(network.address(), http1),
                Gate::open(address, http2),
            ],
            network,
            server,
            credentials,
        }
    }

    /// A client as programs have it. Half of them speak HTTP/2, and half are configured by a kubeconfig.
    pub(crate) fn client(&self, number: usize) -> Client {
        let url = self.gates[number % 2].url();
        let config = match number / 2 % 2 {
            0 => self.credentials.by_kubeconfig(&url),
            _ => self.credentials.by_files(&url),
        };
        // Dead connections are noticed sooner than by default, so that a round is short.
        let config = config
            .with_connect_timeout(Duration::from_secs(3))
            .with_keep_alive(Duration::from_secs(2), Duration::from_secs(2));
        // A write that hangs must not delay the end of a round.
        patient(config.with_timeout(Duration::from_secs(2)))
    }

    /// A client that nothing disturbs except the events of the server itself.
    pub(crate) fn direct_client(&self) -> Client {
        let config = self.credentials.by_files(&self.direct.url());
        patient(config.with_timeout(Duration::from_secs(30)))
    }

    pub(crate) async fn happen(&mut self, event: &Event) {
        match event {
            Event::Restart { release, down } => {
                self.each_gate(Gate::close);
                self.server.upgrade(release.to_string()).await.unwrap();
                sleep(*down).await;
                self.each_gate(Gate::reopen);
            }
            Event::NewCertificate => set_tls(&self.gates, &self.direct, self.credentials.tls()),
            Event::NewAuthority(rotation) => {
                let (gates, direct) = (&self.gates, &self.direct);
                let set = |tls| set_tls(gates, direct, tls);
                self.credentials.rotate_authority(*rotation, set).await;
            }
            Event::NewToken(rotation) => {
                let server = &self.server;
                let set = |tokens: String| server.replace_tokens(tokens).unwrap();
                self.credentials.rotate_token(*rotation, set).await;
            }
            Event::LoseHistory => self.server.expire_history(),
            Event::Hang { pause, dead } => {
                self.each_gate(Gate::freeze);
                sleep(*pause).await;
                self.each_gate(|gate| gate.thaw(*dead));
            }
            Event::Disconnect => self.each_gate(Gate::disconnect),
            Event::Disturb { pause } => {
                self.network.set_calm(false);
                sleep(*pause).await;
                self.network.set_calm(true);
            }
            Event::Nonsense { kind, times } => {
                let fault = match kind {
                    Nonsense::Garbage => Fault::garbage(),
                    Nonsense::InternalError => Fault::internal_error(),
                    Nonsense::Unavailable => Fault::unavailable(),
                    Nonsense::TooManyRequests => Fault::too_many_requests(0),
                    Nonsense::Rejected => Fault::rejected(0),
                    Nonsense::CutWatch => Fault::cut_watch(times % 5),
                };
                self.server.inject(fault.times(*times).on_method("GET"));
            }
        }
    }

    /// Ends the faults that still wait for a request.
    pub(crate) fn calm(&self) {
        self.server.clear_faults();
    }

    /// The number of faults of the network so far.
    pub(crate) fn network_faults(&self) -> usize {
        self.network.done()
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> u64 {
        self.gates.iter().map(Gate::connections).sum()
    }

    fn each_gate(&self, act: impl Fn(&Gate)) {
        self.gates.iter().for_each(act);
    }

    /// Stops the server, with everything in front of it.
    pub(crate) async fn stop(self) {
        drop((self.gates, self.direct, self.network));
        self.server.stop().await;
    }
}

fn set_tls(gates: &[Gate; 2], direct: &Gate, tls: [Arc<ServerConfig>; 2]) {
    direct.set_tls(tls[0].clone());
    for (gate, tls) in gates.iter().zip(tls) {
        gate.set_tls(tls);
    }
}

/// A client with many short retries.
fn patient(config: Config) -> Client {
    let retries = RetryPolicy::default().with_max_backoff(Duration::from_millis(100));
    Client::new(config.with_retry_policy(retries)).unwrap()
}
