//! The problems of a new user with real servers of 1.36, 1.29 and 1.25, and the tests that keep each mended:
//!
//! | found | test |
//! |---|---|
//! | `validate --live` rejected what `apply` creates | `validating` |
//! | a file counted as the whole cluster | the notes in `tests/cmd/{seats,match,cost}.console`; `choosing::every_command_uses_the_cluster_that_is_named` |
//! | `create exempt-probes` without arguments; misspelt verbs, resources and paths | `tests/cmd/create.console`, `tests/cmd/match.console` |
//! | a server whose `/version` names no release | `scanning::a_cluster_that_does_not_name_its_release` |
//! | `lint` of many objects | the figures of 5,000 to 20,000 objects in `benches/README.md` |
//! | `delete` of a level in use, `apply` of a schema without its level | `deleting::broken_references_need_a_yes` |
//! | the order of `get fs`, `--sort-by`, `MISSINGPL`, `plc fs` | `deleting::broken_references_need_a_yes` |
//! | `-s` without a scheme | [`an_address_without_a_scheme_is_an_address`] |
//! | `-o yaml` beside `-o json`, suggestions for commands | `reading::get_in_every_form_and_version`, `tests/cmd/usage.console` |
//! | one column name for several quantities | [`a_column_has_the_name_of_its_quantity`] |
//! | `rbac scan` without Secrets, the role in a 403 | `rbac`, `tests/serve` |
//! | limits on 1.25, rejections as a rate | [`limits_are_shown_wherever_the_server_has_them`], `top/reading.rs` |
//! | names of Rust in errors | `deleting` (an empty field manager), `trouble::a_login_page_is_not_an_api_server`, `tests/simulate/loads.rs` |
//! | `whoami` without the user | [`whoami_names_the_user_and_the_groups`] |
//! | hints of another command | `deleting`, `writing` |
//! | several contexts | `scanning::commands_run_once_for_each_context` |

use crate::cluster::Cluster;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn an_address_without_a_scheme_is_an_address() {
    let cluster = Cluster::of("1.36").await;
    let url = cluster.server.url();
    let address = url.strip_prefix("http://").unwrap();
    let mut command = crate::cluster::program();
    command.args(["get", "fs", "-s", address, "-o", "name"]);
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    let text = crate::cluster::stdout(&output);
    assert!(
        text.contains("flowschema.flowcontrol.apiserver.k8s.io/service-accounts\n"),
        "{text}{}",
        crate::cluster::stderr(&output)
    );
}

/// The names of the columns of all tables in an output.
fn columns(text: &str) -> Vec<&str> {
    let is_header = |line: &&str| {
        let mut words = line.split_whitespace();
        words.clone().count() > 2
            && words.all(|word| {
                word.chars()
                    .all(|c| c.is_ascii_uppercase() || "/▾%".contains(c))
            })
    };
    let headers = text.lines().filter(is_header);
    headers.flat_map(str::split_whitespace).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_column_has_the_name_of_its_quantity() {
    let cluster = Cluster::of("1.36").await;
    let batch = "examples/batch.yaml";
    let log = "tests/tour/audit.log";
    let mut seen = 0;
    for command in [
        &["get", "plc"][..],
        &["get", "plc", "-o", "wide", "--show-load"],
        &["seats", "--live"],
        &["seats", "--live", "--compare", batch],
        &["top"],
        &["traffic", "--live", "--audit-log", log],
        &["traffic", "--live", "--audit-log", log, "--compare", batch],
        &["traffic", "--live", "--audit-log", log, "--by", "user"],
        &["simulate", "--live", "--load", "tests/tour/load.yaml"],
        &[
            "create",
            "protect",
            "user",
            "a",
            "--at-least",
            "5",
            "--live",
        ],
    ] {
        let text = cluster.run(command).expect(0).out;
        let columns = columns(&text);
        assert!(!columns.contains(&"SEATS"), "{command:?}: {columns:?}");
        seen += columns.len();
    }
    assert!(seen > 60, "{seen}");
}

/// The server of the log may be another one than the server that responds.
#[tokio::test(flavor = "multi_thread")]
async fn seats_of_a_file_with_metrics_come_before_those_of_the_cluster() {
    let cluster = Cluster::of("1.36").await;
    let metrics = cluster.file(
        "metrics.txt",
        "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"catch-all\"} 4\n\
         apiserver_flowcontrol_upper_limit_seats{priority_level=\"catch-all\"} 154\n\
         apiserver_resource_objects{group=\"\",resource=\"pods\"} 10\n",
    );
    let log = "tests/tour/audit.log";
    let args = [
        "traffic",
        "--live",
        "--audit-log",
        log,
        "--metrics",
        &metrics,
    ];
    let said = cluster.run(&args).expect(0).err;
    assert!(said.contains("150 seats per server (metrics in "), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_shown_wherever_the_server_has_them() {
    for release in ["1.25", "1.29", "1.36"] {
        let builder = ApiServer::builder().kubernetes(release).server_seats(150);
        let cluster = Cluster::start(builder).await;
        let report = cluster.run(&["top", "-o", "json"]).expect(0).json();
        let levels = report["levels"].as_array().unwrap();
        let high = levels.iter().find(|level| level["name"] == "workload-high");
        let seats = high.unwrap()["seats"].as_i64();
        assert!(seats.is_some_and(|seats| seats > 0), "{release}: {report}");
        let table = cluster.run(&["top"]).expect(0).out;
        assert!(table.contains("REJECTED/S"), "{table}");
        let text = cluster
            .run(&["describe", "plc/workload-high"])
            .expect(0)
            .out;
        assert!(text.contains(" of 150"), "{release}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoami_names_the_user_and_the_groups() {
    let tokens = "a-token,alice,1,\"dev,system:masters\"\n";
    let cluster = Cluster::start(ApiServer::builder().tls().tokens(tokens)).await;
    let text = cluster.run(&["whoami"]).expect(0).out;
    assert!(
        text.starts_with("user:    alice\ngroups:  dev, system:masters"),
        "{text}"
    );
    let report = cluster.run(&["whoami", "-o", "json"]).expect(0).json();
    assert_eq!(report["user"], json!("alice"));
    // A server before SelfSubjectReview does not tell.
    let old = Cluster::of("1.25").await;
    let report = old.run(&["whoami", "-o", "json"]).expect(0).json();
    assert_eq!(report["user"], json!(null), "{report}");
}
