//! The names and the ages of objects.

use crate::cluster::Cluster;
use crate::cluster::made_up::{Answer, MadeUp};
use crate::common::{stderr, stdout};
use k8s_flowcontrol::meta::Time;
use serde_json::json;
use std::time::{Duration, SystemTime};

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_named_as_for_kubectl() {
    let cluster = Cluster::of("1.31").await;
    let names = |words: &str| {
        let words: Vec<_> = words.split_whitespace().collect();
        cluster.run(&[&["get", "-o", "name"], &words[..]].concat())
    };
    let lines = |words: &str| {
        let out = names(words).expect(0).out;
        let names = out
            .lines()
            .map(|line| line.replace(".flowcontrol.apiserver.k8s.io", ""));
        names.collect::<Vec<_>>()
    };
    let (schemas, levels) = (lines("fs"), lines("plc"));
    assert!(schemas.iter().all(|name| name.starts_with("flowschema/")) && schemas.len() > 5);
    assert!(
        levels
            .iter()
            .all(|name| name.starts_with("prioritylevelconfiguration/"))
    );
    let both = [schemas, levels].concat();
    for words in ["", "all", "fs,plc", "FlowSchemas,pl"] {
        assert_eq!(lines(words), both, "{words}");
    }
    for (words, expected) in [
        (
            "FlowSchemas.flowcontrol.apiserver.k8s.io probes exempt",
            ["flowschema/probes", "flowschema/exempt"],
        ),
        (
            "fs/probes plc/exempt",
            ["flowschema/probes", "prioritylevelconfiguration/exempt"],
        ),
    ] {
        assert_eq!(lines(words), expected, "{words}");
    }
    for (words, expected) in [
        ("pods", "unknown kind `pods`"),
        ("fs,plc a", "several kinds"),
        ("fs plc/a", "names alone"),
        ("fs/a b", "not of the form"),
        ("fs/a/b", "not of the form"),
        ("all/a", "not a single kind"),
    ] {
        let err = names(words).expect(2).err;
        assert!(err.contains(expected), "{words}: {err}");
    }
}

/// An age is a number of seconds in the range that has the same text for a minute more.
#[test]
fn ages_are_those_of_kubectl() {
    const HOUR: u64 = 3600;
    const DAY: u64 = 24 * HOUR;
    let ages = [
        (90, "s"),
        (150, "2m"),
        (545, "9m"),
        (600, "10m"),
        (3 * HOUR - 90, "178m"),
        (3 * HOUR, "3h"),
        (4 * HOUR + 60, "4h1m"),
        (8 * HOUR - 90, "7h58m"),
        (8 * HOUR + 60, "8h"),
        (2 * DAY - 90, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + HOUR, "2d1h"),
        (8 * DAY - 90, "7d23h"),
        (8 * DAY + HOUR, "8d"),
        (730 * DAY - 90, "729d"),
        (730 * DAY, "2y"),
        (731 * DAY, "2y1d"),
        (8 * 365 * DAY - 90, "7y364d"),
        (8 * 365 * DAY + DAY, "8y"),
    ];
    let now = SystemTime::now();
    let level = |(index, (age, _)): (usize, &(u64, &str))| {
        json!({
            "metadata": {"name": format!("level-{index:02}"), "creationTimestamp": Time::from(now - Duration::from_secs(*age))},
            "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
        })
    };
    let server = MadeUp::start();
    let version = json!({"groupVersion": "flowcontrol.apiserver.k8s.io/v1", "version": "v1"});
    let group = json!({"kind": "APIGroup", "apiVersion": "v1", "name": "flowcontrol.apiserver.k8s.io", "versions": [version], "preferredVersion": version});
    server.set("/apis/flowcontrol.apiserver.k8s.io/", Answer::json(&group));
    let release = json!({"major": "1", "minor": "31", "gitVersion": "v1.31.0"});
    server.set("/version", Answer::json(&release));
    let levels: Vec<_> = ages.iter().enumerate().map(level).collect();
    for (kind, items) in [
        ("PriorityLevelConfiguration", levels),
        ("FlowSchema", vec![]),
    ] {
        let version = "flowcontrol.apiserver.k8s.io/v1";
        let list = json!({"apiVersion": version, "kind": format!("{kind}List"), "metadata": {}, "items": items});
        let path = format!("/apis/{version}/{}s", kind.to_lowercase());
        server.set(&path, Answer::json(&list));
    }
    let output = server.run(&["get", "plc"]);
    let table = stdout(&output);
    let mut lines = table.lines();
    let titles = lines.next().unwrap_or_default().split_whitespace();
    let column = titles
        .clone()
        .position(|title| title == "AGE")
        .unwrap_or_else(|| panic!("{}", stderr(&output)));
    for ((seconds, expected), line) in ages.iter().zip(lines) {
        let age = line.split_whitespace().nth(column).unwrap();
        // Seconds go on.
        let is_expected = match *seconds {
            90 => age
                .strip_suffix('s')
                .and_then(|age| age.parse().ok())
                .is_some_and(|age| (90..120).contains(&age)),
            150 | 545 => age.starts_with(expected) && age.ends_with('s'),
            _ => age == *expected,
        };
        assert!(is_expected, "{seconds}: {age}");
    }
    assert_eq!(table.lines().count(), 1 + ages.len(), "{table}");
}
