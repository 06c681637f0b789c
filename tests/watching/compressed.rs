//! Watches that are compressed although the client did not request it.

use crate::watching::support::create;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::client::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol::watch::WatchEvent;
use k8s_flowcontrol_server::ApiServer;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn a_compressed_watch_is_read_as_it_arrives() {
    let server = ApiServer::builder()
        .kubernetes("1.37")
        .start()
        .await
        .unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    let config = Config::new(server.url()).unwrap().with_compression(true);
    let plain = Client::new(config).unwrap().before_request(move |request| {
        let encoding = request.headers().get("accept-encoding").cloned();
        seen.lock().unwrap().push(encoding.unwrap());
    });
    let packed = Client::from_url(server.url())
        .unwrap()
        .before_request(|request| {
            let gzip = "gzip".parse().unwrap();
            request.headers_mut().insert("accept-encoding", gzip);
        });
    for client in [plain, packed] {
        let levels = client.api::<Level>();
        let mut events = levels.watch().await.unwrap();
        for _ in 0..levels.list().await.unwrap().items.len() {
            assert!(matches!(
                events.next().await,
                Some(Ok(WatchEvent::Added { .. }))
            ));
        }
        let name = format!("new-{}", asked.lock().unwrap().len());
        create(&client, &name, &[]).await;
        let event = events.next().await.unwrap().unwrap();
        assert!(
            matches!(&event, WatchEvent::Added { object, .. } if object.metadata.name.as_deref() == Some(&name))
        );
    }
    let asked = asked.lock().unwrap();
    assert_eq!(asked[0], "identity");
    assert_eq!(asked[1], "gzip");
}
