//! Memory that is not needed is given back. Each test measures a process of its own.

use super::{Reply, SECOND, end, line, object, watcher};
use k8s_flowcontrol::Resource as _;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol::watch::Store;
use std::process::Command;

/// The largest memory of this process so far, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.unwrap().trim().strip_suffix("kB").unwrap();
    number.trim().parse().unwrap()
}

/// Runs an ignored test below alone, and returns the KiB that it needed.
fn needed(test: &str) -> u64 {
    let test = format!("copies::memory::{test}");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", &test, "--ignored", "--nocapture"]);
    let output = output.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let number = text.lines().find_map(|line| line.strip_prefix("needed "));
    number.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}

#[test]
fn dropped_indexes_leave_nothing_in_a_store_that_does_not_change() {
    // 300,000 of them would take more than 20 MiB.
    let needed = needed("of_dropped_indexes");
    assert!(needed < 8 << 10, "{needed} KiB");
}

#[test]
#[ignore = "run by the test above"]
fn of_dropped_indexes() {
    let store = Store::from_objects([FlowSchema::partial("a")]);
    let kept: Vec<_> = (0..5).map(|_| store.index(|_| [1])).collect();
    let before = peak();
    for _ in 0..300_000 {
        drop(store.index(|_| Some(0)));
    }
    println!("\nneeded {}", peak() - before);
    assert!(kept.iter().all(|index| index.get(&1).len() == 1));
}

#[test]
fn an_object_that_a_list_repeats_is_kept_once() {
    // 40,000 of them would take more than 20 MiB.
    let needed = needed("of_repeated_objects");
    assert!(needed < 20 << 10, "{needed} KiB");
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn of_repeated_objects() {
    let mut watch = Reply::ok("");
    for round in 1..=27 {
        let lines: String = (0..1500)
            .map(|number| line("MODIFIED", &object(&number.to_string(), "-", round)))
            .collect();
        watch = watch.data(lines);
    }
    let watch = watch.data(line("DELETED", &object("7", "-", 100)));
    let store = Store::start(watcher([watch.data(end()).stays_open()]));
    let before = peak();
    let ready = tokio::time::timeout(60 * SECOND, store.wait_ready()).await;
    ready.unwrap().unwrap();
    println!("\nneeded {}", peak() - before);
    let all = store.snapshot();
    assert_eq!(all.len(), 1499);
    let is_last = |object: &FlowSchema| object.metadata.resource_version.as_deref() == Some("27");
    assert!(all.iter().all(|object| is_last(object)));
}
