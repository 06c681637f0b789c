//! A listener that handles each connection by a script.

use k8s_flowcontrol::client::Client;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

/// The reaction to the request on a connection.
pub(crate) enum Act {
    /// Closes the connection without a response.
    Close,
    /// Resets the connection without a response.
    Reset,
    /// Sends these bytes and closes the connection.
    Answer(Vec<u8>),
    /// Sends these bytes and waits until the client closes the connection.
    Begin(&'static [u8]),
}

/// A response with a JSON body.
pub(crate) fn answer(code: u16, headers: &str, body: impl AsRef<[u8]>) -> Act {
    let body = body.as_ref();
    let mut bytes = format!(
        "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(body);
    Act::Answer(bytes)
}

/// The listener. After its last act it accepts no connection any more.
pub(crate) struct Script {
    pub(crate) client: Client,
    requests: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Script {
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), acts)
    }

    pub(crate) fn on(listener: TcpListener, acts: Vec<Act>) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        let task = crate::spawn(async move {
            for act in acts {
                let (mut stream, _) = listener.accept().await.unwrap();
                // A client whose time runs out early closes the connection without a request.
                if let Ok(0) | Err(_) = stream.peek(&mut [0]).await {
                    continue;
                }
                let request = read_request(&mut stream).await;
                seen.lock().unwrap().push(request);
                play(act, stream).await;
            }
        });
        Self {
            client: crate::requests::support::client(url),
            requests,
            task,
        }
    }

    /// The first lines and headers of the received requests.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(crate) fn is_played(&self) -> bool {
        self.task.is_finished()
    }

    /// Waits until the last act is over.
    pub(crate) async fn played(self) {
        self.task.await.unwrap();
    }
}

/// An address where connections fail until the socket listens.
pub(crate) fn deaf() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    (socket, url)
}

async fn play(act: Act, mut stream: TcpStream) {
    match act {
        Act::Close => {}
        Act::Reset => stream.set_zero_linger().unwrap(),
        Act::Answer(bytes) => {
            // The client may have closed the connection.
            let _sent = stream.write_all(&bytes).await;
            let _closed = stream.shutdown().await;
        }
        Act::Begin(bytes) => {
            let _sent = stream.write_all(bytes).await;
            let mut rest = Vec::new();
            let _closed = stream.read_to_end(&mut rest).await;
        }
    }
}

/// Reads a request with its body and returns its head.
pub(crate) async fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        assert_ne!(
            stream.read_buf(&mut bytes).await.unwrap(),
            0,
            "no whole request"
        );
    };
    let head = String::from_utf8(bytes[..end].to_vec())
        .unwrap()
        .to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while bytes.len() < end + length {
        assert_ne!(
            stream.read_buf(&mut bytes).await.unwrap(),
            0,
            "no whole body"
        );
    }
    head
}
