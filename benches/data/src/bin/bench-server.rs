//! A server that only writes: lists in pages, streaming lists and watches, all encoded before the first request.
//!
//! `bench-server OBJECTS EVENTS` prints its address and serves until it is ended.

use bench_data::{flow_schema, initial_events, metadata_events, page, watch_events};
use std::io::{BufRead, BufReader, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

/// How much goes into one chunk of a streamed answer.
const CHUNK: usize = 32 * 1024;

struct Content {
    objects: Vec<String>,
    /// The lines of a watch.
    events: String,
    /// The lines of a streaming list.
    initial: String,
    /// The same of the metadata alone.
    metadata: String,
}

fn main() -> Result<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<usize>().unwrap_or(0));
    let (objects, events) = (arguments.next().unwrap_or(0), arguments.next().unwrap_or(0));
    let objects: Vec<_> = (0..objects).map(flow_schema).collect();
    let content = Arc::new(Content {
        events: watch_events(events),
        initial: initial_events(&objects),
        metadata: metadata_events(&objects),
        objects,
    });
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("http://{}", listener.local_addr()?);
    for stream in listener.incoming() {
        let (stream, content) = (stream?, Arc::clone(&content));
        // A client that goes away in the middle is not a failure of the server.
        std::thread::spawn(move || serve(stream, &content).ok());
    }
    Ok(())
}

fn serve(mut stream: TcpStream, content: &Content) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut wants_metadata = false;
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line)?;
            wants_metadata |= line.contains("as=PartialObjectMetadata;");
        }
        let query = |name: &str| {
            let (_, query) = target.split_once('?')?;
            let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_owned())
        };
        if query("watch").is_some() {
            let lines = match query("sendInitialEvents").as_deref() {
                Some("true") if wants_metadata => &content.metadata,
                Some("true") => &content.initial,
                _ => &content.events,
            };
            return watch(stream, lines);
        }
        let first = query("continue")
            .and_then(|token| token.parse().ok())
            .unwrap_or(0);
        let limit = query("limit")
            .and_then(|limit| limit.parse().ok())
            .filter(|limit| *limit > 0);
        let body = page(&content.objects, first, limit.unwrap_or(usize::MAX));
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        )?;
        stream.write_all(body.as_bytes())?;
    }
}

fn watch(mut stream: TcpStream, lines: &str) -> Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    )?;
    for chunk in lines.as_bytes().chunks(CHUNK) {
        let head = format!("{:x}\r\n", chunk.len());
        stream.write_all(&[head.as_bytes(), chunk, b"\r\n"].concat())?;
    }
    // A watch stays open until the client leaves.
    let mut rest = Vec::new();
    std::io::copy(&mut stream, &mut rest).map(|_| ())
}
