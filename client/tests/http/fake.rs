//! A server that sends prepared bytes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::JoinHandle;

/// The address, and the received requests.
pub(crate) struct Fake {
    pub(crate) url: String,
    requests: JoinHandle<Vec<String>>,
}

impl Fake {
    /// The received requests, head and body.
    pub(crate) fn requests(self) -> Vec<String> {
        self.requests.join().unwrap()
    }
}

/// Responds to one request per connection with these bytes, then closes it.
pub(crate) fn serve(answers: Vec<String>) -> Fake {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = std::thread::spawn(move || {
        let answer = |bytes: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let request = read(&mut stream);
            stream.write_all(bytes.as_bytes()).unwrap();
            request
        };
        answers.into_iter().map(answer).collect()
    });
    Fake { url, requests }
}

/// A response with a body and `Connection: close`.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {length}\r\n{headers}\r\n{body}"
    )
}

/// A response with a chunked body. Without the last, empty chunk it is truncated.
pub(crate) fn chunked(chunks: &[&str]) -> String {
    let mut text =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned();
    for chunk in chunks {
        text += &format!("{:x}\r\n{chunk}\r\n", chunk.len());
    }
    text
}

fn read(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        bytes.extend_from_slice(&buffer[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        assert!(count > 0, "the client hung up: {text}");
    }
}
