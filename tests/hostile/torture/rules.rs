//! The findings of the torture server in careless clients.

use http::{Method, StatusCode};
use k8s_flowcontrol_server::{ApiServer, Mode, Report, Rule, Torture, TortureServer};
use serde_json::{Value, json};
use std::time::Duration;

const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
const LEVEL: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt";

struct World {
    _server: ApiServer,
    torture: TortureServer,
    http: reqwest::Client,
}

impl World {
    async fn start(mode: Mode) -> Self {
        let server = ApiServer::start().await.unwrap();
        let torture = Torture::new([mode]).seed(3).start(server.upstream());
        Self {
            torture: torture.await.unwrap(),
            _server: server,
            http: client(),
        }
    }

    /// The code of the response and the body; `None` without a whole response.
    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Option<(StatusCode, Value)> {
        let mut request = self
            .http
            .request(method, format!("{}{path}", self.torture.url()));
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body.to_string());
        }
        let response = request.send().await.ok()?;
        let code = response.status();
        let text = response.bytes().await.ok()?;
        Some((code, serde_json::from_slice(&text).unwrap_or_default()))
    }

    async fn get(&self, path: &str) -> Option<(StatusCode, Value)> {
        self.send(Method::GET, path, None).await
    }

    #[track_caller]
    fn found(&self, rule: Rule) {
        let report = self.torture.report();
        assert!(has(&report, rule), "{report}");
        assert_eq!(
            report.passes(),
            !report.findings.iter().any(|one| one.is_violation)
        );
    }
}

fn has(report: &Report, rule: Rule) -> bool {
    report.findings.iter().any(|finding| finding.rule == rule)
}

fn client() -> reqwest::Client {
    let _installed = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .retry(reqwest::retry::never())
        .build()
        .unwrap()
}

fn level() -> Value {
    json!({
        "metadata": {"generateName": "a-"},
        "spec": {"type": "Limited", "limited": {"limitResponse": {"type": "Reject"}}},
    })
}

#[tokio::test]
async fn a_create_that_is_repeated_without_a_look() {
    let world = World::start(Mode::Resets).await;
    for _ in 0..20 {
        let created = world.send(Method::POST, LEVELS, Some(&level())).await;
        assert!(created.is_none_or(|(code, _)| code == StatusCode::CREATED));
    }
    world.found(Rule::RepeatedCreate);
    assert!(world.torture.report().duplicates > 0);

    // A client that reads the list in between, or the object as `kubectl apply` does, is not a finding.
    for read in [LEVELS.to_owned(), format!("{LEVELS}/a")] {
        let world = World::start(Mode::Resets).await;
        for _ in 0..20 {
            let _created = world.send(Method::POST, LEVELS, Some(&level())).await;
            while world.get(&read).await.is_none() {}
        }
        let report = world.torture.report();
        assert!(!has(&report, Rule::RepeatedCreate), "{report}");
    }
}

#[tokio::test]
async fn impatience() {
    let world = World::start(Mode::Throttling).await;
    let mut rejected = 0;
    for _ in 0..150 {
        let (code, _) = world.get(LEVEL).await.unwrap();
        rejected += usize::from(code == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(rejected > 5);
    world.found(Rule::IgnoredRetryAfter);
    for _ in 0..30 {
        world.get(&format!("{LEVELS}/missing")).await.unwrap();
    }
    world.found(Rule::Hammering);
}

/// Lets time pass, but not while a request is on its way.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// A caller may ask while another caller of the same client waits; a client in which nobody waits breaks the rule.
#[tokio::test]
async fn a_caller_that_waits_is_known_among_others() {
    for waits in [true, false] {
        let mut world = World::start(Mode::Throttling).await;
        // A server ends a connection that is idle for so long.
        let http = reqwest::Client::builder().pool_max_idle_per_host(0);
        world.http = http.retry(reqwest::retry::never()).build().unwrap();
        let mut rejected = 0;
        while rejected < 10 {
            let (code, _) = world.get(LEVEL).await.unwrap();
            if code != StatusCode::TOO_MANY_REQUESTS {
                continue;
            }
            rejected += 1;
            pass(Duration::from_millis(300)).await;
            world.get(LEVEL).await.unwrap();
            if waits {
                pass(Duration::from_millis(800)).await;
                world.get(LEVEL).await.unwrap();
            }
            pass(Duration::from_secs(5)).await;
        }
        let report = world.torture.report();
        assert_eq!(has(&report, Rule::IgnoredRetryAfter), !waits, "{report}");
    }
}

#[tokio::test]
async fn an_expired_token_of_a_page_that_is_used_again() {
    let world = World::start(Mode::ExpiredPages).await;
    let (_, first) = world.get(&format!("{LEVELS}?limit=1")).await.unwrap();
    let token = first["metadata"]["continue"].as_str().unwrap();
    for _ in 0..10 {
        world
            .get(&format!("{LEVELS}?limit=1&continue={token}"))
            .await
            .unwrap();
    }
    world.found(Rule::ReusedExpired);
}

#[tokio::test]
async fn a_replace_without_a_version() {
    let world = World::start(Mode::Slow).await;
    let path = format!("{LEVELS}/workload-low");
    let (_, mut object) = world.get(&path).await.unwrap();
    let version = object["metadata"]["resourceVersion"].take();
    let put = world.send(Method::PUT, &path, Some(&object)).await.unwrap();
    assert_eq!(put.0, StatusCode::OK);
    world.found(Rule::UnconditionalReplace);
    let before = world.torture.report();
    object["metadata"]["resourceVersion"] = version;
    world.send(Method::PUT, &path, Some(&object)).await.unwrap();
    assert_eq!(world.torture.report().findings, before.findings);
}

#[tokio::test]
async fn a_watch_that_begins_before_what_was_seen() {
    let world = World::start(Mode::StaleReads).await;
    let list = format!("{LEVELS}?resourceVersion=0");
    let version = |list: &Value| {
        list["metadata"]["resourceVersion"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let old = version(&world.get(&list).await.unwrap().1);
    world
        .send(Method::POST, LEVELS, Some(&level()))
        .await
        .unwrap();
    // The list is stale at times.
    let mut versions = Vec::new();
    for _ in 0..10 {
        versions.push(version(&world.get(&list).await.unwrap().1));
    }
    assert!(versions.contains(&old));
    assert!(versions.iter().any(|version| *version != old));
    for version in [versions.iter().max().unwrap(), &old] {
        let path = format!("{LEVELS}?watch=1&timeoutSeconds=1&resourceVersion={version}");
        world.get(&path).await.unwrap();
    }
    // The second watch saw the event again. A third one, from the old version, goes back.
    world
        .get(&format!(
            "{LEVELS}?watch=1&timeoutSeconds=1&resourceVersion={old}"
        ))
        .await
        .unwrap();
    world.found(Rule::WentBack);
}

#[tokio::test]
async fn a_rejected_watch_list_that_is_sent_again() {
    let world = World::start(Mode::WatchLists).await;
    let path = format!(
        "{LEVELS}?watch=1&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    );
    // A watch that is not rejected is given up. On a slow machine this happens to rejected ones, too.
    let patience = Duration::from_millis(200);
    let mut rejected = 0;
    while rejected < 5 {
        let sent = tokio::time::timeout(patience, world.get(&path)).await;
        let code = sent.ok().flatten().map(|(code, _)| code);
        rejected += u32::from(code == Some(StatusCode::UNPROCESSABLE_ENTITY));
    }
    world.found(Rule::RepeatedWatchList);
}

#[tokio::test]
async fn a_connection_for_each_request() {
    let world = World::start(Mode::ClockSkew).await;
    let url = format!("{}{LEVELS}/exempt", world.torture.url());
    for _ in 0..15 {
        client()
            .get(&url)
            .send()
            .await
            .unwrap()
            .bytes()
            .await
            .unwrap();
    }
    world.found(Rule::NoReuse);
    assert!(world.torture.report().passes());
}

#[tokio::test]
async fn an_expired_token_that_is_kept() {
    let server = ApiServer::start().await.unwrap();
    let file = std::env::temp_dir().join(format!("torture-kept-{}", std::process::id()));
    let torture = Torture::new([Mode::Tokens]).tls().token_file(&file);
    let torture = torture.start(server.upstream()).await.unwrap();
    let token = std::fs::read_to_string(&file).unwrap();
    let authority = reqwest::Certificate::from_pem(torture.ca_pem().unwrap().as_bytes()).unwrap();
    let _installed = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let http = reqwest::Client::builder()
        .tls_certs_only([authority])
        .build()
        .unwrap();
    let mut codes = Vec::new();
    for _ in 0..40 {
        let request = http.get(format!("{}{LEVELS}/exempt", torture.url()));
        let response = request.bearer_auth(&token).send().await.unwrap();
        codes.push(response.status());
    }
    let report = torture.report();
    let _removed = std::fs::remove_file(file);
    assert_eq!(codes[0], StatusCode::OK);
    assert_eq!(codes[39], StatusCode::UNAUTHORIZED);
    assert!(has(&report, Rule::KeptExpiredToken), "{report}");
}

#[tokio::test]
async fn a_page_of_another_site_cannot_use_the_server() {
    let world = World::start(Mode::Slow).await;
    let request = world.http.get(format!("{}{LEVELS}", world.torture.url()));
    let response = request
        .header("host", "attacker.example")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_report_is_text_and_json() {
    let world = World::start(Mode::Slow).await;
    world.get(LEVELS).await.unwrap();
    let (code, json) = world.get("/torture").await.unwrap();
    assert_eq!(code, StatusCode::OK);
    assert_eq!(json["requests"], 1);
    assert_eq!(json["modes"], json!(["slow"]));
    assert_eq!(json["verbs"], json!({"list": 1}));
    let text = world.torture.report().to_string();
    assert!(
        text.starts_with("modes: slow (seed 3)\n1 requests, 0 of them retries"),
        "{text}"
    );
    assert!(text.ends_with("no violation\n"), "{text}");
}
