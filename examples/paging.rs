//! Reads a large collection page by page, stops in the middle, and goes on later, perhaps in another process. A request that takes too
//! long is dropped: that cancels it.
//!
//! `cargo run --example paging`; set `KUBECONFIG` to use a cluster.

mod support;

use k8s_flowcontrol::Resource;
use k8s_flowcontrol::client::PageToken;
use std::time::Duration;
use support::{Outcome, connect};

#[tokio::main]
async fn main() -> Outcome {
    let (client, _server) = connect().await?;
    let schemas = client.flow_schemas();

    // The first two pages. The program keeps the token, as JSON.
    let mut pages = schemas.list().limit(3).pages();
    let mut names = Vec::new();
    for _ in 0..2 {
        if let Some(page) = pages.next().await {
            names.extend(
                page?
                    .items
                    .into_iter()
                    .map(|schema| schema.name().to_owned()),
            );
        }
    }
    let saved = serde_json::to_string(&pages.page_token())?;
    println!("read {} and saved the place", names.len());
    // Dropping the pages closes nothing on the server: a token is all that it needs.
    drop(pages);

    let token: Option<PageToken> = serde_json::from_str(&saved)?;
    if let Some(token) = token {
        let mut items = schemas.list().page_token(&token).items();
        while let Some(schema) = items.next().await {
            match schema {
                Ok(schema) => names.push(schema.name().to_owned()),
                // The server has forgotten the list: begin again.
                Err(error) if error.is_expired() => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    println!("read {} schemas in pages", names.len());

    // A dropped future ends its request; the connection is closed or used again, and no task is left.
    let slow = schemas.list();
    match tokio::time::timeout(Duration::from_secs(5), slow).await {
        Ok(list) => println!("read {} schemas at once", list?.items.len()),
        Err(_) => println!("the server took too long; the request was cancelled"),
    }
    // The client's own limit includes retries, and its error says what happened.
    let limited = schemas.list().timeout(Duration::from_nanos(1)).await;
    println!(
        "with a limit: timed out is {}",
        limited.is_err_and(|error| error.is_timeout())
    );
    Ok(())
}
