//! The parts of a request that tell whether logs are complete.

use super::repeated::Repeated;
use super::writes::Writes;
use crate::audit::Event;
use crate::redact::Redactor;
use k8s_flowcontrol_rules::matching::{NODE_PREFIX, RequestAttributes};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The kinds of requests that every cluster has all the time, with the names for people.
pub(super) const SIGNS: [(Sign, &str); 6] = [
    (Sign::Watch, "watches"),
    (Sign::Read, "reads (get and list)"),
    (Sign::Node, "requests of kubelets"),
    (Sign::Lease, "requests for leases"),
    (Sign::Path, "requests for paths such as /readyz"),
    (Sign::EventObject, "requests for Event objects"),
];

/// A kind of requests that every cluster has all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Watch,
    Read,
    Node,
    Lease,
    Path,
    EventObject,
}

impl Sign {
    /// The kinds of a request, as bits.
    pub(super) fn bits(signs: impl IntoIterator<Item = Self>) -> u8 {
        signs
            .into_iter()
            .fold(0, |bits, sign| bits | 1 << sign as u8)
    }
}

/// The namespace of the leases of nodes.
const NODE_LEASES: &str = "kube-node-lease";
/// The namespace of the leases of API servers.
const SERVER_LEASES: &str = "kube-system";
/// The user as whom an API server sends requests to itself.
const SERVER: &str = "system:apiserver";
/// The beginnings of the names of these leases.
const SERVER_NAMES: [&str; 2] = ["apiserver-", "kube-apiserver-"];

/// The parts of a request that tell whether logs are complete.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Traits {
    /// The kinds of requests that it belongs to, of the kinds that every cluster has.
    #[serde(deserialize_with = "signs")]
    pub(super) signs: u8,
    /// Whether the event lacks the user or the verb.
    pub(super) is_bare: bool,
    /// The node, if the request renews its lease.
    pub(super) renewed_node: Option<String>,
    /// The lease of an API server, if the request renews it.
    pub(super) renewed_server: Option<String>,
    /// Whether the request wrote a flow schema or a priority level.
    pub(super) writes: bool,
    /// The hash that tells the request from others.
    #[serde(deserialize_with = "hash")]
    pub(super) hash: Option<u64>,
}

impl Traits {
    pub(super) fn of(
        event: &Event<'_>,
        attributes: &RequestAttributes,
        redactor: &Redactor,
    ) -> Self {
        // A failed renewal takes as long as its timeout, and the next one comes later.
        let is_done = event.code.is_none_or(|code| code < 300);
        let renews = |namespace: &str| {
            is_done
                && attributes.resource == "leases"
                && attributes.namespace == namespace
                && matches!(attributes.verb.as_str(), "update" | "patch")
        };
        let is_renewal = renews(NODE_LEASES);
        let is_server = renews(SERVER_LEASES)
            && attributes.user.name == SERVER
            && SERVER_NAMES
                .iter()
                .any(|name| attributes.name.starts_with(name));
        let user = &attributes.user.name;
        let signs = [
            (Sign::Watch, attributes.verb == "watch"),
            (
                Sign::Read,
                matches!(attributes.verb.as_str(), "get" | "list"),
            ),
            (Sign::Node, user.starts_with(NODE_PREFIX)),
            (Sign::Lease, attributes.resource == "leases"),
            (Sign::Path, !attributes.is_resource_request),
            (Sign::EventObject, attributes.resource == "events"),
        ];
        let signs = signs.into_iter().filter(|(_, is)| *is);
        Self {
            signs: Sign::bits(signs.map(|(sign, _)| sign)),
            // A failed authentication does not have a user.
            is_bare: attributes.verb.is_empty() || (user.is_empty() && event.code != Some(401)),
            renewed_node: is_renewal.then(|| redactor.object("nodes", &attributes.name)),
            renewed_server: is_server.then(|| redactor.object("leases", &attributes.name)),
            writes: Writes::has(event, attributes),
            hash: Repeated::hash(event),
        }
    }
}

/// Reads a field with its name in errors, whose path ends before flattened fields.
fn named<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    name: &str,
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(deserializer).map_err(|error| D::Error::custom(format!("{name}: {error}")))
}

fn signs<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    named("signs", deserializer)
}

fn hash<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    named("hash", deserializer)
}
