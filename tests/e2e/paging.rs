//! Lists in pages.

use crate::support::{Cluster, release, sample, unique};
use k8s_flowcontrol::api::v1;

#[tokio::test]
async fn pages_and_items_follow_the_token() {
    let cluster = Cluster::start().await;
    let schemas = cluster.client.flow_schemas();
    let label = unique("paging");
    let mut expected = Vec::new();
    for _ in 0..7 {
        let mut schema: v1::FlowSchema = sample(&unique("paging"));
        schema
            .metadata
            .labels
            .insert("paging".into(), label.clone());
        expected.push(schemas.create(&schema).await.unwrap().metadata.name);
    }
    expected.sort();
    let ours = format!("paging={label}");

    let mut sizes = Vec::new();
    let mut pages = schemas.list().label_selector(&ours).limit(3).pages();
    while let Some(page) = pages.next().await {
        sizes.push(page.unwrap().items.len());
    }
    assert_eq!(sizes, [3, 3, 1]);

    let mut names = Vec::new();
    let mut items = schemas.list().label_selector(&ours).limit(2).items();
    while let Some(item) = items.next().await {
        names.push(item.unwrap().metadata.name);
    }
    assert_eq!(names, expected);
    schemas
        .delete_collection()
        .label_selector(&ours)
        .await
        .unwrap();
}

#[tokio::test]
async fn an_expired_token_is_reported_with_a_fresh_one() {
    let (server, client) = release("1.29").await;
    let schemas = client.flow_schemas();
    let all = schemas.list().await.unwrap().items.len();
    let mut pages = schemas.list().limit(2).pages();
    assert_eq!(pages.next().await.unwrap().unwrap().items.len(), 2);
    schemas.create(&sample(&unique("paging"))).await.unwrap();
    server.expire_history();

    let error = pages.next().await.unwrap().unwrap_err();
    assert!(error.is_expired(), "{error}");
    assert!(pages.next().await.is_none(), "an error ends the pages");
    // The rest of the list comes from a newer state. The caller decides whether to use it.
    let token = error.continue_token().expect("the server offers a token");
    let rest = schemas.list().continue_token(token).await.unwrap();
    assert!(rest.items.len() >= all - 2);
}
