//! Renewals of a plugin's credential before it expires.

use crate::config::exec::{client, credential, ended, line_of, runs};
use crate::config::support::{Folder, Notices, Server, ask, ask_together};
use k8s_flowcontrol::config::ExecPlugin;
use serde_json::json;
use std::time::Duration;

/// A plugin whose first run prints a token that is due at once, and whose later runs do something else.
fn early(folder: &Folder, later: &str) -> ExecPlugin {
    let status = json!({"token": "first", "expirationTimestamp": "2999-01-01T00:00:00Z"});
    folder.write("answer", credential(status));
    let body = format!(
        "cd \"$(dirname \"$0\")\" && echo run >> runs\nif [ \"$(wc -l < runs)\" -eq 1 ]; then exec cat answer; fi\n{later}"
    );
    let forever = Duration::from_secs(60 * 60 * 24 * 366 * 1000);
    ExecPlugin::new(folder.script("early", &body)).renew_before(forever)
}

#[tokio::test]
async fn an_early_renewal_delays_no_request() {
    let folder = Folder::new();
    let server = Server::secure().await;
    folder.write("next", credential(json!({"token": "second"})));
    let hanging = "mkfifo gate && echo there > waiting && cat gate > /dev/null && cat next";
    let client = client(&server, early(&folder, hanging));
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    line_of(&folder.path("waiting")).await;
    ask_together(&client, 20).await;
    assert_eq!(runs(&folder), 2, "one renewal at a time");
    for request in server.requests() {
        assert_eq!(request.header("authorization"), Some("Bearer first"));
    }
    let gate = folder.path("gate");
    let open = move || std::fs::write(gate, "open");
    tokio::task::spawn_blocking(open).await.unwrap().unwrap();
    while server.last_header("authorization").unwrap() != "Bearer second" {
        ask(&client).await.unwrap();
    }
    assert_eq!(runs(&folder), 2);
}

#[tokio::test]
async fn a_failed_early_renewal_is_reported_and_fails_no_request() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let notices = Notices::collect();
    let client = client(&server, early(&folder, "exit 3"));
    let reported = loop {
        ask(&client).await.unwrap();
        assert_eq!(server.last_header("authorization").unwrap(), "Bearer first");
        if let Some(notice) = notices.take().pop() {
            break notice;
        }
    };
    assert!(reported.contains("failed with exit code 3"), "{reported}");
    assert!(reported.contains("until it expires"), "{reported}");
}

#[tokio::test]
async fn a_renewal_ends_with_its_client() {
    use std::io::IsTerminal;
    if std::io::stdin().is_terminal() {
        // Only the plugin itself is killed then.
        return;
    }
    let folder = Folder::new();
    let server = Server::secure().await;
    let hanging = "sleep 600 &\necho $! > child; echo $$ > parent; wait";
    let client = client(&server, early(&folder, hanging));
    ask(&client).await.unwrap();
    ask(&client).await.unwrap();
    let child = line_of(&folder.path("child")).await;
    let parent = line_of(&folder.path("parent")).await;
    drop(client);
    ended(&parent).await;
    ended(&child).await;
}
