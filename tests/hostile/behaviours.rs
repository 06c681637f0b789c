//! The table of behaviours.

/// What follows on the connection after the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The server closes it.
    Close,
    /// The server waits for the next request.
    Wait,
    /// The server sends the bytes again and again.
    Repeat,
    /// The server sends this many bytes at the end again and again, one byte at a time with pauses.
    Drip(usize),
}

/// The reaction of a server to each request.
pub(crate) struct Behaviour {
    /// The end of the sentence "a server that …".
    pub(crate) name: &'static str,
    pub(crate) sends: fn() -> Vec<u8>,
    pub(crate) then: End,
    /// A part of the error's text for operations with a whole response.
    pub(crate) error: &'static str,
    /// Whether a watch reads it as a stream without events.
    pub(crate) may_be_empty: bool,
    /// Whether the bytes are frames of HTTP/2.
    pub(crate) http2: bool,
    /// Whether the response is complete over HTTP/1.1, so that the connection may be used again.
    pub(crate) ends_its_response: bool,
    /// Whether the server says that it did not process the request.
    pub(crate) is_unprocessed: bool,
}

pub(crate) const fn behaviour(
    name: &'static str,
    sends: fn() -> Vec<u8>,
    then: End,
    error: &'static str,
) -> Behaviour {
    Behaviour {
        name,
        sends,
        then,
        error,
        may_be_empty: false,
        ends_its_response: false,
        http2: false,
        is_unprocessed: false,
    }
}

impl Behaviour {
    /// Whether the head of a response is complete, so that a stream has begun.
    pub(crate) fn has_head(&self) -> bool {
        let sent = (self.sends)();
        match self.http2 {
            // The flags of the frame after the settings.
            true => sent.len() > 13 && sent[12] == 1 && sent[13] & 4 != 0,
            false => {
                sent.starts_with(b"HTTP/1.1 200") && sent.windows(4).any(|part| part == b"\r\n\r\n")
            }
        }
    }
}

/// A behaviour with a complete response.
const fn complete(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        ends_its_response: true,
        ..behaviour
    }
}

pub(crate) const fn empty(behaviour: Behaviour) -> Behaviour {
    Behaviour {
        may_be_empty: true,
        ..behaviour
    }
}

pub(crate) const LATE: &str = "did not finish within";
pub(crate) const BROKEN: &str = "sent no usable response";
pub(crate) const EARLY: &str = "ended early";
pub(crate) const UNEXPECTED: &str = "expected ";

fn head(headers: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{headers}\r\n").into_bytes()
}

fn with(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [&head(headers), body.as_ref()].concat()
}

pub(crate) static BEHAVIOURS: &[Behaviour] = &[
    behaviour("closes the connection", Vec::new, End::Close, BROKEN),
    behaviour("never answers", Vec::new, End::Wait, LATE),
    behaviour(
        "never ends its headers",
        || b"HTTP/1.1 200 OK\r\nX-A: b\r\n".to_vec(),
        End::Wait,
        LATE,
    ),
    behaviour(
        "sends headers without end",
        || {
            [
                b"HTTP/1.1 200 OK\r\n".to_vec(),
                b"X-A: b\r\n".repeat(100_000),
            ]
            .concat()
        },
        End::Close,
        BROKEN,
    ),
    behaviour(
        "sends one endless header",
        || [b"HTTP/1.1 200 OK\r\nX-A: ".to_vec(), b"b".repeat(2_000_000)].concat(),
        End::Close,
        BROKEN,
    ),
    behaviour(
        "never gets past its interim responses",
        || b"HTTP/1.1 103 Early Hints\r\n\r\n".repeat(1000),
        End::Wait,
        LATE,
    ),
    behaviour(
        "drips its status line",
        || b"HTTP/1.1 200 O".to_vec(),
        End::Drip(1),
        LATE,
    ),
    behaviour(
        "drips its headers",
        || b"HTTP/1.1 200 OK\r\nX-A: b\r\n".to_vec(),
        End::Drip(8),
        LATE,
    ),
    behaviour(
        "drips interim responses",
        || b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(),
        End::Drip(28),
        LATE,
    ),
    behaviour(
        "drips its body",
        || with("Content-Length: 100000\r\n", "{ "),
        End::Drip(1),
        LATE,
    ),
    behaviour(
        "drips chunks",
        || with("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n1\r\n \r\n"),
        End::Drip(6),
        LATE,
    ),
    behaviour(
        "drips the size of a chunk",
        || with("Transfer-Encoding: chunked\r\n", "1\r\n{\r\n1;a=b"),
        End::Drip(1),
        LATE,
    ),
    behaviour(
        "drips trailers",
        || {
            with(
                "Transfer-Encoding: chunked\r\n",
                "2\r\n{}\r\n0\r\nX-A: b\r\n",
            )
        },
        End::Drip(8),
        LATE,
    ),
    behaviour(
        "speaks another protocol",
        || b"220 mail.example ESMTP\r\n".to_vec(),
        End::Wait,
        BROKEN,
    ),
    behaviour(
        "sends two lengths",
        || with("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"),
        End::Wait,
        BROKEN,
    ),
    behaviour(
        "sends a negative length",
        || with("Content-Length: -2\r\n", "{}"),
        End::Wait,
        BROKEN,
    ),
    behaviour(
        "never ends its body",
        || with("Content-Length: 100\r\n", "{"),
        End::Wait,
        LATE,
    ),
    behaviour(
        "cuts its body off",
        || with("Content-Length: 100\r\n", "{"),
        End::Close,
        EARLY,
    ),
    behaviour(
        "cuts a chunk off",
        || with("Transfer-Encoding: chunked\r\n", "5\r\n{\"a"),
        End::Close,
        EARLY,
    ),
    behaviour(
        "sends a chunk without a size",
        || with("Transfer-Encoding: chunked\r\n", "size\r\n{}\r\n"),
        End::Wait,
        EARLY,
    ),
    behaviour(
        "never ends its trailers",
        || {
            with(
                "Transfer-Encoding: chunked\r\n",
                "2\r\n{}\r\n0\r\nX-A: b\r\n",
            )
        },
        End::Wait,
        LATE,
    ),
    behaviour(
        "sends a body without end",
        || with("", b" ".repeat(100_000)),
        End::Repeat,
        "is longer than 1048576 bytes",
    ),
    complete(behaviour(
        "sends something else as gzip",
        || with("Content-Encoding: gzip\r\nContent-Length: 2\r\n", "{}"),
        End::Wait,
        EARLY,
    )),
    complete(behaviour(
        "compresses in a way nobody asked for",
        || with("Content-Encoding: br\r\nContent-Length: 2\r\n", "{}"),
        End::Wait,
        UNEXPECTED,
    )),
    empty(behaviour(
        "sends no body",
        || with("Content-Length: 0\r\n", ""),
        End::Close,
        UNEXPECTED,
    )),
    behaviour(
        "sends a page of HTML",
        || with("Content-Length: 15\r\n", "<html>OK</html>"),
        End::Close,
        UNEXPECTED,
    ),
    complete(behaviour(
        "sends a nesting without end",
        || {
            let body = "[".repeat(500_000);
            with(&format!("Content-Length: {}\r\n", body.len()), body)
        },
        End::Close,
        UNEXPECTED,
    )),
    complete(behaviour(
        "redirects elsewhere",
        || {
            b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
                .to_vec()
        },
        End::Wait,
        "302",
    )),
    behaviour(
        "switches protocols",
        || {
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"
                .to_vec()
        },
        End::Close,
        "101",
    ),
];
