//! `traffic --follow` and `traffic --listen`: requests as they are logged.

mod batches;
mod follow;
mod keep;
mod listen;
mod print;
mod run;

use crate::number::number;
use clap::Args;
use k8s_flowcontrol_analysis::live::Threshold;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

pub(super) use run::run;

/// The options for requests as they are logged.
#[derive(Debug, Args)]
pub(super) struct LiveArgs {
    /// Follow these audit logs until Ctrl-C, across rotation: a renamed, truncated or compressed file is read to its end. Shows the
    /// requests of a rolling window
    #[arg(long, value_name = "LOG", num_args = 1.., conflicts_with_all = CONFLICTS)]
    pub(super) follow: Vec<PathBuf>,

    /// Receive the batches of kube-apiserver's audit webhook on this address until Ctrl-C, such as 127.0.0.1:9443. GET /metrics has the
    /// metrics for Prometheus, GET /summary the window as JSON. An address that other hosts can reach needs TLS and `--tokens`
    #[arg(long, value_name = "ADDRESS", requires = "state", conflicts_with_all = CONFLICTS, value_parser = address)]
    pub(super) listen: Option<SocketAddr>,

    /// Keep the counts and positions in this file and in FILE.journal, readable only by you, so that a restart continues: a batch is
    /// acknowledged when it is there
    #[arg(long, value_name = "FILE", requires = AS_LOGGED)]
    pub(super) state: Option<PathBuf>,

    /// The length of the rolling window, from 1s to 24h
    #[arg(long, value_name = "TIME", default_value = "5m", requires = AS_LOGGED, value_parser = window)]
    pub(super) window: Duration,

    /// The time between two reports
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = AS_LOGGED, value_parser = number::<u64>(1..=86_400))]
    pub(super) interval: u64,

    /// Report when a rate over the window exceeds this, and when it no longer does: SCOPE.MEASURE>NUMBER with /s, /m, /h or %, such as
    /// 'caller.requests>50/s', 'level.rejected>1%', 'all.errors>5%' or 'level.seats>20'; can be repeated
    #[arg(long, value_name = "THRESHOLD", requires = AS_LOGGED)]
    pub(super) alert: Vec<Threshold>,

    /// The certificate of `--listen`, in PEM, followed by those between it and its authority
    #[arg(long, value_name = "FILE", requires_all = ["tls_private_key_file", "listen"])]
    pub(super) tls_cert_file: Option<PathBuf>,

    /// The private key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert_file")]
    pub(super) tls_private_key_file: Option<PathBuf>,

    /// A file with the bearer tokens of clients of `--listen`, like kube-apiserver's `--token-auth-file`: token,user,uid
    #[arg(long, value_name = "FILE", requires = "listen")]
    pub(super) tokens: Option<PathBuf>,

    /// Listen on an address that other hosts can reach without `--tokens` or without TLS: everyone who reaches it may add requests and
    /// read the callers
    #[arg(long, requires = "listen")]
    pub(super) unprotected: bool,
}

/// The group of the options that count requests as they are logged.
pub(super) const AS_LOGGED: &str = "as_logged";

const CONFLICTS: [&str; 7] = [
    "audit_log",
    "compare",
    "html",
    "partial",
    "each_request",
    "against",
    "comment",
];

impl LiveArgs {
    /// Whether requests are counted as they are logged.
    pub(super) fn is_given(&self) -> bool {
        !self.follow.is_empty() || self.listen.is_some()
    }
}

/// A time from one second to a day.
fn window(text: &str) -> Result<Duration, String> {
    let time: jiff::SignedDuration = text
        .parse()
        .map_err(|_| format!("{text} is not a time: expected a number with s, m or h"))?;
    let time = Duration::try_from(time).unwrap_or_default();
    match (1..=86_400).contains(&time.as_secs()) {
        true => Ok(time),
        false => Err(format!("the time must be between 1s and 24h, not {text}")),
    }
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "expected an IP address with a port, such as 127.0.0.1:9443".to_owned())
}
