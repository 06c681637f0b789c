//! Requests as bytes, including requests that an HTTP client could not send.

use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The longest time of a response: longer than the server waits for a revision.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Request {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
    /// Whether the response may stay open.
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

/// Messages of internal errors that real servers return too.
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
    // Of strategic merge patches: `api::patch_directives` has a request for each.
    "list element types are not identical: ",
    "data type is not struct, instead is: map",
    "expected slice or array type, but got: struct",
    "unable to find api field in struct ",
    ", but received a ",
    "The order in patch list:",
    "no kind \"",
    "couldn't get version/kind; ",
    "Object 'Kind' is missing in ",
    "requested [{",
    "json: cannot unmarshal ",
    "value nests more than ",
    "yaml: ",
    "error converting YAML to JSON: ",
];

impl Answer {
    /// # Errors
    /// A description of a response that no server may send.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.code < 500 || [503, 504].contains(&self.code) {
            return Ok(());
        }
        // Quoted or folded by the encoding.
        let bare = |text: &str| {
            let words: Vec<_> = text.split_whitespace().collect();
            words.join(" ").replace(['"', '\'', '\\'], "")
        };
        let body = bare(&self.body);
        let mut known = INTERNAL.iter().map(|message| bare(message));
        // The response to a HEAD does not have a body.
        if self.code == 500 && (body.is_empty() || known.any(|known| body.contains(&known))) {
            return Ok(());
        }
        Err(format!("{} {}", self.code, self.body))
    }
}

/// Sends a request on a new connection and reads the response, or only the head of a watch.
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
    // A server may respond before it has read the whole body.
    let _written = stream.write_all(&request.body).await;
    let mut answer = Vec::new();
    let mut piece = [0; 16 * 1024];
    loop {
        match stream.read(&mut piece).await {
            Ok(0) => return Ok(answer),
            Ok(read) => answer.extend_from_slice(&piece[..read]),
            // The server resets the connection after its response if it did not read all bytes.
            Err(_) if !answer.is_empty() => return Ok(answer),
            Err(error) => return Err(error.to_string()),
        }
        if request.is_watch && answer.windows(4).any(|window| window == b"\r\n\r\n") {
            return Ok(answer);
        }
    }
}
