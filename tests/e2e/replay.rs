//! The example `replay`: an answer of `size` on a server, and a load that is sent at its times, beside the prediction of the simulation.

use crate::config::support::Folder;
use crate::e2e::example_programs::{example, output};
use serde_json::json;
use std::fmt::Write;
use std::process::Command;

/// The words of the line of a user: requests, rejections and their prediction, and waits with their predictions.
fn numbers(out: &str, user: &str) -> Vec<u64> {
    let line = out
        .lines()
        .find_map(|line| line.strip_prefix(user)?.strip_prefix(' '));
    let words = line
        .unwrap_or_else(|| panic!("no line of {user} in:\n{out}"))
        .split_whitespace();
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Runs the example, which fails if the rejections differ from the prediction, with its own intents and load.
fn replay(command: &mut Command, [hasty, calm]: [&str; 2]) {
    let out = output(command);
    println!("{out}");
    // The answer of `size`, with its reason, which the server has.
    assert!(
        out.contains("# 0 % borrowing: never more than 3 seats"),
        "{out}"
    );
    assert!(out.contains(&format!("  name: size-{hasty}\n")), "{out}");
    let (hasty, calm) = (numbers(&out, hasty), numbers(&out, calm));
    assert_eq!((hasty.len(), calm.len()), (7, 7), "{out}");
    assert_eq!((hasty[0], calm[0]), (166, 33), "{out}");
    // The load of one user is more than its level executes, and the other has separate seats.
    assert!(hasty[1] > 10 && hasty[2] > 10, "{out}");
    assert_eq!((calm[1], calm[2]), (0, 0), "{out}");
    assert!(hasty[3] > 1000 && hasty[4] > 1000, "{out}");
    assert!(calm[3] < 200 && calm[4] == 0, "{out}");
}

fn on_embedded() -> Command {
    let mut command = example("replay");
    for variable in ["FLOWCONTROL_TEST_KUBECONFIG", "REPLAY_PATH", "REPLAY_USERS"] {
        command.env_remove(variable);
    }
    command
}

#[test]
fn an_embedded_server_rejects_what_is_predicted() {
    replay(&mut on_embedded(), ["hasty", "calm"]);
}

/// Intents and an audit log of somebody else: both users get levels, and wait as predicted.
#[test]
fn intents_and_a_log_of_your_own_are_replayed() {
    let folder = Folder::new();
    let file = "\
server: {seats: 100}
intents:
- client: {user: hasty, groups: [kubeadm:cluster-admins]}
  neverMoreThan: {seats: 2}
- client: {user: calm, groups: [kubeadm:cluster-admins]}
  waits: {p90: 50ms}
  neverMoreThan: {seats: 4}
";
    let intents = folder.write("intents.yaml", file);
    let mut events = String::new();
    for (user, pause, count) in [("hasty", 60, 50), ("calm", 300, 10), ("other", 100, 5)] {
        for number in 1..=count {
            let at = pause * number;
            let event = json!({
                "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("{user}-{number}"), "stage": "ResponseComplete",
                "verb": "get", "requestURI": "/api/v1/namespaces/a/pods/b", "user": {"username": user}, "responseStatus": {"code": 200},
                "requestReceivedTimestamp": format!("2026-01-01T10:00:{:02}.{:03}000Z", at / 1000, at % 1000),
                "stageTimestamp": format!("2026-01-01T10:00:{:02}.{:03}000Z", at / 1000, at % 1000),
            });
            writeln!(events, "{event}").unwrap();
        }
    }
    let log = folder.write("audit.log", events);
    let out = output(on_embedded().args([&intents, &log]));
    println!("{out}");
    for reason in ["never more than 2 seats", "never more than 4 seats"] {
        assert!(out.contains(reason), "{out}");
    }
    let (hasty, calm) = (numbers(&out, "hasty"), numbers(&out, "calm"));
    assert_eq!((hasty[0], calm[0]), (50, 10), "{out}");
    // Sixteen requests a second, of which two seats execute ten.
    assert!(hasty[3] > 300 && hasty[4] > 300, "{out}");
    // A busy machine executes some requests of the load, and of the measurement before it, for longer.
    let (waited, predicted) = (hasty[3], hasty[4]);
    assert!(waited < 2 * predicted && predicted < 2 * waited, "{out}");
    assert_eq!(calm[4], 0, "{out}");
}

#[test]
#[ignore = "needs a cluster in FLOWCONTROL_TEST_KUBECONFIG, and REPLAY_PATH, a path whose requests take time"]
fn a_cluster_rejects_what_is_predicted() {
    for variable in ["FLOWCONTROL_TEST_KUBECONFIG", "REPLAY_PATH"] {
        assert!(
            std::env::var_os(variable).is_some(),
            "{variable} is not set"
        );
    }
    let users = std::env::var("REPLAY_USERS").unwrap_or_else(|_| "hasty,calm".to_owned());
    let (hasty, calm) = users.split_once(',').unwrap();
    replay(&mut example("replay"), [hasty.trim(), calm.trim()]);
}
