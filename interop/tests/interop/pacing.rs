//! The layer of `k8s-flowcontrol-pace` in kube's client.

use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_kube::Kube;
use k8s_flowcontrol_pace::Pace;
use k8s_flowcontrol_server::ApiServer;
use kube::api::{Api, ListParams};
use kube::client::ClientBuilder;

#[tokio::test]
async fn kube_learns_its_levels() {
    let server = ApiServer::builder().start().await.unwrap();
    let config = kube::Config::new(server.url().parse().unwrap());
    let pace = Pace::builder().max_limit(2).build();
    let client = ClientBuilder::try_from(config)
        .unwrap()
        .with_layer(&pace)
        .build();
    let schemas: Api<Kube<FlowSchema>> = Api::all(client);
    let lists = (0..20).map(|_| {
        let schemas = schemas.clone();
        async move {
            schemas
                .list(&ListParams::default())
                .await
                .unwrap()
                .items
                .len()
        }
    });
    let counts = futures_util::future::join_all(lists).await;
    assert!(counts.iter().all(|count| *count == counts[0] && *count > 0));
    let levels = pace.snapshot();
    assert_eq!(levels.len(), 1);
    assert_eq!((levels[0].started, levels[0].in_flight), (20, 0));
    assert!(!levels[0].priority_level_uid.is_empty());
}
