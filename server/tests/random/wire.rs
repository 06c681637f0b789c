//! Requests as bytes: also those that a well-behaved client could not send.

use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// So long may an answer take: longer than the server waits for versions to come.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Request {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// Whether the answer may stay open.
    pub(crate) is_watch: bool,
}

impl Request {
    pub(crate) fn shown(&self) -> String {
        let body = &self.body[..self.body.len().min(2000)];
        format!(
            "{}{}",
            String::from_utf8_lossy(&self.head),
            String::from_utf8_lossy(body)
        )
    }
}

pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: String,
}

/// Messages of internal errors that real servers give too, for requests that make no sense to them.
const INTERNAL: &[&str] = &[
    "resourceVersion should not be set on objects to be created",
    "resourceVersion: Invalid value: ",
    "strconv.ParseUint: parsing ",
    "etcdserver: mvcc: required revision is a future revision",
    "failed to create typed patch object (",
    "failed to convert new object (",
    "unknown patch type: ",
    "map: map[",
    "invalid patch",
    "delete patch type",
    "no kind \"",
    "couldn't get version/kind; ",
    "Object 'Kind' is missing in ",
    "requested [{",
    "yaml: ",
    "error converting YAML to JSON: ",
];

impl Answer {
    /// # Errors
    /// What is wrong with an answer that no server may give.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.code < 500 || [503, 504].contains(&self.code) {
            return Ok(());
        }
        // Whatever the encoding quotes and breaks.
        let bare = |text: &str| {
            let words: Vec<_> = text.split_whitespace().collect();
            words.join(" ").replace(['"', '\'', '\\'], "")
        };
        let body = bare(&self.body);
        let mut known = INTERNAL.iter().map(|message| bare(message));
        // The answer to a HEAD has no body.
        if self.code == 500 && (body.is_empty() || known.any(|known| body.contains(&known))) {
            return Ok(());
        }
        Err(format!("{} {}", self.code, self.body))
    }
}

/// Sends a request on a connection of its own and reads the answer, of a watch only the head.
pub(crate) async fn send(port: u16, request: &Request) -> Result<Answer, String> {
    let exchange = exchange(port, request);
    let answer = timeout(PATIENCE, exchange).await;
    let bytes = answer.map_err(|_| "no answer in time".to_owned())??;
    let text = String::from_utf8_lossy(&bytes);
    let text = text
        .strip_prefix("HTTP/1.1 100 Continue\r\n\r\n")
        .unwrap_or(&text);
    let (head, body) = text
        .split_once("\r\n\r\n")
        .ok_or_else(|| format!("no answer: {text:?}"))?;
    let code = head
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok());
    Ok(Answer {
        code: code.ok_or_else(|| format!("no status: {head}"))?,
        body: body.to_owned(),
    })
}

async fn exchange(port: u16, request: &Request) -> Result<Vec<u8>, String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))
        .await
        .map_err(|e| e.to_string())?;
    stream
        .write_all(&request.head)
        .await
        .map_err(|e| e.to_string())?;
    // A server may refuse a body before it has read all of it.
    let _refused = stream.write_all(&request.body).await;
    let mut answer = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        match stream.read(&mut piece).await {
            Ok(0) => return Ok(answer),
            Ok(read) => answer.extend_from_slice(&piece[..read]),
            // Bytes that the server did not read make it reset the connection after its answer.
            Err(_) if !answer.is_empty() => return Ok(answer),
            Err(error) => return Err(error.to_string()),
        }
        if request.is_watch && answer.windows(4).any(|window| window == b"\r\n\r\n") {
            return Ok(answer);
        }
    }
}
