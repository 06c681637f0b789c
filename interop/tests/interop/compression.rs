//! A build in which another crate has turned on all decompression of reqwest, here a dependency of these tests.

use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol_server::ApiServer;

#[tokio::test]
async fn features_of_reqwest_change_nothing() {
    // The newest release compresses watches for clients that accept it.
    let server = ApiServer::builder()
        .record_requests()
        .start()
        .await
        .unwrap();
    let config = Config::new(server.url()).unwrap();
    let plain = Client::new(config.clone()).unwrap();
    plain.flow_schemas().list().await.unwrap();
    let client = Client::new(config.with_compression(true)).unwrap();
    let levels = client.priority_level_configurations();
    let built_in = levels.list().await.unwrap().items.len();
    let mut events = levels.watch().await.unwrap();
    for _ in 0..built_in {
        assert!(matches!(
            events.next().await,
            Some(Ok(WatchEvent::Added { .. }))
        ));
    }
    levels.delete("workload-low").await.unwrap();
    assert!(matches!(
        events.next().await,
        Some(Ok(WatchEvent::Deleted { .. }))
    ));

    let asked = server.requests();
    let encodings = asked
        .iter()
        .map(|request| request.header("accept-encoding").unwrap_or_default());
    // Only where the program asks for it, and never for a watch.
    let expected = ["identity", "gzip", "identity", "gzip"];
    assert_eq!(encodings.collect::<Vec<_>>(), expected);
}
