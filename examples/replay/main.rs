//! Applies an answer of `size` to a server, sends it the load at its times, and compares the waits and rejections with the prediction of the simulation.
//!
//! `cargo run --example replay [INTENTS [LOG]]` reads intents, which need the clients of two users. Without a file, one of them must not use more
//! than three seats, and the other must not wait. The load are the requests of these users in an audit log, or 200 requests in six seconds, of
//! which one user sends most. The program sizes the server, creates the added levels and flow schemas, sends the requests, deletes the
//! objects, and prints what it observed beside what [`Recording`](k8s_flowcontrol_analysis::simulation::Recording) predicts for the same requests. It
//! exits with 1 if the rejections of a user differ by more than 10 requests and 15 %.
//!
//! Without variables the server is an embedded one. With these it is a cluster:
//!
//! - `FLOWCONTROL_TEST_KUBECONFIG`: the kubeconfig of a user that may write the objects of flow control, read `/metrics` and impersonate.
//! - `REPLAY_PATH`: a path whose requests take time, 100 ms to 1 s. The users must be allowed to read it.
//! - `REPLAY_USERS`: the names of the two users, separated by a comma; `hasty,calm` without it. A user for which the kubeconfig has a context of the same name
//!   and server uses this context; others are impersonated, in the group `kubeadm:cluster-admins`.

#[path = "../support/mod.rs"]
mod support;

mod answer;
mod cluster;
mod load;
mod prediction;

use cluster::Cluster;
use load::{Load, Sent};
use std::time::Duration;
use support::Failure;

/// The longest time for which the program waits for the server.
const LONGEST: Duration = Duration::from_secs(120);

#[tokio::main]
async fn main() -> support::Outcome {
    let cluster = Cluster::start().await?;
    let compared = tokio::time::timeout(LONGEST, compare(&cluster)).await;
    cluster.delete_objects().await?;
    let within = compared.map_err(|_elapsed| {
        format!("the server did not follow the objects and answer within {LONGEST:?}")
    })??;
    match within {
        true => println!("The rejections are within 15 % or 10 requests of the prediction."),
        false => {
            println!("The rejections differ from the prediction.");
            std::process::exit(1);
        }
    }
    Ok(())
}

/// Whether the server rejected as many requests as predicted.
async fn compare(cluster: &Cluster) -> Result<bool, Failure> {
    let mut files = std::env::args_os().skip(1);
    let (intents, log) = (files.next(), files.next());
    let load = match log {
        Some(log) => Load::of_log(&std::fs::read(log)?, &cluster.users)?,
        None => Load::new(),
    };
    let execution = cluster.measure_execution().await?;
    println!(
        "A request for {} executes for {} ms",
        cluster.path,
        execution.as_millis()
    );
    let before = cluster.configuration().await?;
    let intents = match intents {
        Some(file) => std::fs::read(file)?,
        None => answer::intents(&cluster.users, before.seats).into_bytes(),
    };
    let sizing = answer::size(&intents, &before, cluster, &load, execution)?;
    println!("{}", sizing.manifests());
    cluster.apply(&sizing).await?;
    let sent = load.send(cluster).await?;
    let late = sent.iter().map(Sent::late).max().unwrap_or_default();
    println!(
        "Sent {} requests, at most {} ms late",
        sent.len(),
        late.as_millis()
    );
    let server = cluster.configuration().await?;
    prediction::compare(&server, cluster, &sent, execution)
}
