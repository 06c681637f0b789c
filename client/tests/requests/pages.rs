//! Lists in pages.

use crate::script::{Reply, Script};
use k8s_flowcontrol::client::{EndlessList, ListProgress, ResourceVersionMatch};

#[tokio::test]
async fn the_token_replaces_the_resource_version() {
    let page = |token: &str| {
        let metadata = format!(r#"{{"resourceVersion":"7","continue":"{token}"}}"#);
        Reply::ok(format!(
            r#"{{"metadata":{metadata},"items":[{{"metadata":{{"name":"a"}}}}]}}"#
        ))
    };
    let script = Script::of([page("token"), page("token2"), page("")]);
    let list = script.client().flow_schemas().list();
    let list = list.label_selector("a=b").limit(1).resource_version("7");
    let mut items = list
        .resource_version_match(ResourceVersionMatch::Exact)
        .items();
    while let Some(item) = items.next().await {
        item.unwrap();
    }
    let sent = script.sent();
    let queries: Vec<_> = sent.iter().map(|request| request.query()).collect();
    assert_eq!(
        queries,
        [
            "labelSelector=a%3Db&limit=1&resourceVersion=7&resourceVersionMatch=Exact",
            "labelSelector=a%3Db&limit=1&continue=token",
            "labelSelector=a%3Db&limit=1&continue=token2",
        ]
    );
}

#[test]
fn every_list_has_an_end() {
    let mut list = ListProgress::default();
    for page in 0..100_000 {
        assert_eq!(list.page(Some(&page.to_string()), 1), Ok(true));
    }
    assert_eq!(list.page(Some("one more"), 1), Err(EndlessList::Pages));
    assert_eq!(list.page(None, 1), Ok(false));

    let mut list = ListProgress::default();
    for page in 0..1000 {
        assert_eq!(list.page(Some(&page.to_string()), 0), Ok(true));
    }
    assert_eq!(
        list.clone().page(Some("a"), 0),
        Err(EndlessList::EmptyPages)
    );
    assert_eq!(list.page(Some("a"), 1), Ok(true));
    assert_eq!(list.page(Some("b"), 0), Ok(true));
    assert_eq!(list.page(Some("a"), 1), Err(EndlessList::RepeatedToken));

    let mut list = ListProgress::default();
    assert_eq!(list.limited_page(Some("a"), 2, 2), Ok(true));
    assert_eq!(
        list.limited_page(Some("b"), 3, 2),
        Err(EndlessList::LongPage)
    );
    assert_eq!(list.limited_page(None, 3, 2), Ok(false));
}
