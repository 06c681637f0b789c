//! The server with everything in front of it, and the events that happen to it.

use crate::credentials::Credentials;
use crate::gate::Gate;
use crate::plan::{Event, Nonsense};
use crate::proxy::{NetworkFault, Proxy};
use crate::random::Random;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::time::Duration;
use tokio::time::sleep;

/// A client's connection goes through the gate, which ends TLS, then through a faulty network, to the server.
pub(crate) struct World {
    pub(crate) gate: Gate,
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
        let address = ([127, 0, 0, 1], server.port()).into();
        let network = Proxy::start(address, &NetworkFault::ALL, random.fork()).await;
        network.set_calm(true);
        Self {
            gate: Gate::open(network.address(), credentials.tls()),
            network,
            server,
            credentials,
        }
    }

    /// A client as programs have it: every second one is configured by a kubeconfig.
    pub(crate) fn client(&self, number: usize) -> Client {
        let url = self.gate.url();
        let config = match number % 2 {
            0 => self.credentials.by_kubeconfig(&url),
            _ => self.credentials.by_files(&url),
        };
        // A write that hangs must not delay the end of a round.
        patient(config.with_timeout(Duration::from_secs(2)))
    }

    /// A client that nothing disturbs except the events of the server itself.
    pub(crate) fn direct_client(&self) -> Client {
        let config = self.credentials.by_files(&self.server.url());
        patient(config.with_timeout(Duration::from_secs(30)))
    }

    pub(crate) async fn happen(&mut self, event: &Event) {
        match event {
            Event::Restart { release, down } => {
                self.gate.close();
                self.server.upgrade(release.to_string()).await.unwrap();
                sleep(*down).await;
                self.gate.reopen();
            }
            Event::NewCertificate => self.gate.set_tls(self.credentials.tls()),
            Event::NewAuthority(rotation) => {
                let gate = &self.gate;
                let set = |tls| gate.set_tls(tls);
                self.credentials.rotate_authority(*rotation, set).await;
            }
            Event::NewToken(rotation) => {
                let server = &self.server;
                let set = |tokens: String| server.replace_tokens(tokens).unwrap();
                self.credentials.rotate_token(*rotation, set).await;
            }
            Event::LoseHistory => self.server.expire_history(),
            Event::Hang { pause, dead } => {
                self.gate.freeze();
                sleep(*pause).await;
                self.gate.thaw(*dead);
            }
            Event::Disconnect => self.gate.disconnect(),
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

    /// Stops the server, with everything in front of it.
    pub(crate) async fn stop(self) {
        drop((self.gate, self.network));
        self.server.stop().await;
    }
}

/// A client with many short retries.
fn patient(config: Config) -> Client {
    let retries = RetryPolicy::default().with_max_backoff(Duration::from_millis(100));
    Client::new(config.with_retry_policy(retries)).unwrap()
}
