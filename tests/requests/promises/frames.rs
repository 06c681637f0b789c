//! HTTP/2 frames, written by hand: a library would not break its own connections.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;

/// Of DATA and HEADERS.
const END_STREAM: u8 = 1;
/// Of SETTINGS and PING.
const ACK: u8 = 1;
/// Of HEADERS.
const END_HEADERS: u8 = 4;

/// The server's side of a connection.
pub(super) struct Frames(TlsStream<TcpStream>);

impl Frames {
    pub(super) fn new(stream: TlsStream<TcpStream>) -> Self {
        Self(stream)
    }

    /// Reads the client's preface and sends the server's.
    pub(super) async fn open(&mut self) {
        let mut preface = [0; 24];
        // The client may close the connection at any time.
        let _read = self.0.read_exact(&mut preface).await;
        self.frame(SETTINGS, 0, 0, &[]).await;
    }

    /// Reads a request to its end, and returns its stream; `None` at the end of the connection.
    pub(super) async fn read_request(&mut self) -> Option<u32> {
        loop {
            let mut head = [0; 9];
            self.0.read_exact(&mut head).await.ok()?;
            let [a, b, c, kind, flags, id @ ..] = head;
            let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
            self.0.read_exact(&mut payload).await.ok()?;
            match kind {
                SETTINGS if flags & ACK == 0 => self.frame(SETTINGS, ACK, 0, &[]).await,
                PING if flags & ACK == 0 => self.frame(PING, ACK, 0, &payload).await,
                HEADERS | DATA if flags & END_STREAM != 0 => return Some(u32::from_be_bytes(id)),
                _ => {}
            }
        }
    }

    /// The head of a response.
    pub(super) async fn head(&mut self, stream: u32, code: u16, retry_after: Option<u32>) {
        // `:status` is entry 8 of the static table; other names are written out. Nothing is indexed or compressed.
        let mut block = vec![0x08];
        push(&mut block, &code.to_string());
        if let Some(wait) = retry_after {
            block.push(0);
            push(&mut block, "retry-after");
            push(&mut block, &wait.to_string());
        }
        self.frame(HEADERS, END_HEADERS, stream, &block).await;
    }

    pub(super) async fn data(&mut self, stream: u32, body: &str, is_end: bool) {
        let flags = if is_end { END_STREAM } else { 0 };
        self.frame(DATA, flags, stream, body.as_bytes()).await;
    }

    pub(super) async fn reset_stream(&mut self, stream: u32, reason: u32) {
        let reason = reason.to_be_bytes();
        self.frame(RST_STREAM, 0, stream, &reason).await;
    }

    pub(super) async fn go_away(&mut self, last: u32, is_error: bool) {
        let reason = u32::from(is_error) * 2;
        let payload = [last.to_be_bytes(), reason.to_be_bytes()].concat();
        self.frame(GOAWAY, 0, 0, &payload).await;
    }

    /// The beginning of a head, and the end of the connection.
    pub(super) async fn cut_head(mut self, stream: u32) {
        let [_, _, _, id] = stream.to_be_bytes();
        let frame = [0, 0, 50, HEADERS, END_HEADERS, 0, 0, 0, id, 0x08, 3];
        let _sent = self.0.write_all(&frame).await;
        self.close().await;
    }

    /// A frame that is not allowed: the head of a response on no stream.
    pub(super) async fn garbage(&mut self) {
        self.frame(HEADERS, END_HEADERS, 0, &[0x88]).await;
    }

    pub(super) async fn close(mut self) {
        let _closed = self.0.shutdown().await;
    }

    pub(super) fn reset_connection(self) {
        self.0.get_ref().0.set_zero_linger().unwrap();
    }

    async fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let [_, a, b, c] = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut frame = vec![a, b, c, kind, flags];
        frame.extend_from_slice(&stream.to_be_bytes());
        frame.extend_from_slice(payload);
        let _sent = self.0.write_all(&frame).await;
        let _flushed = self.0.flush().await;
    }
}

/// A short text of HPACK.
fn push(block: &mut Vec<u8>, text: &str) {
    block.push(u8::try_from(text.len()).unwrap());
    block.extend_from_slice(text.as_bytes());
}
