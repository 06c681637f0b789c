//! Lists in pages.

use crate::e2e::support::{Cluster, release, sample, unique};
use k8s_flowcontrol::api::v1;
use k8s_flowcontrol::client::PageToken;

#[tokio::test]
async fn pages_and_items_follow_the_token() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
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
}

/// A token that has been stored.
fn stored(token: Option<PageToken>) -> PageToken {
    let text = serde_json::to_string(&token.unwrap()).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn another_process_continues_a_list() {
    for cluster in Cluster::each().await {
        let schemas = cluster.schemas().await;
        let label = unique("paging");
        let ours = format!("paging={label}");
        let mut expected = Vec::new();
        for _ in 0..5 {
            let mut schema: v1::FlowSchema = sample(&unique("paging"));
            let labels = &mut schema.metadata.labels;
            labels.insert("paging".into(), label.clone());
            expected.push(schemas.create(&schema).await.unwrap().metadata.name);
        }
        expected.sort();

        let mut names = Vec::new();
        let mut pages = schemas.list().label_selector(&ours).limit(2).pages();
        assert_eq!(pages.page_token(), None);
        let mut sizes = Vec::new();
        loop {
            let page = pages.next().await.unwrap().unwrap();
            sizes.push(page.items.len());
            names.extend(page.items.into_iter().map(|schema| schema.metadata.name));
            if pages.page_token().is_none() {
                break;
            }
            let token = stored(pages.page_token());
            pages = schemas.list().page_token(&token).pages();
            assert_eq!(pages.page_token(), Some(token));
        }
        assert_eq!(sizes, [2, 2, 1]);
        assert_eq!(names, expected);
        assert!(pages.next().await.is_none());

        let mut pages = schemas.list().label_selector(&ours).limit(1).pages();
        pages.next().await.unwrap().unwrap();
        let token = stored(pages.page_token());
        let rest = schemas.list().label_selector(&ours).page_token(&token);
        assert_eq!(rest.limit(500).await.unwrap().items.len(), 4);
        let other = schemas.list().label_selector("a=b").page_token(&token);
        let error = other.await.unwrap_err();
        assert!(error.is_argument(), "{error}");
        let levels = cluster.levels().await;
        let error = levels.list().page_token(&token).await.unwrap_err();
        assert!(error.is_argument(), "{error}");
        schemas
            .delete_collection()
            .label_selector(&ours)
            .await
            .unwrap();
    }
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
    let later = schemas.list().page_token(&stored(pages.page_token()));
    assert!(later.await.unwrap_err().is_expired());
    // The rest of the list comes from a newer state. The caller decides whether to use it.
    let token = error.continue_token().expect("the server offers a token");
    let rest = schemas.list().continue_token(token).await.unwrap();
    assert!(rest.items.len() >= all - 2);
}

#[test]
fn a_token_is_the_path_and_query_of_a_page() {
    let text = "/apis/a/v1/things?labelSelector=a%3Db%2Cc&limit=2&continue=x%2By%3D";
    let token: PageToken = text.parse().unwrap();
    assert_eq!(token.to_string(), text);
    assert_eq!(stored(Some(token.clone())), token);
    for text in ["", "?", "/apis/a/v1/things?limit=2", "x+y="] {
        let error = text.parse::<PageToken>().unwrap_err();
        assert!(error.is_argument(), "{error}");
        let json = serde_json::to_string(text).unwrap();
        assert!(serde_json::from_str::<PageToken>(&json).is_err());
    }
}
