//! What must hold on a server, in the words of its users.

use crate::recipes::Client;
use std::fmt;
use std::time::Duration;

/// The content of an intents file; see [`Intents::read`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Intents {
    /// The seats of the server.
    pub server: ServerSeats,
    /// The time for which generated requests arrive; 60 seconds by default.
    pub duration: Duration,
    /// The objects that stay as they are; the built-in objects by default.
    pub keep: Keep,
    /// The intents, in the order of the file; at least one.
    pub intents: Vec<Intent>,
}

/// The seats of a server: `--max-requests-inflight` plus `--max-mutating-requests-inflight`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ServerSeats {
    /// So many.
    Known(u32),
    /// To be found: the fewest.
    Unknown,
    /// Any of these; the cheapest is to be found.
    Tiers(Vec<Tier>),
}

/// A size in which a server can be bought.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tier {
    /// The name.
    pub name: String,
    /// The seats of each API server.
    pub seats: u32,
    /// The price, in any unit.
    pub price: f64,
}

/// The present objects that must not change. Size never deletes objects, and changes nothing but the shares, the borrowing limit and
/// the queues of a level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keep {
    /// The built-in objects.
    #[default]
    BuiltIn,
    /// All present objects.
    All,
    /// The mandatory objects alone.
    Nothing,
    /// The built-in objects, and the levels with these names.
    Levels(Vec<String>),
}

/// What must hold for the requests of a client, or of a level.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Intent {
    /// The name; unique in the file.
    pub name: String,
    /// The line in the file, from 1.
    pub line: usize,
    /// The requests.
    pub target: Target,
    /// The waits that must not be exceeded. A rejected request counts as an endless wait.
    pub waits: Vec<WaitLimit>,
    /// The most seats that the client can use.
    pub never_more_than: Option<i64>,
    /// Clients that may send as many requests as they can while the waits hold.
    pub never_starved_by: Vec<Client>,
    /// The load under which it must hold.
    pub at_load: AtLoad,
}

/// Requests.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The requests of a client.
    Client(Client),
    /// The requests that a priority level takes.
    Level(String),
}

/// A wait that a part of the requests must not exceed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WaitLimit {
    /// The part of the requests in percent: 50, 90, 95, 99, 99.9 or 100.
    pub percent: f64,
    /// Their longest wait.
    pub at_most: Duration,
}

/// A load.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AtLoad {
    /// The requests of the logs, so many times.
    FromLog {
        /// 1 for the requests as they are, 2 for twice as many clients.
        times: f64,
    },
    /// Generated requests.
    Generated(Generated),
}

/// Generated requests.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Generated {
    /// The arrivals.
    pub arrivals: crate::simulation::Arrivals,
    /// How long a request executes on average; exponentially distributed.
    pub mean: Duration,
    /// Whether every request executes exactly so long.
    pub constant: bool,
    /// The seats of a request.
    pub seats: u32,
    /// The number of users that take turns; 1 for a single client.
    pub users: u32,
    /// The verb.
    pub verb: String,
    /// The resource.
    pub resource: String,
    /// The API group of the resource.
    pub api_group: String,
    /// The namespace; empty for all.
    pub namespace: String,
}

impl Intents {
    /// The most intents of a file.
    pub const MOST: usize = 100;
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(client) => f.write_str(&client_name(client)),
            Self::Level(level) => write!(f, "priority level {level}"),
        }
    }
}

impl fmt::Display for WaitLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.percent {
            100.0 => write!(f, "longest wait"),
            percent => write!(f, "p{percent} of the waits"),
        }
    }
}

/// A client in words.
pub(super) fn client_name(client: &Client) -> String {
    match client {
        Client::User { name, .. } => format!("user {name}"),
        Client::Group(name) => format!("group {name}"),
        Client::ServiceAccount { namespace, name } => format!("service account {namespace}/{name}"),
        Client::Namespace(namespace) => format!("service accounts of {namespace}"),
    }
}
