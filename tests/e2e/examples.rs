//! The programs in `examples/`, run as a user runs them, without a cluster.

use crate::e2e::example_programs::{run, run_with, run_with_input};
use crate::e2e::support::release;
use k8s_flowcontrol::GROUP;
use serde_json::json;
use std::path::Path;

#[test]
fn quickstart_does_the_main_job() {
    let out = run("quickstart", &[]);
    for part in [
        "workload-low",
        "catch-all",
        "ADDED    PriorityLevelConfiguration tour",
        "ADDED    FlowSchema tour",
        "get, change, replace    10 shares",
        "server-side apply       12 shares",
        "no shares                0 shares",
        "v1beta3                  0 shares  flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares",
        "in v1                    9 shares",
        "deleted",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

/// Each example on a cluster of each release, with the best version of the server.
#[tokio::test(flavor = "multi_thread")]
async fn every_example_runs_on_every_release() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, wire) in [
        ("1.25", "v1beta2"),
        ("1.26", "v1beta3"),
        ("1.29", "v1"),
        ("1.34", "v1"),
    ] {
        let (server, _client) = release(name).await;
        let kubeconfig = folder.join(format!("examples-{name}-{}", std::process::id()));
        std::fs::write(&kubeconfig, server.kubeconfig()).unwrap();
        let path = kubeconfig.clone();
        let runs = tokio::task::spawn_blocking(move || {
            for example in ["list", "watch", "apply", "store", "wait"] {
                let out = run_with(example, &[], Some(&path));
                assert!(out.contains("Talking to the cluster at"), "{out}");
            }
            run_with("quickstart", &[], Some(&path))
        });
        let tour = runs.await.unwrap();
        std::fs::remove_file(&kubeconfig).unwrap();
        assert!(
            tour.contains(&format!("The server speaks {wire}\n")),
            "{tour}"
        );
        let zero = match name {
            "1.25" | "1.26" => "would lose or change spec.limited.nominalConcurrencyShares",
            "1.29" => "spec.limited.nominalConcurrencyShares: Invalid value: 0: must be positive",
            _ => "no shares                0 shares",
        };
        assert!(tour.contains(zero), "{name}: {tour}");
    }
}

#[test]
fn store_follows_the_changes() {
    let out = run("store", &[]);
    for part in [
        "global-default",
        "Of these, catch-all reject instead of queueing.",
        "SNAPSHOT ",
        "ADDED    stored: 30 shares",
        "MODIFIED stored: 30 -> 12 shares",
        "DELETED  stored",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn list_prints_levels_and_schemas() {
    let out = run("list", &[]);
    assert!(
        out.contains("workload-high") && out.contains("service-accounts"),
        "{out}"
    );
}

#[test]
fn watch_prints_events() {
    let out = run("watch", &[]);
    assert!(out.contains("ADDED") && out.contains("DELETED"), "{out}");
}

#[test]
fn apply_prints_a_conflict_and_who_owns_what() {
    let out = run("apply", &[]);
    assert!(
        out.contains("conflict") && out.contains("f:nominalConcurrencyShares"),
        "{out}"
    );
}

#[test]
fn convert_says_what_would_be_lost() {
    let out = run("convert", &[]);
    assert!(
        out.contains("nominalConcurrencyShares") && out.contains("cannot"),
        "{out}"
    );
}

#[test]
fn upgrade_keeps_the_objects_and_moves_their_version() {
    let out = run("upgrade", &[]);
    for part in [
        "Kubernetes 1.27 serves v1beta3, v1beta2 and stores v1beta3\n  found nothing\n",
        "Kubernetes 1.28 serves v1beta3, v1beta2 and stores v1beta3\n  found 10 shares\n  applied 20 shares through v1beta3\n",
        "Kubernetes 1.29 serves v1, v1beta3 and stores v1beta3\n  found 20 shares\n  applied 30 shares through v1beta3\n",
        "Kubernetes 1.32 serves v1 and stores v1\n  found 30 shares\n  applied 40 shares through v1\n",
        "  owned by tool in flowcontrol.apiserver.k8s.io/v1beta3\n",
        "  owned by tool in flowcontrol.apiserver.k8s.io/v1\n",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn manifests_are_checked() {
    let out = run("check", &[]);
    for part in [
        "FlowSchema \"reports\": 422\n",
        "spec.matchingPrecedence: Invalid value: 20000: must not be greater than 10000\n",
        "FlowSchema \"monitoring\": 201\n",
        "(root-url)\n",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn requests_are_followed() {
    let out = run("requests", &[]);
    for part in [
        "global-default at global-default: 49 of 600 seats\n",
        "global-default: 2 seat-seconds\n",
        " 0 rejected, 99 of 100 wait at most ",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn clients_of_old_versions_are_found() {
    let out = run("scan", &[]);
    let found = "verdict: outdated\nKubernetes 1.32 does not serve v1beta3:\n  production: requests for flowschemas\n";
    assert!(out.contains(found), "{out}");
}

#[test]
fn examples_are_short() {
    for name in ["quickstart", "list", "watch", "apply", "convert", "upgrade"] {
        let path = format!("{}/examples/{name}.rs", env!("CARGO_MANIFEST_DIR"));
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines < 70, "{path} has {lines} lines");
    }
}

#[test]
fn wait_waits_and_updates() {
    let out = run("wait", &[]);
    for part in [
        "The schema has found its level",
        "The level has 40 shares",
        "update /apis/",
        "Both are gone",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn admission_rejects_and_warns() {
    let answer = |group: &str, object: serde_json::Value, old: serde_json::Value| {
        let kind = json!({"group": group, "version": "v1", "kind": "FlowSchema"});
        let request = json!({"uid": "7", "kind": kind, "object": object, "oldObject": old});
        run_with_input("admission", &json!({"request": request}).to_string())["response"].clone()
    };
    let review = |spec: serde_json::Value| {
        let object = json!({"metadata": {"name": "mine"}, "spec": spec});
        answer(GROUP, object, json!(null))
    };
    let level = json!({"name": "workload-low"});
    let rejected = review(json!({"priorityLevelConfiguration": level, "matchingPrecedence": 1}));
    assert_eq!(
        (&rejected["allowed"], &rejected["uid"]),
        (&json!(false), &json!("7"))
    );
    assert!(
        rejected["status"]["message"]
            .as_str()
            .unwrap()
            .contains("matchingPrecedence")
    );
    let level = json!({"name": "missing"});
    let warned = review(json!({"priorityLevelConfiguration": level, "matchingPrecedence": 900}));
    assert_eq!(warned["allowed"], true);
    let warnings = warned["warnings"].to_string();
    assert!(
        warnings.contains("spec.priorityLevelConfiguration"),
        "{warnings}"
    );
    // A deletion does not have an object, and other groups are not its concern.
    let object = json!({"metadata": {"name": "mine"}});
    let deleted = answer(GROUP, json!(null), object.clone());
    assert_eq!(deleted["allowed"], true);
    let other = answer("example.com", object, json!(null));
    assert_eq!(other["allowed"], true);
}

#[test]
fn an_exporter_reads_a_store() {
    let out = run("exporter", &[]);
    for part in [
        "flowcontrol_nominal_seats{level=\"workload-low\"} ",
        "flowcontrol_store_stale 0",
        "flowcontrol_client_attempts_total{verb=\"list\",resource=\"prioritylevelconfigurations\",code=\"200\"} 1",
        "flowcontrol_client_retry_budget 500",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn a_load_shedder_gives_up_optional_work_and_takes_it_up_again() {
    let out = run("load_shedder", &[]);
    let last = out.lines().last().unwrap();
    let numbers: Vec<u32> = last
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    assert_eq!(numbers.iter().sum::<u32>(), 10, "{out}");
    assert!(numbers[0] > 0 && numbers[1] > 0, "{out}");
}

#[test]
fn paging_stops_goes_on_and_is_cancelled() {
    let out = run("paging", &[]);
    for part in [
        "read 6 and saved the place",
        "read 13 schemas in pages",
        "read 13 schemas at once",
        "with a limit: timed out is true",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
}

#[test]
fn an_audit_log_is_analysed() {
    let log =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("analysis/tests/fixtures/loaded/audit.log.gz");
    let out = run("audit", &[log.to_str().unwrap()]);
    assert!(
        out.lines().count() > 3 && out.ends_with(" requests, 0 broken lines\n"),
        "{out}"
    );
}

#[test]
fn polite_controllers_get_their_turn() {
    let out = run("polite", &[]);
    assert!(out.contains("4 objects are written."), "{out}");
}

#[test]
fn what_a_command_does_a_program_can_do() {
    let out = run("plan", &[]);
    for part in [
        "move from v1beta2 to v1beta3 on Kubernetes 1.27, before 1.29",
        "1.28: 201\n  1.29: 404",
        "do not apply it before Kubernetes 1.29",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let out = run("recipes", &[]);
    for part in [
        r#""matchingPrecedence":9899"#,
        "5 to 5 seats",
        "GET /healthz: exempt",
        "GET /metrics: protect-flux-system",
    ] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let out = run("take_over", &[]);
    assert_eq!(
        out,
        "labels after the apply: {}\na second apply would change nothing\n"
    );
    let manifests = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/manifests");
    let out = run("migrate_folder", &[manifests]);
    assert!(out.contains("level-v1beta2.json: outdated\n"), "{out}");
    assert!(
        out.contains("is renamed to nominalConcurrencyShares"),
        "{out}"
    );
}
