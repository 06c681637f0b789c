//! Reads a watch and only counts its lines: no client of this server is faster.
//!
//! `bench-drain URL EVENTS [1]`; with `1` without HTTP/2.

use bench_data::{Meter, report_events};
use std::error::Error;

const PATH: &str = "apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?watch=true&resourceVersion=0";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let usage = "usage: URL EVENTS [1]";
    let (url, events) = (
        arguments.first().ok_or(usage)?,
        arguments.get(1).ok_or(usage)?.parse::<usize>()?,
    );
    // Another part of the program may have chosen one already.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder().tls_danger_accept_invalid_certs(true);
    if arguments.get(2).is_some() {
        builder = builder.http1_only();
    }
    let client = builder.build()?;
    let meter = Meter::start();
    let mut response = client.get(format!("{url}/{PATH}")).send().await?;
    let mut lines = 0;
    while lines < events {
        let chunk = response.chunk().await?.ok_or("the watch ended early")?;
        lines += chunk.iter().filter(|byte| **byte == b'\n').count();
    }
    report_events(&meter, events);
    Ok(())
}
