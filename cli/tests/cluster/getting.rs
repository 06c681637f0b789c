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
    for words in [
        "",
        "all",
        "fs,plc",
        "FlowSchemas,pl",
        "fs,plc,fs",
        "FlowSchema.flowcontrol,pl",
    ] {
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
    assert_eq!(
        lines("fs,plc exempt catch-all"),
        [
            "flowschema/exempt",
            "flowschema/catch-all",
            "prioritylevelconfiguration/exempt",
            "prioritylevelconfiguration/catch-all"
        ]
    );
    assert_eq!(
        names("fs exempt").expect(0).out,
        "flowschema.flowcontrol.apiserver.k8s.io/exempt\n"
    );
    for (words, expected) in [
        ("pods", "unknown kind `pods`"),
        ("FlowSchemas.apps", "unknown kind `FlowSchemas.apps`"),
        (
            "fs.v1beta3.flowcontrol.apiserver.k8s.io",
            "--api-version v1beta3",
        ),
        ("fs,", "unknown kind ``"),
        ("fs,plc plc/a", "names alone"),
        ("fs plc/a", "names alone"),
        ("fs/a b", "not of the form"),
        ("fs/a/b", "not of the form"),
        ("all/a", "not a single kind"),
    ] {
        let err = names(words).expect(2).err;
        assert!(err.contains(expected), "{words}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_the_forms_of_kubectl() {
    let cluster = Cluster::of("1.31").await;
    cluster
        .level(json!({"name": "a", "labels": {"team": "a"}}), 5, "team-a")
        .await;
    let get = |words: &str, form: &str| {
        let words: Vec<_> = words.split_whitespace().collect();
        let run = cluster.run(&[&["get", "-o", form], &words[..]].concat());
        run.expect(0).out
    };
    let json =
        |words: &str| -> serde_json::Value { serde_json::from_str(&get(words, "json")).unwrap() };
    // One named object is printed alone. All others are items of a list, even a single object.
    assert_eq!(json("plc/a")["metadata"]["name"], "a");
    for (words, count) in [
        ("plc -l team=a", 1),
        ("plc -l team=b", 0),
        ("plc/a plc/b --ignore-not-found", 1),
        ("plc,fs exempt", 2),
    ] {
        let list = json(words);
        assert_eq!(list["kind"], "List", "{words}");
        assert_eq!(list["metadata"], json!({"resourceVersion": ""}), "{words}");
        assert_eq!(list["items"].as_array().unwrap().len(), count, "{words}");
    }
    assert_eq!(get("plc/b --ignore-not-found", "json"), "");
    assert!(get("plc a", "yaml").starts_with("apiVersion: flowcontrol.apiserver.k8s.io/v1\nkind:"));
    let start = "apiVersion: v1\nitems:\n- apiVersion: flowcontrol.apiserver.k8s.io/v1\n  kind:";
    assert!(get("plc -l team=a", "yaml").starts_with(start));
    let none = "apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: \"\"\n";
    assert_eq!(get("plc -l team=b", "yaml"), none);
    for form in ["json", "yaml"] {
        assert!(!get("plc a", form).contains("managedFields"), "{form}");
        assert!(get("plc a --show-managed-fields", form).contains("managedFields"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_take_the_values_of_kubectl() {
    let cluster = Cluster::of("1.31").await;
    let get = |flag: &str| cluster.run(&["get", "plc/none", "-o", "name", flag]);
    for flag in ["--ignore-not-found=true", "--ignore-not-found=1"] {
        get(flag).expect(0);
    }
    for flag in ["--ignore-not-found=false", "--ignore-not-found=F"] {
        get(flag).expect(5);
    }
    get("--ignore-not-found=maybe").expect(2);
    get("--sort-by=true").expect(5);
    cluster.run(&["get", "--", "--watch=true"]).expect(2);
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
