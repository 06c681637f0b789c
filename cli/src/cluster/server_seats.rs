//! The seats of an API server: its concurrency limit.

use super::connect::{ClusterArgs, block_on};
use super::control_plane::{ApiServer, ControlPlane};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::plural;
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol::{Client, Release};
use k8s_flowcontrol_analysis::metrics::ObservedLimits;
use std::collections::BTreeMap;
use std::fmt;

/// More seats than any server has.
const MANY: u32 = 10_000_000;
/// The seats with default flags.
const DEFAULT: u32 = 600;

/// The option for the seats of a server.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct SeatsArg {
    /// The seats of each server, --max-requests-inflight plus --max-mutating-requests-inflight; defaults to those of the
    /// API server that responds, or without a cluster to 600
    #[arg(long, value_name = "SEATS", value_parser = seats)]
    server_seats: Option<u32>,
}

/// The seats of each server, and the source of the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerSeats {
    pub(crate) seats: u32,
    source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// This option or file.
    Given(String),
    /// No cluster is used.
    Default,
    /// The metrics in this file.
    File(String),
    /// The metrics of the API servers at these addresses.
    Metrics {
        servers: Vec<String>,
        /// Whether the cluster can have other API servers.
        has_others: bool,
    },
}

impl SeatsArg {
    /// The given number, or the default for files.
    pub(crate) fn offline(self) -> ServerSeats {
        match self.server_seats {
            None => ServerSeats {
                seats: DEFAULT,
                source: Source::Default,
            },
            Some(seats) => ServerSeats::given(seats, "--server-seats"),
        }
    }

    /// The number of the server whose metrics a file has, unless a number is given.
    pub(crate) fn of_metrics(
        self,
        metrics: &MetricsFile,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Option<ServerSeats> {
        if self.server_seats.is_some() {
            return None;
        }
        Some(ServerSeats {
            seats: metrics.server_seats(levels, release)?,
            source: Source::File(metrics.name.clone()),
        })
    }

    /// The given number, or the number of seats of a server with these levels.
    pub(crate) async fn live(
        self,
        client: &Client,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Result<ServerSeats, Failure> {
        match self.server_seats {
            Some(_) => Ok(self.offline()),
            None => {
                let server = ApiServer::of_cluster(client.clone());
                ServerSeats::of_server(&server, levels, release).await
            }
        }
    }

    /// As [`live`](Self::live), with a new connection.
    pub(crate) fn of_cluster(
        self,
        cluster: &ClusterArgs,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Result<ServerSeats, Failure> {
        block_on(async { self.live(&cluster.client().await?, levels, release).await })
    }

    /// The given number, or the numbers of all API servers of a cluster: servers with equal numbers together, the
    /// smallest first. A note names each server that is missing.
    pub(crate) fn of_control_plane(
        self,
        cluster: &ClusterArgs,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Result<(Vec<ServerSeats>, Vec<String>), Failure> {
        if self.server_seats.is_some() {
            return Ok((vec![self.offline()], Vec::new()));
        }
        block_on(async {
            let control_plane = ControlPlane::connect(cluster).await?;
            let mut notes: Vec<_> = control_plane.notes().collect();
            let (mut found, mut failed) = (Vec::<ServerSeats>::new(), None);
            let mut is_forbidden = false;
            for server in &control_plane.servers {
                match ServerSeats::of_server(server, levels, release).await {
                    Ok(seats) => found.push(seats),
                    Err(failure) => {
                        notes.push(failure.to_string());
                        is_forbidden |= failure.is_forbidden();
                        failed = Some(failure);
                    }
                }
            }
            if let Some(failure) = failed.filter(|_| found.is_empty()) {
                return Err(failure.forbidden(is_forbidden));
            }
            let has_others = !notes.is_empty();
            Ok((ServerSeats::grouped(found, has_others), notes))
        })
    }
}

impl ServerSeats {
    /// The number of an option or a file.
    pub(crate) fn given(seats: u32, by: impl Into<String>) -> Self {
        let source = Source::Given(by.into());
        Self { seats, source }
    }

    /// The number and its source, of a single server.
    pub(crate) fn of_one(&self) -> String {
        format!("{}{}", plural(self.seats, "seat"), self.source)
    }

    /// Reads the seats from the metrics of one API server.
    async fn of_server(
        server: &ApiServer,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Result<Self, Failure> {
        let address = server.address.clone();
        let unknown = |reason: &str, is_forbidden| {
            let message = format!("the seats of the API server at {address} are unknown: {reason}");
            Failure::new(Exit::Cluster, message)
                .hint("give the number with `--server-seats SEATS`")
                .forbidden(is_forbidden)
        };
        let text = server.text("/metrics").await;
        let text = text.map_err(|error| unknown(&error.to_string(), error.is_forbidden()))?;
        let metrics = ObservedLimits::parse(&text);
        let Some(seats) = metrics.server_seats(levels, release) else {
            let reason = match metrics.is_empty() {
                true => "its metrics contain no limits of priority levels",
                false => {
                    "its metrics do not fit the priority levels; it may not have followed a change yet"
                }
            };
            return Err(unknown(reason, false));
        };
        Ok(Self {
            seats,
            source: Source::Metrics {
                servers: vec![address],
                has_others: true,
            },
        })
    }

    /// Servers with equal numbers together, the smallest number first.
    fn grouped(found: Vec<Self>, others: bool) -> Vec<Self> {
        let mut groups = BTreeMap::<u32, Self>::new();
        for seats in found {
            let Source::Metrics { servers: more, .. } = &seats.source else {
                continue;
            };
            let more = more.clone();
            let group = groups.entry(seats.seats).or_insert_with(|| {
                let mut group = seats;
                if let Source::Metrics { servers, .. } = &mut group.source {
                    servers.clear();
                }
                group
            });
            if let Source::Metrics {
                servers,
                has_others,
                ..
            } = &mut group.source
            {
                servers.extend(more);
                *has_others = others;
            }
        }
        groups.into_values().collect()
    }

    /// The API servers with this number, if it was read.
    pub(crate) fn servers(&self) -> Option<&[String]> {
        match &self.source {
            Source::Metrics { servers, .. } => Some(servers),
            _ => None,
        }
    }

    /// Whether the number is a guess: neither given nor read.
    pub(crate) fn is_assumed(&self) -> bool {
        matches!(self.source, Source::Default)
    }

    /// Whether the number is that of a server: of the cluster, or of metrics in a file.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.source, Source::Metrics { .. } | Source::File(_))
    }
}

impl fmt::Display for ServerSeats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seats = plural(self.seats, "seat");
        write!(f, "{seats} per server{}", self.source)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str(" (default)"),
            Self::Given(by) => write!(f, " ({by})"),
            Self::File(name) => write!(f, " (metrics in {name})"),
            Self::Metrics {
                servers,
                has_others,
            } => {
                let others = if *has_others {
                    "; others may differ"
                } else {
                    ""
                };
                write!(f, " (metrics of {}{others})", servers.join(" and "))
            }
        }
    }
}

/// A number of seats that a server can have.
pub(crate) fn seats(text: &str) -> Result<u32, String> {
    let seats = text.parse().ok().filter(|seats| (1..=MANY).contains(seats));
    seats.ok_or_else(|| format!("seats must be between 1 and {MANY}, not {text}"))
}
