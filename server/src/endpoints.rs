//! The EndpointSlices of the service `kubernetes`, in which a control plane lists its API servers.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The API servers of the control plane.
#[derive(Clone, Debug)]
pub(crate) struct Endpoints {
    servers: Vec<SocketAddr>,
    scheme: &'static str,
}

impl Endpoints {
    /// A server and its peers.
    pub(crate) fn new(own: SocketAddr, peers: Vec<SocketAddr>, has_tls: bool) -> Self {
        let mut servers = vec![own];
        servers.extend(peers);
        Self {
            servers,
            scheme: if has_tls { "https" } else { "http" },
        }
    }

    /// The EndpointSlices: one for each family of addresses and port. The first one has the name `kubernetes`.
    pub(crate) fn slices(&self) -> Vec<Value> {
        let mut groups = BTreeMap::<(bool, u16), Vec<SocketAddr>>::new();
        let own = self.servers.first();
        for server in &self.servers {
            let group = (server.is_ipv6(), server.port());
            groups.entry(group).or_default().push(*server);
        }
        let slice = |((is_ipv6, port), servers): (&(bool, u16), &Vec<SocketAddr>)| {
            let is_first = own.is_some_and(|own| servers.contains(own));
            let name = match is_first {
                true => "kubernetes".to_owned(),
                false => format!("kubernetes-{port}"),
            };
            let endpoint = |server: &SocketAddr| json!({"addresses": [server.ip().to_string()], "conditions": {"ready": true}});
            json!({
                "apiVersion": "discovery.k8s.io/v1",
                "kind": "EndpointSlice",
                "metadata": {
                    "name": name,
                    "namespace": "default",
                    "labels": {"kubernetes.io/service-name": "kubernetes"},
                },
                "addressType": if *is_ipv6 { "IPv6" } else { "IPv4" },
                "endpoints": servers.iter().map(endpoint).collect::<Vec<_>>(),
                "ports": [{"name": self.scheme, "port": port, "protocol": "TCP"}],
            })
        };
        groups.iter().map(slice).collect()
    }
}
