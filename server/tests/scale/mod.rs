//! Fifty thousand objects and a thousand watchers, in bounded memory.
//!
//! Takes about a minute: `cargo test --release -p k8s-flowcontrol-server --test server scale -- --ignored --nocapture`
//! prints times and memory. It needs about 2,200 open files.

use k8s_flowcontrol_server::ApiServer;
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

const OBJECTS: usize = 50_000;
const READERS: usize = 900;
/// Watchers that request all objects and do not read them.
const SLEEPERS: usize = 100;
const WRITES: usize = 100;
/// The memory limit, clients included.
const MOST_MIB: u64 = 1500;
const PATH: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes a minute in a release build"]
async fn fifty_thousand_objects_and_a_thousand_watchers() {
    let server = ApiServer::builder().bootstrap(false).history(1000);
    let server = server.start().await.unwrap();
    let port = server.port();
    report("start", Instant::now());

    let begun = Instant::now();
    let mut writers = JoinSet::new();
    for writer in 0..8 {
        writers.spawn(async move {
            let mut connection = Connection::open(port).await;
            for index in (writer..OBJECTS).step_by(8) {
                let (code, _) = connection.send("POST", PATH, &object(index, 1)).await;
                assert_eq!(code, 201);
            }
        });
    }
    while let Some(finished) = writers.join_next().await {
        finished.unwrap();
    }
    report("objects created", begun);

    let begun = Instant::now();
    let mut connection = Connection::open(port).await;
    let (mut listed, mut pages, mut token) = (0, 0, String::new());
    loop {
        let (_, page) = connection
            .send("GET", &format!("{PATH}?limit=500{token}"), "")
            .await;
        let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
        listed += page["items"].as_array().unwrap().len();
        pages += 1;
        match page["metadata"]["continue"].as_str() {
            Some(next) => token = format!("&continue={next}"),
            None => break,
        }
    }
    assert_eq!((listed, pages), (OBJECTS, OBJECTS / 500));
    report("pages listed", begun);

    let begun = Instant::now();
    let (_, page) = connection.send("GET", &format!("{PATH}?limit=1"), "").await;
    let page: serde_json::Value = serde_json::from_slice(&page).unwrap();
    let revision = page["metadata"]["resourceVersion"].as_str().unwrap();
    let mut sleepers = Vec::new();
    for _ in 0..SLEEPERS {
        sleepers.push(watch(port, "").await);
    }
    let mut readers = JoinSet::new();
    for _ in 0..READERS {
        let mut lines = watch(port, &format!("&resourceVersion={revision}")).await;
        readers.spawn(async move {
            let mut seen = 0;
            let mut line = String::new();
            while seen < WRITES {
                line.clear();
                assert_ne!(lines.read_line(&mut line).await.unwrap(), 0, "cut off");
                seen += usize::from(line.starts_with("{\"type\":\"MODIFIED\""));
            }
        });
    }
    report("watches open", begun);

    let begun = Instant::now();
    for write in 0..WRITES {
        let path = format!("{PATH}/level-{write}");
        let (code, _) = connection.send("PUT", &path, &object(write, 2)).await;
        assert_eq!(code, 200);
    }
    while let Some(finished) = readers.join_next().await {
        finished.unwrap();
    }
    report("writes seen by all readers", begun);
    drop(sleepers);
    let used = resident_mib();
    assert!(used < MOST_MIB, "{used} MiB");
}

fn object(index: usize, shares: u32) -> String {
    serde_json::json!({
        "metadata": {"name": format!("level-{index}"), "labels": {"index": index.to_string()}},
        "spec": {"type": "Limited", "limited": {
            "nominalConcurrencyShares": shares,
            "limitResponse": {"type": "Reject"},
        }},
    })
    .to_string()
}

fn report(what: &str, since: Instant) {
    println!(
        "{what}: {:.1} s, {} MiB resident",
        since.elapsed().as_secs_f64(),
        resident_mib()
    );
}

/// The memory of this process in MiB; 0 on systems without `/proc`.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kib.unwrap_or_default() / 1024
}

async fn watch(port: u16, query: &str) -> BufReader<TcpStream> {
    let mut connection = Connection::open(port).await;
    let request = format!("GET {PATH}?watch=true{query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.0.write_all(request.as_bytes()).await.unwrap();
    let mut line = String::new();
    connection.0.read_line(&mut line).await.unwrap();
    assert!(line.starts_with("HTTP/1.1 200"), "{line}");
    connection.0
}

/// A connection that sends its requests in turn.
struct Connection(BufReader<TcpStream>);

impl Connection {
    async fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        Self(BufReader::new(stream))
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> (u16, Vec<u8>) {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.0.write_all(request.as_bytes()).await.unwrap();
        let (mut code, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                code = rest[..3].parse().unwrap();
            } else if let Some(value) = line.strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            } else if line.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).await.unwrap();
        (code, body)
    }
}
