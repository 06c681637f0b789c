//! HTTP/1.1 without TLS, a thread for each connection.

use crate::content::{Body, CHUNK, Content};
use std::io::{BufRead, BufReader, Result, Write};
use std::net::TcpStream;

pub(crate) fn serve(mut stream: TcpStream, content: &Content) -> Result<()> {
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
        match content.body(&target, wants_metadata) {
            Body::Lines(lines) => return watch(stream, lines),
            Body::Whole(body) => {
                let length = body.len();
                write!(
                    stream,
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
                )?;
                stream.write_all(body.as_bytes())?;
            }
        }
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
