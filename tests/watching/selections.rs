//! Several selectors as one.

use crate::support::{create, delete, next, relabel, server, take, watcher, while_away};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration as Level;
use k8s_flowcontrol::watch::{Selection, Watcher};
use k8s_flowcontrol_server::ApiServer;
use std::time::Duration;

/// Team a, or team b, or the object named `special`.
fn any(client: &Client) -> Watcher<Level> {
    watcher(client).any_of([
        Selection::labels("team=a"),
        Selection::labels("also=a"),
        Selection::fields("metadata.name=special"),
    ])
}

/// The events of a list, with the items sorted, since the selections list concurrently.
async fn list(watcher: &mut Watcher<Level>) -> Vec<String> {
    let mut events = Vec::new();
    while events
        .last()
        .is_none_or(|last: &String| !last.starts_with("end"))
    {
        events.push(next(watcher).await);
    }
    let end = events.len() - 1;
    events[1..end].sort();
    events
}

#[tokio::test]
async fn an_object_of_several_selections_is_reported_once() {
    let (_server, client) = server().await;
    create(&client, "both", &[("team", "a"), ("also", "a")]).await;
    create(&client, "special", &[]).await;
    create(&client, "other", &[("team", "b")]).await;
    for streams in [true, false] {
        let mut watcher = any(&client).streaming_lists(streams);
        let expected = ["begin", "item both", "item special", "end"];
        assert_eq!(list(&mut watcher).await, expected);
    }
    let mut watcher = any(&client);
    list(&mut watcher).await;
    relabel(&client, "both", "x", Some("y")).await;
    relabel(&client, "special", "team", Some("a")).await;
    create(&client, "more", &[("also", "a")]).await;
    let mut events = take(&mut watcher, 3).await;
    events.sort();
    assert_eq!(events, ["applied both", "applied more", "applied special"]);
}

#[tokio::test]
async fn it_is_deleted_when_no_selection_matches_it() {
    let (_server, client) = server().await;
    create(&client, "x", &[("team", "a"), ("also", "a")]).await;
    let mut watcher = any(&client);
    assert_eq!(list(&mut watcher).await, ["begin", "item x", "end"]);
    // One selection still matches.
    relabel(&client, "x", "team", None).await;
    assert_eq!(next(&mut watcher).await, "applied x");
    // None matches.
    relabel(&client, "x", "also", None).await;
    assert_eq!(next(&mut watcher).await, "deleted x");
    // One matches again, then the object is deleted.
    relabel(&client, "x", "team", Some("a")).await;
    assert_eq!(next(&mut watcher).await, "applied x");
    delete(&client, "x").await;
    assert_eq!(next(&mut watcher).await, "deleted x");
}

#[tokio::test]
async fn a_move_between_selections_is_no_deletion() {
    let (_server, client) = server().await;
    create(&client, "x", &[("team", "a")]).await;
    let mut watcher = any(&client);
    assert_eq!(list(&mut watcher).await, ["begin", "item x", "end"]);
    let levels = client.priority_level_configurations();
    for round in 0..20 {
        let (team, also) = if round % 2 == 0 {
            (None, Some("a"))
        } else {
            (Some("a"), None)
        };
        let labels = serde_json::json!({"metadata": {"labels": {"team": team, "also": also}}});
        levels.patch("x").merge(&labels).await.unwrap();
        assert_eq!(next(&mut watcher).await, "applied x");
    }
}

#[tokio::test]
async fn selectors_of_the_watcher_narrow_each_selection() {
    let (_server, client) = server().await;
    create(&client, "a", &[("team", "a"), ("env", "prod")]).await;
    create(&client, "b", &[("team", "b"), ("env", "prod")]).await;
    create(&client, "c", &[("team", "a"), ("env", "test")]).await;
    let teams = [Selection::labels("team=a"), Selection::labels("team=b")];
    let mut several = watcher(&client).label_selector("env=prod").any_of(teams);
    assert_eq!(
        list(&mut several).await,
        ["begin", "item a", "item b", "end"]
    );
    let one = [Selection::labels("team=a")];
    let mut one = watcher(&client)
        .any_of(one)
        .field_selector("metadata.name!=a");
    assert_eq!(list(&mut one).await, ["begin", "item c", "end"]);
}

#[tokio::test]
async fn all_selections_list_again_together() {
    let (server, client) = server().await;
    create(&client, "x", &[("team", "a")]).await;
    create(&client, "y", &[("also", "a")]).await;
    create(&client, "z", &[("also", "a")]).await;
    let mut watcher = any(&client).watch_timeout(Duration::from_secs(1));
    let expected = ["begin", "item x", "item y", "item z", "end"];
    assert_eq!(list(&mut watcher).await, expected);
    while_away(&server, &mut watcher, async || {
        delete(&client, "y").await;
        relabel(&client, "x", "new", Some("yes")).await;
        create(&client, "special", &[]).await;
        server.expire_history();
    })
    .await;
    let mut events = list(&mut watcher).await;
    // A watch that was still open may have reported some of the changes.
    events.drain(..events.iter().position(|event| event == "begin").unwrap());
    events.retain(|event| !event.starts_with("error") && event != "begin");
    events.dedup();
    assert_eq!(events, ["item special", "item x", "item z", "end -y"]);
    relabel(&client, "z", "also", None).await;
    assert_eq!(next(&mut watcher).await, "deleted z");
}

#[tokio::test]
async fn an_object_created_again_is_deleted_before() {
    // Without bookmarks no selection knows how far the others are.
    let server = ApiServer::builder()
        .bootstrap(false)
        .bookmark_interval(Duration::from_secs(3600))
        .start()
        .await
        .unwrap();
    let client = Client::from_url(server.url()).unwrap();
    create(&client, "x", &[("team", "a")]).await;
    let mut watcher = any(&client);
    assert_eq!(list(&mut watcher).await, ["begin", "item x", "end"]);
    // In the same selection, then in another one, then in several.
    let again: [&[(&str, &str)]; 5] = [
        &[("team", "a")],
        &[("also", "a")],
        &[("team", "a"), ("also", "a")],
        &[("also", "a"), ("team", "a")],
        &[("team", "a")],
    ];
    for labels in again {
        delete(&client, "x").await;
        create(&client, "x", labels).await;
        assert_eq!(take(&mut watcher, 2).await, ["deleted x", "applied x"]);
    }
}
