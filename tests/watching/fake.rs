//! A server that answers each request as a test wants it.

use k8s_flowcontrol::Client;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A response. Its connection is closed at its end.
pub(crate) enum Reply {
    /// A complete response.
    Complete {
        code: u16,
        headers: &'static str,
        body: String,
    },
    /// Lines of a watch that stays open.
    Open(String),
}

/// The lines of a watch that ends.
pub(crate) fn ends(lines: impl Into<String>) -> Reply {
    answer(200, "", lines)
}

pub(crate) fn answer(code: u16, headers: &'static str, body: impl Into<String>) -> Reply {
    let body = body.into();
    Reply::Complete {
        code,
        headers,
        body,
    }
}

/// A list of levels with a resource version and a continue token.
pub(crate) fn list(version: u32, token: &str, levels: &[(&str, u32)]) -> Reply {
    let items: Vec<String> = levels.iter().map(|(name, at)| level(name, *at)).collect();
    answer(
        200,
        "",
        format!(
            r#"{{"metadata":{{"resourceVersion":"{version}","continue":"{token}"}},"items":[{}]}}"#,
            items.join(",")
        ),
    )
}

/// A line of a watch about a level.
pub(crate) fn line(kind: &str, name: &str, version: u32) -> String {
    format!(
        "{{\"type\":\"{kind}\",\"object\":{}}}\n",
        level(name, version)
    )
}

/// A bookmark; `ends_list` is that of a streaming list.
pub(crate) fn bookmark(version: u32, ends_list: bool) -> String {
    format!(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{version}\",\"annotations\":\
         {{\"k8s.io/initial-events-end\":\"{ends_list}\"}}}}}}}}\n"
    )
}

/// The last line of a watch that fails.
pub(crate) fn error_line(code: u16) -> String {
    let status = status(code);
    format!("{{\"type\":\"ERROR\",\"object\":{status}}}\n")
}

/// A `Status` with a code.
pub(crate) fn status(code: u16) -> String {
    format!(r#"{{"kind":"Status","apiVersion":"v1","status":"Failure","code":{code}}}"#)
}

fn level(name: &str, version: u32) -> String {
    format!(
        r#"{{"metadata":{{"name":"{name}","uid":"{name}-{version}","resourceVersion":"{version}"}},"spec":{{}}}}"#
    )
}

/// A request: its number, from 0, and its query.
pub(crate) struct Request {
    pub(crate) number: usize,
    query: String,
}

impl Request {
    pub(crate) fn is_watch(&self) -> bool {
        self.has("watch=")
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.query.contains(text)
    }
}

/// The server. It ends when it is dropped.
pub(crate) struct Fake {
    pub(crate) client: Client,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Fake {
    pub(crate) async fn start(reply: impl Fn(&Request) -> Reply + Send + 'static) -> Self {
        Self::start_boxed(Box::new(reply)).await
    }

    /// Compiled once, and not for each test.
    async fn start_boxed(reply: Box<dyn Fn(&Request) -> Reply + Send>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let task = crate::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let Some(query) = read_query(&mut stream).await else {
                    continue;
                };
                let number = seen.lock().unwrap().len();
                let request = Request { number, query };
                let reply = reply(&request);
                let kind = if request.is_watch() { "watch" } else { "list" };
                seen.lock().unwrap().push(kind.to_owned());
                crate::spawn(send(reply, stream));
            }
        });
        Self {
            client: Client::from_url(url).unwrap(),
            requests,
            task,
        }
    }

    /// `list` or `watch` for each request that arrived.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn count(&self, kind: &str) -> usize {
        self.requests()
            .iter()
            .filter(|found| *found == kind)
            .count()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The query of a request without a body.
async fn read_query(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let head = String::from_utf8(bytes).ok()?;
    let target = head.split(' ').nth(1)?;
    Some(
        target
            .split_once('?')
            .map_or("", |(_, query)| query)
            .to_owned(),
    )
}

/// The client may close the connection at any time.
async fn send(reply: Reply, mut stream: TcpStream) {
    match reply {
        Reply::Complete {
            code,
            headers,
            body,
        } => {
            let head = format!(
                "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nConnection: close\r\n{headers}Content-Length: {}\r\n\r\n",
                body.len()
            );
            let _sent = stream.write_all((head + &body).as_bytes()).await;
            let _closed = stream.shutdown().await;
        }
        Reply::Open(lines) => {
            let head = "HTTP/1.1 200 X\r\nContent-Type: application/json\r\n\r\n";
            let _sent = stream
                .write_all((head.to_owned() + &lines).as_bytes())
                .await;
            let mut rest = Vec::new();
            let _closed = stream.read_to_end(&mut rest).await;
        }
    }
}
