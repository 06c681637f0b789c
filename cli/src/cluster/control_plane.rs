//! The API servers of a cluster's control plane.
//!
//! A cluster's address often belongs to a load balancer. The service `kubernetes` in the namespace `default` lists the API
//! servers behind it; each has its own seats, queues and counters.

use super::connect::ClusterArgs;
use crate::failure::Failure;
use k8s_flowcontrol::config::{Config, RetryPolicy};
use k8s_flowcontrol::{Client, Error};
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::task::JoinSet;

const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes";
/// The time in which an API server must respond to be asked for more. Addresses behind a load balancer are often private.
const PATIENCE: Duration = Duration::from_secs(5);

/// The API servers of a control plane.
pub(crate) struct ControlPlane {
    /// The servers that responded; at least one.
    pub(crate) servers: Vec<ApiServer>,
    /// The servers that did not respond, and the reasons.
    pub(crate) unreachable: Vec<(String, String)>,
    /// The reason for which only the cluster's address was asked.
    pub(crate) note: Option<String>,
}

#[derive(Clone)]
pub(crate) struct ApiServer {
    /// The address, as a host and a port, or as the cluster's URL.
    pub(crate) address: String,
    pub(crate) client: Client,
}

impl ApiServer {
    /// The server at the cluster's address.
    pub(crate) fn of_cluster(client: Client) -> Self {
        Self {
            address: client.config().server_url().to_owned(),
            client,
        }
    }

    /// How the server is reached.
    pub(crate) fn reached_by(&self) -> &'static str {
        match self.client.config().proxy_url() {
            Some(_) => "a proxy",
            None => "its address",
        }
    }

    /// The text of a path such as `/metrics`.
    pub(crate) async fn text(&self, path: &str) -> Result<String, Error> {
        let bytes = self.client.get_raw(path).accept("text/plain").await?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl ControlPlane {
    /// Finds the API servers of a cluster, and connects to each.
    pub(crate) async fn connect(cluster: &ClusterArgs) -> Result<Self, Failure> {
        Ok(Self::of(cluster.client().await?).await)
    }

    /// Finds the API servers behind the address of a client.
    pub(crate) async fn of(client: Client) -> Self {
        let alone = |note: String, unreachable| Self {
            servers: vec![ApiServer::of_cluster(client.clone())],
            unreachable,
            note: Some(format!(
                "{note}; only the API server that responds at {} was asked",
                client.config().server_url()
            )),
        };
        let endpoints = match slices(&client).await {
            Ok(slices) => endpoints(&slices),
            Err(error) => {
                let note =
                    format!("the EndpointSlices of the service kubernetes cannot be read: {error}");
                return alone(note, Vec::new());
            }
        };
        if endpoints.is_empty() {
            let note = "the service kubernetes has no EndpointSlice with addresses";
            return alone(note.to_owned(), Vec::new());
        }
        let is_own = |(scheme, address): &(String, SocketAddr)| {
            client.config().server_url() == format!("{scheme}://{address}/")
        };
        if endpoints.len() == 1 && endpoints.iter().all(is_own) {
            return Self {
                servers: vec![ApiServer::of_cluster(client)],
                unreachable: Vec::new(),
                note: None,
            };
        }
        let (servers, unreachable) = probe(client.config(), endpoints).await;
        match servers.is_empty() {
            true => alone(
                "no API server is reachable by its own address".to_owned(),
                unreachable,
            ),
            false => Self {
                servers,
                unreachable,
                note: None,
            },
        }
    }

    /// A sentence for each server that was not asked.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        let unreachable = self
            .unreachable
            .iter()
            .map(|(server, reason)| format!("the API server {server} was not asked: {reason}"));
        unreachable.chain(self.note.clone())
    }
}

/// The EndpointSlices of the service `kubernetes`.
async fn slices(client: &Client) -> Result<Vec<Value>, Error> {
    let bytes = client.get_raw(SLICES).accept("application/json").await?;
    let list: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    Ok(list["items"].as_array().cloned().unwrap_or_default())
}

/// The scheme and address of each API server. Of several address families the first one is used, so that no server counts
/// twice.
fn endpoints(slices: &[Value]) -> BTreeSet<(String, SocketAddr)> {
    for family in ["IPv4", "IPv6"] {
        let slices = slices.iter().filter(|slice| slice["addressType"] == family);
        let found: BTreeSet<_> = slices.flat_map(addresses).collect();
        if !found.is_empty() {
            return found;
        }
    }
    BTreeSet::new()
}

fn addresses(slice: &Value) -> Vec<(String, SocketAddr)> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for port in list(&slice["ports"]) {
        let number = port["port"]
            .as_u64()
            .and_then(|port| u16::try_from(port).ok());
        let (Some(scheme @ ("http" | "https")), Some(number)) = (port["name"].as_str(), number)
        else {
            continue;
        };
        for endpoint in list(&slice["endpoints"]) {
            let addresses = list(&endpoint["addresses"]);
            let parsed = addresses
                .iter()
                .filter_map(|address| address.as_str()?.parse::<IpAddr>().ok());
            found.extend(
                parsed.map(|address| (scheme.to_owned(), SocketAddr::new(address, number))),
            );
        }
    }
    found
}

/// Connects to all addresses at the same time.
async fn probe(
    config: &Config,
    endpoints: BTreeSet<(String, SocketAddr)>,
) -> (Vec<ApiServer>, Vec<(String, String)>) {
    let probes = endpoints.into_iter().map(|(scheme, address)| {
        let config = config.clone();
        async move {
            let probed = one(config, &scheme, address);
            let result = match tokio::time::timeout(PATIENCE, probed).await {
                Ok(result) => result,
                Err(_) => Err(format!("no response within {} seconds", PATIENCE.as_secs())),
            };
            (address, result)
        }
    });
    let results = at_once(probes).await;
    let (mut servers, mut unreachable) = (Vec::new(), Vec::new());
    for (address, result) in results {
        match result {
            Ok(client) => servers.push(ApiServer {
                address: address.to_string(),
                client,
            }),
            Err(reason) => unreachable.push((address.to_string(), reason)),
        }
    }
    (servers, unreachable)
}

/// Runs tasks at the same time. Their results are in the order of the tasks.
pub(crate) async fn at_once<T, F>(tasks: impl Iterator<Item = F>) -> Vec<T>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut set = JoinSet::new();
    for (index, task) in tasks.enumerate() {
        set.spawn(async move { (index, task.await) });
    }
    let mut results = set.join_all().await;
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// A client for one address. Any response proves that the server is reachable; permissions differ by path.
async fn one(config: Config, scheme: &str, address: SocketAddr) -> Result<Client, String> {
    let config = config
        .with_endpoint(format!("{scheme}://{address}"))
        .map_err(|error| error.to_string())?;
    let probing = config.clone().with_retry_policy(RetryPolicy::none());
    let client = Client::new(probing).map_err(|error| error.to_string())?;
    match client.get_raw("/version").await {
        Err(error) if error.code().is_none() => Err(error.to_string()),
        _ => Client::new(config).map_err(|error| error.to_string()),
    }
}
