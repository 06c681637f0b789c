//! Servers, proxies, certificates and files for the tests.

mod certificates;
mod folder;
mod notices;
mod proxy;
mod server;
mod socks;
mod strict;

pub(crate) use certificates::{Authority, Identity, own_authority, traditional_key};
pub(crate) use folder::Folder;
pub(crate) use notices::Notices;
pub(crate) use proxy::HttpProxy;
pub(crate) use server::{Answer, Request, Server, found, saying};
pub(crate) use socks::SocksProxy;
pub(crate) use strict::{Names, StrictServer};

use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::{Client, Error};

/// The result of one request.
pub(crate) async fn ask(client: &Client) -> Result<(), Error> {
    client.flow_schemas().get("a").await.map(drop)
}

/// The result of one request with a new client.
pub(crate) async fn ask_with(config: Config) -> Result<(), Error> {
    ask(&Client::new(config.with_retry_policy(RetryPolicy::none()))?).await
}

/// Sends a number of requests at the same time.
pub(crate) async fn ask_together(client: &Client, count: usize) {
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..count {
        let client = client.clone();
        tasks.spawn(async move { ask(&client).await });
    }
    while let Some(outcome) = tasks.join_next().await {
        outcome.unwrap().unwrap();
    }
}
