//! Our client against each mode, and against all at once: the work of the example `tortured`.

#[path = "../../../examples/tortured.rs"]
#[allow(dead_code, reason = "the test does without the main function")]
mod tortured;

use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_server::{ApiServer, Mode, Report, Torture};
use std::path::PathBuf;
use std::time::Duration;
use tokio::time::timeout;
use tortured::work;

const PATIENCE: Duration = Duration::from_secs(120);

async fn run(modes: &[Mode], seed: u64, tls: bool) -> Report {
    let is_one = modes.len() == 1;
    let (count, updates) = if is_one { (6, 2) } else { (4, 1) };
    // 1.31 serves two versions, so that two servers can disagree, and newer ones stream lists.
    let release = if modes.contains(&Mode::RollingUpgrade) {
        "1.31"
    } else {
        "1.36"
    };
    let server = ApiServer::builder().kubernetes(release).bootstrap(false);
    let server = server.start().await.unwrap();
    let token_file = token_file(&format!("{modes:?}-{seed}"));
    let mut torture = Torture::new(modes.iter().copied())
        .seed(seed)
        .token_file(&token_file);
    if tls {
        torture = torture.tls();
    }
    let torture = torture.start(server.upstream()).await.unwrap();
    let config = Config::builder()
        .text(torture.kubeconfig())
        .build()
        .unwrap();
    let client = Client::new(config).unwrap();
    let finished = timeout(PATIENCE, work(&client, count, updates)).await;
    let report = torture.report();
    let _removed = std::fs::remove_file(token_file);
    assert!(
        finished.is_ok(),
        "{modes:?} with seed {seed}: not finished\n{report}"
    );
    assert!(report.passes(), "{modes:?} with seed {seed}:\n{report}");
    assert_eq!(report.duplicates, 0, "{report}");
    report
}

pub(super) fn token_file(test: &str) -> PathBuf {
    let unique: String = test
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(60)
        .collect();
    let name = format!("torture-token-{}-{unique}", std::process::id());
    std::env::temp_dir().join(name)
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_passes_each_mode() {
    let runs = Mode::ALL.iter().copied().map(|mode| {
        crate::spawn(async move {
            let report = run(&[mode], 1, mode.needs_tls()).await;
            // The client asks neither for compressed watches nor for stale lists.
            let unused = [Mode::CompressedWatches, Mode::StaleReads];
            let has_struck = report.faults.contains_key(mode.as_str());
            assert_eq!(has_struck, !unused.contains(&mode), "{mode}:\n{report}");
        })
    });
    for run in runs.collect::<Vec<_>>() {
        run.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_passes_all_modes_at_once() {
    run(Mode::ALL, 1, true).await;
}
