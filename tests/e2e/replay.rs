//! The example `replay`: a load that is sent at its times, beside the prediction of the simulation.

use crate::e2e::examples::{example, output};
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

/// Runs the example, which fails if the rejections differ from the prediction.
fn replay(command: &mut Command, [hasty, calm]: [&str; 2]) {
    let out = output(command);
    println!("{out}");
    let (hasty, calm) = (numbers(&out, hasty), numbers(&out, calm));
    assert_eq!((hasty.len(), calm.len()), (7, 7), "{out}");
    assert_eq!((hasty[0], calm[0]), (166, 33), "{out}");
    // The load is more than the level executes, and fair queuing spares the user with few requests.
    assert!(hasty[1] > 50 && hasty[1] > 2 * calm[1], "{out}");
    assert!(hasty[2] > 50 && hasty[2] > 2 * calm[2], "{out}");
    assert!(hasty[3] > calm[3] && hasty[4] > calm[4], "{out}");
}

#[test]
fn an_embedded_server_rejects_what_is_predicted() {
    let mut command = example("replay");
    for variable in ["FLOWCONTROL_TEST_KUBECONFIG", "REPLAY_PATH", "REPLAY_USERS"] {
        command.env_remove(variable);
    }
    replay(&mut command, ["hasty", "calm"]);
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
