//! Requests that are dropped at each of their await points leave no process of a credential plugin.

use crate::requests::cancelling::{abandon, no_task_is_left, runtime};
use crate::requests::cancelling_operations::OPERATIONS;
use crate::requests::support::{config, hasty};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::ExecPlugin;
use k8s_flowcontrol_server::ApiServer;
use std::time::Duration;
use tokio::runtime::Builder;

/// The processes that this one has started and not waited for, dead or alive; none where the system has no `/proc`.
fn children() -> Vec<String> {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let states = processes
        .filter_map(|process| std::fs::read_to_string(process.path().join("stat")).ok())
        // After the name in parentheses: the state, and the parent.
        .filter(|stat| {
            let after = stat.rsplit(") ").next().unwrap_or_default();
            after.split(' ').nth(1) == Some(own.as_str())
        });
    states.collect()
}

/// In a separate process, whose children are counted.
#[test]
fn a_dropped_request_leaves_no_plugin() {
    let output = crate::child("requests::cancelling_plugins::plugins_of_dropped_requests")
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}

#[test]
#[ignore = "in a separate process"]
fn plugins_of_dropped_requests() {
    let servers = Builder::new_multi_thread().enable_all().build().unwrap();
    let server = servers.block_on(async {
        let builder = ApiServer::builder().tls();
        let builder = builder.tokens("secret,admin,1,system:masters\n");
        builder.start().await.unwrap()
    });
    let credential = r#"{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"}}"#;
    // The plugin has a child, and takes a moment.
    let script = format!("sleep 0.01; echo '{credential}'");
    let plugin = ExecPlugin::new("sh").args(["-c".to_owned(), script]);
    let config = config(&server).with_exec(plugin).with_retry_policy(hasty());
    for (name, operation) in OPERATIONS {
        if !["list", "apply", "watch", "watcher", "wait_for", "stream"].contains(&name) {
            continue;
        }
        runtime().block_on(async {
            let mut polls = 1;
            loop {
                // A new client does not have credentials yet.
                let client = Client::new(config.clone()).unwrap();
                let done = abandon(operation(client), polls).await.is_some();
                if done {
                    break;
                }
                polls += 1;
                assert!(polls < 10_000, "{name} does not end");
            }
            no_task_is_left(name).await;
            let gone = async {
                while !children().is_empty() {
                    tokio::task::yield_now().await;
                }
            };
            let gone = tokio::time::timeout(Duration::from_secs(20), gone).await;
            assert!(gone.is_ok(), "{name}: {:?}", children());
        });
    }
}
