//! Slow watchers, and many of them.

use crate::api::support::{Api, GROUP, LEVELS, SCHEMAS, level, schema};
use crate::api::watches::Watch;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// The size of an object, so that buffers on the way hold only a few.
const LARGE: usize = 100_000;

/// A watch whose client does not read yet.
async fn without_reading(api: &Api, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let address = ([127, 0, 0, 1], api.server.port()).into();
    let mut stream = socket.connect(address).await.unwrap();
    let request = format!("GET /apis/{GROUP}/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    // The response has begun, so the watch is open.
    let mut first = [0; 12];
    stream.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    stream
}

/// The rest of a stream until the server ends it.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    loop {
        let read = stream.read_buf(&mut text).await.unwrap();
        if read == 0 || text.ends_with(b"\r\n0\r\n\r\n") {
            return String::from_utf8(text).unwrap();
        }
    }
}

fn large(name: &str, index: usize) -> Value {
    let mut object = level(name, 1);
    let text = format!("{index}-{}", "x".repeat(LARGE));
    object["metadata"]["annotations"] = serde_json::json!({"a": text});
    object
}

#[tokio::test]
async fn a_watcher_that_does_not_read_is_disconnected() {
    let api = Api::with(|builder| builder.bootstrap(false).history(10)).await;
    api.send("POST", LEVELS, Some(level("a", 1))).await;
    let stream = without_reading(&api, &format!("{LEVELS}?watch=true")).await;
    let writes = 100;
    for index in 0..writes {
        let path = format!("{LEVELS}/a");
        let written = api.send("PUT", &path, Some(large("a", index)));
        assert_eq!(written.await.code, 200);
    }
    let received = rest(stream).await;
    let events = received.matches("{\"type\":\"MODIFIED\"").count();
    assert!(received.contains("{\"type\":\"ADDED\""));
    assert!(events < writes, "{events} events were kept for it");
    // The watch can continue after its last event, or its resource version is expired.
    assert_eq!(api.get(&format!("{LEVELS}/a")).await.code, 200);
}

#[tokio::test]
async fn a_watcher_that_never_reads_the_initial_events_is_disconnected() {
    let api = Api::with(|builder| builder.bootstrap(false).history(10)).await;
    let objects = 90;
    for index in 0..objects {
        let name = format!("a{index}");
        api.send("POST", LEVELS, Some(large(&name, index))).await;
    }
    let stream = without_reading(&api, &format!("{LEVELS}?watch=true")).await;
    for index in 0..20 {
        let path = format!("{LEVELS}/a1");
        let written = api.send("PUT", &path, Some(level("a1", index)));
        assert_eq!(written.await.code, 200);
    }
    let received = rest(stream).await;
    let events = received.matches("{\"type\":\"ADDED\"").count();
    assert!(0 < events && events < objects, "{events} of {objects}");
    assert!(!received.contains("MODIFIED"));
}

#[tokio::test]
async fn hundreds_watch_at_once() {
    let api = Api::with(|builder| builder.bootstrap(false).all_versions()).await;
    let mut watches = Vec::new();
    for index in 0..300 {
        let version = ["v1", "v1beta3", "v1beta2", "v1beta1"][index % 4];
        let api = &api;
        watches.push(Watch::open(api, &format!("{version}/flowschemas?watch=true")).await);
    }
    api.send("POST", SCHEMAS, Some(schema("a"))).await;
    for watch in &mut watches {
        let event = watch.next().await.unwrap();
        assert_eq!(
            (&event["type"], &event["object"]["metadata"]["name"]),
            (&"ADDED".into(), &"a".into())
        );
    }
}
