//! Lists of hostile servers that do not end.

use crate::requests::script::{Script, answer};

fn page(token: &str, items: usize) -> Vec<u8> {
    let items = vec![r#"{"metadata":{"name":"a"}}"#; items].join(",");
    format!(r#"{{"metadata":{{"resourceVersion":"5","continue":"{token}"}},"items":[{items}]}}"#)
        .into_bytes()
}

#[tokio::test]
async fn a_list_without_an_end_is_an_error() {
    let repeated = ["a", "b", "a"].map(|token| page(token, 1));
    let empty = (0..1001).map(|number| page(&number.to_string(), 0));
    let crowded = [page("a", 3)];
    for (pages, message) in [
        (repeated.to_vec(), "the server repeated a continue token"),
        (
            empty.collect(),
            "the list has more than 1000 empty pages in a row",
        ),
        (
            crowded.to_vec(),
            "the server sent more items than the limit of the page",
        ),
    ] {
        let count = pages.len();
        let pages = pages.into_iter().map(|page| answer(200, "", page));
        let server = Script::start(pages.collect()).await;
        let mut items = server.client.flow_schemas().list().limit(2).items();
        let error = loop {
            match items.next().await.unwrap() {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains(message), "{error}");
        assert!(items.next().await.is_none());
        assert_eq!(server.requests().len(), count);
        server.played().await;
    }
}
