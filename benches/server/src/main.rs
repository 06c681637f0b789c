//! A server that only writes: lists in pages, streaming lists and watches, all encoded before the first request.
//!
//! `bench-server OBJECTS EVENTS` prints its address, the address of the same content over TLS and the path of a kubeconfig for that one, and
//! serves until it is ended.

mod content;
mod plain;
mod tls;

use content::Content;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

fn main() -> Outcome<()> {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<usize>().unwrap_or(0));
    let (objects, events) = (arguments.next().unwrap_or(0), arguments.next().unwrap_or(0));
    let content: &'static Content = Box::leak(Box::new(Content::new(objects, events)));
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    let (encrypted, kubeconfig) = tls::start(content)?;
    println!("http://{} {encrypted} {kubeconfig}", listener.local_addr()?);
    for stream in listener.incoming() {
        let stream = stream?;
        // A client that goes away in the middle is not a failure of the server.
        std::thread::spawn(move || plain::serve(stream, content).ok());
    }
    Ok(())
}
