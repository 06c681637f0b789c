//! The embedded server, with clients in the same process.

use crate::{Outcome, rate};
use bench_data::{Meter, flow_schema, report, report_starts, resident};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_server::ApiServer;
use memchr::memchr_iter;
use serde_json::json;
use std::hint::black_box;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

/// The number of concurrent clients.
const CLIENTS: usize = 8;

type Failure = Box<dyn std::error::Error + Send + Sync>;

async fn start() -> Result<ApiServer, Box<dyn std::error::Error>> {
    Ok(ApiServer::builder().kubernetes("1.36").start().await?)
}

/// Starts of a server, each until its first response.
pub(crate) async fn starts(count: usize) -> Outcome {
    let mut times = Vec::new();
    let meter = Meter::start();
    for _ in 0..count {
        let begin = Instant::now();
        let server = start().await?;
        let levels = Client::from_url(server.url())?.priority_level_configurations();
        black_box(levels.get("workload-low").await?);
        times.push(begin.elapsed());
    }
    report_starts(times, &meter);
    Ok(())
}

/// Reads of one object.
pub(crate) async fn requests(count: usize) -> Outcome {
    let server = start().await?;
    let mut tasks = JoinSet::new();
    let meter = Meter::start();
    for _ in 0..CLIENTS {
        let levels = Client::from_url(server.url())?.priority_level_configurations();
        tasks.spawn(async move {
            for _ in 0..count / CLIENTS {
                black_box(levels.get("workload-low").await?);
            }
            Ok::<_, Failure>(())
        });
    }
    join(tasks).await?;
    rate(&meter, "requests/s", count / CLIENTS * CLIENTS);
    Ok(())
}

/// The same by clients that write a request and read the bytes of the response.
pub(crate) async fn raw_requests(count: usize) -> Outcome {
    const PATH: &str =
        "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/workload-low";
    let server = start().await?;
    let mut tasks = JoinSet::new();
    let meter = Meter::start();
    for _ in 0..CLIENTS {
        let mut stream = connect(&server).await?;
        tasks.spawn(async move {
            let mut text = vec![0; 64 * 1024];
            for _ in 0..count / CLIENTS {
                let request = format!("GET {PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n");
                stream.write_all(request.as_bytes()).await?;
                let mut length = 0;
                while !is_whole(&text[..length]) {
                    length += stream.read(&mut text[length..]).await?;
                }
                black_box(&text);
            }
            Ok::<_, Failure>(())
        });
    }
    join(tasks).await?;
    rate(&meter, "requests/s", count / CLIENTS * CLIENTS);
    Ok(())
}

/// Whether a response has all bytes of its body.
fn is_whole(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let head = head.to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"));
    length.and_then(|length| length.trim().parse().ok()) == Some(body.len())
}

/// Objects that are created, one after the other.
pub(crate) async fn writes(count: usize) -> Outcome {
    let server = start().await?;
    let schemas = Client::from_url(server.url())?.flow_schemas();
    let meter = Meter::start();
    for index in 0..count {
        schemas.create(&new(index)?).await?;
    }
    rate(&meter, "writes/s", count);
    Ok(())
}

/// Changes of one object, each delivered to every watch, whose events our client decodes or nobody does.
pub(crate) async fn fan_out(watches: usize, changes: usize, decoded: bool) -> Outcome {
    let server = start().await?;
    let client = Client::from_url(server.url())?;
    let schemas = client.flow_schemas();
    let mut begin = schemas.create(&new(1)?).await?;
    let mut tasks = JoinSet::new();
    let version = begin.metadata.resource_version.take().unwrap_or_default();
    for _ in 0..watches {
        if decoded {
            let mut events = schemas.watch().resource_version(version.as_str()).await?;
            tasks.spawn(async move {
                for _ in 0..changes {
                    black_box(events.next().await.ok_or("the watch ended early")??);
                }
                Ok::<_, Failure>(())
            });
        } else {
            let mut stream = connect(&server).await?;
            stream.write_all(watch_request(&version).as_bytes()).await?;
            tasks.spawn(async move {
                let (mut text, mut events, mut last) = (vec![0; 16 * 1024], 0, 0);
                while events < changes {
                    let length = stream.read(&mut text).await?;
                    if length == 0 {
                        return Err("the watch ended early".into());
                    }
                    // An event ends with a brace and a line feed, which the frames of the body do not have.
                    let before = |at: usize| at.checked_sub(1).map_or(last, |at| text[at]);
                    let ends = memchr_iter(b'\n', &text[..length]);
                    events += ends.filter(|at| before(*at) == b'}').count();
                    last = text[length - 1];
                }
                Ok::<_, Failure>(())
            });
        }
    }
    let meter = Meter::start();
    let name = begin.metadata.name.unwrap_or_default();
    for change in 0..changes {
        let precedence = json!({"spec": {"matchingPrecedence": 1000 + change % 8000}});
        schemas.patch(name.as_str()).merge(&precedence).await?;
    }
    join(tasks).await?;
    rate(&meter, "events/s", watches * changes);
    Ok(())
}

/// Watches without events: the memory of the server for each, as its clients are bare sockets.
pub(crate) async fn idle(watches: usize) -> Outcome {
    let server = start().await?;
    let address = address(&server);
    let list = Client::from_url(server.url())?
        .flow_schemas()
        .list()
        .await?;
    let request = watch_request(&list.metadata.resource_version.unwrap_or_default());
    let open = |count| {
        let (address, request) = (address.clone(), request.clone());
        tokio::task::spawn_blocking(move || {
            let mut streams = Vec::with_capacity(count);
            for _ in 0..count {
                let mut stream = TcpStream::connect(&address)?;
                stream.write_all(request.as_bytes())?;
                let mut first = [0; 1024];
                stream.read_exact(&mut first[..12])?;
                streams.push(stream);
            }
            Ok::<_, std::io::Error>(streams)
        })
    };
    // The first watches pay for what all of them share.
    let few = open(100).await??;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let before = resident();
    let many = open(watches).await??;
    tokio::time::sleep(Duration::from_millis(200)).await;
    report(&[(
        "bytes",
        resident().saturating_sub(before) as f64 / watches as f64,
    )]);
    drop((few, many));
    Ok(())
}

fn new(index: usize) -> Result<FlowSchema, serde_json::Error> {
    let version = format!(r#""resourceVersion":"{}","#, index + 1000);
    serde_json::from_str(&flow_schema(index).replace(&version, ""))
}

fn address(server: &ApiServer) -> String {
    let url = server.url();
    let address = url.trim_start_matches("http://");
    address.trim_end_matches('/').to_owned()
}

async fn connect(server: &ApiServer) -> std::io::Result<tokio::net::TcpStream> {
    let stream = tokio::net::TcpStream::connect(address(server)).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn watch_request(version: &str) -> String {
    format!(
        "GET /apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?watch=true&resourceVersion={version} HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
}

async fn join(mut tasks: JoinSet<Result<(), Failure>>) -> Outcome {
    while let Some(done) = tasks.join_next().await {
        done?.map_err(|error| error.to_string())?;
    }
    Ok(())
}
