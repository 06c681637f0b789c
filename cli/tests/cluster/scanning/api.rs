//! An API server that has Secrets, ConfigMaps and metrics, and little else.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Lists by path, with a limit in pages of one object. Secrets and ConfigMaps that are not given are forbidden.
pub(crate) struct Api {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

type Lists = Arc<Vec<(&'static str, Vec<Value>)>>;

impl Api {
    pub(crate) async fn start(lists: Vec<(&'static str, Vec<Value>)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let lists = Arc::new(lists);
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&lists), Arc::clone(&seen)));
            }
        });
        Self { url, requests }
    }

    /// The requests, with their user agents.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: TcpStream, lists: Lists, seen: Arc<Mutex<Vec<String>>>) {
    let (read, mut write) = stream.split();
    let mut lines = BufReader::new(read).lines();
    while let Ok(Some(first)) = lines.next_line().await {
        let path = first.split(' ').nth(1).unwrap().to_owned();
        let mut agent = String::new();
        while let Ok(Some(line)) = lines.next_line().await {
            if line.is_empty() {
                break;
            }
            if line.to_ascii_lowercase().starts_with("user-agent:") {
                agent = line;
            }
        }
        seen.lock().unwrap().push(format!("{path} {agent}"));
        let (code, body) = answer(&path, &lists);
        let kind = if path == "/metrics" {
            "text/plain"
        } else {
            "application/json"
        };
        let head = format!(
            "HTTP/1.1 {code}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        if write
            .write_all(format!("{head}{body}").as_bytes())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// The metrics: a start in the middle of 2025, and the requests since.
const METRICS: &str = "\
process_start_time_seconds 1.75e+09
apiserver_requested_deprecated_apis{group=\"flowcontrol.apiserver.k8s.io\",removed_release=\"1.32\",resource=\"flowschemas\",subresource=\"\",version=\"v1beta3\"} 1
";

fn answer(path: &str, lists: &Lists) -> (&'static str, String) {
    let group = "flowcontrol.apiserver.k8s.io";
    let versions = ["v1", "v1beta3"]
        .map(|version| json!({"groupVersion": format!("{group}/{version}"), "version": version}));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    if path == "/metrics" {
        return ("200 OK", METRICS.to_owned());
    }
    if path == "/version" {
        let given = lists.iter().find(|(list, _)| *list == path);
        if let Some((_, version)) = given {
            return ("200 OK", version[0].to_string());
        }
        let version = json!({"major": "1", "minor": "31", "gitVersion": "v1.31.4"});
        return ("200 OK", version.to_string());
    }
    if path.trim_end_matches('/').ends_with(group) {
        let group = json!({"kind": "APIGroup", "apiVersion": "v1", "name": group, "versions": versions, "preferredVersion": versions[0]});
        return ("200 OK", group.to_string());
    }
    let page = query
        .rsplit_once("continue=")
        .map_or(0, |(_, token)| token.parse().unwrap());
    let found = lists.iter().find(|(list, _)| *list == path);
    if found.is_none() && path.starts_with("/api/v1/") {
        let status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "Forbidden",
            "message": "not for you", "code": 403,
        });
        return ("403 Forbidden", status.to_string());
    }
    if let Some((_, items)) = found.filter(|_| path.contains("/services/")) {
        return ("200 OK", items[0].to_string());
    }
    let items = found.map_or(&[][..], |(_, items)| items.as_slice());
    if !query.contains("limit=") && !query.contains("continue=") {
        return (
            "200 OK",
            json!({"metadata": {}, "items": items}).to_string(),
        );
    }
    let next = match page + 1 < items.len() {
        true => (page + 1).to_string(),
        false => String::new(),
    };
    let items = items.get(page).map_or(&[][..], std::slice::from_ref);
    let list = json!({"metadata": {"continue": next, "resourceVersion": "1"}, "items": items});
    ("200 OK", list.to_string())
}

/// A release as Helm keeps it in a Secret.
pub(crate) fn secret(
    namespace: &str,
    name: &str,
    revision: u64,
    status: &str,
    manifest: &str,
) -> Value {
    let mut object = config_map(namespace, name, revision, status, manifest);
    let inner = object["data"]["release"].as_str().unwrap().to_owned();
    object["data"]["release"] = BASE64_STANDARD.encode(inner).into();
    object["type"] = "helm.sh/release.v1".into();
    object
}

/// A release as Helm keeps it in a ConfigMap.
pub(crate) fn config_map(
    namespace: &str,
    name: &str,
    revision: u64,
    status: &str,
    manifest: &str,
) -> Value {
    let release = json!({
        "name": name, "namespace": namespace, "version": revision, "info": {"status": status}, "manifest": manifest,
    });
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(release.to_string().as_bytes()).unwrap();
    json!({
        "metadata": {"name": format!("sh.helm.release.v1.{name}.v{revision}"), "namespace": namespace, "labels": {"owner": "helm"}},
        "data": {"release": BASE64_STANDARD.encode(encoder.finish().unwrap())},
    })
}
