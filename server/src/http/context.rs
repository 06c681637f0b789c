//! The parts of a server that requests use.

use super::heavy::Turns;
use super::hosts::Hosts;
use crate::auth::CurrentTokens;
use crate::endpoints::Endpoints;
use crate::faults::Faults;
use crate::state::State;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) state: Arc<State>,
    /// The known bearer tokens. Without them every request is of `system:masters`.
    pub(crate) tokens: CurrentTokens,
    pub(crate) faults: Arc<Faults>,
    /// The hosts for which requests are served.
    pub(crate) hosts: Hosts,
    /// The maximum time between two parts of a request's body.
    pub(crate) patience: Duration,
    /// The turns of long work.
    pub(crate) turns: Turns,
    /// `host:port` of the server.
    pub(crate) address: Arc<str>,
    /// The API servers of the control plane.
    pub(crate) endpoints: Arc<Endpoints>,
    /// True once the server stops.
    pub(crate) stopping: watch::Receiver<bool>,
}

/// Returns when the server stops.
pub(crate) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A closed channel means that the server is gone.
    let _gone = stopping.wait_for(|stopping| *stopping).await.is_err();
}
