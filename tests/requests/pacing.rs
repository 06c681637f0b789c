//! The layer of `k8s-flowcontrol-pace` around the client.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol_pace::Pace;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::time::Duration;

fn paced(client: Client, pace: &Pace) -> Client {
    let pace = pace.clone();
    client.layer(move |request, next| {
        let pace = pace.clone();
        async move { pace.send(request, |request| next.run(request)).await }
    })
}

#[tokio::test]
async fn it_learns_the_level_and_leaves_watches_alone() {
    let server = ApiServer::start().await.unwrap();
    let pace = Pace::builder().max_limit(1).build();
    let client = paced(Client::from_url(server.url()).unwrap(), &pace);
    let levels = client.priority_level_configurations();
    let listed = levels.list().send().await.unwrap();
    // The watch stays open, and does not take a place.
    let mut events = levels.watch().await.unwrap();
    assert!(events.next().await.unwrap().is_ok());
    for _ in 0..5 {
        levels.list().await.unwrap();
    }
    let known = pace.snapshot();
    assert_eq!(known.len(), 1);
    assert_eq!(
        Some(&*known[0].priority_level_uid),
        listed.priority_level_uid()
    );
    assert_eq!((known[0].started, known[0].in_flight), (6, 0));
}

#[tokio::test]
async fn a_retry_finds_its_place_after_the_pause() {
    let server = ApiServer::start().await.unwrap();
    let pace = Pace::new();
    let client = paced(Client::from_url(server.url()).unwrap(), &pace)
        .with_retry_policy(RetryPolicy::default().with_initial_backoff(Duration::ZERO));
    client.flow_schemas().list().await.unwrap();
    server.inject(Fault::rejected(1));
    client.flow_schemas().list().await.unwrap();
    let level = &pace.snapshot()[0];
    assert_eq!((level.rejected, level.started), (1, 3));
}
