//! Bodies that are empty, truncated, compressed or malformed.

use crate::requests::script::{Script, answer};
use crate::requests::support::{client, schema};
use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_flowcontrol::Client;
use k8s_flowcontrol_server::ApiServer;
use std::io::Write;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[tokio::test]
async fn compression_is_asked_for_where_it_is_turned_on() {
    let list = r#"{"metadata":{},"items":[]}"#;
    let acts = (0..2)
        .map(|_| answer(200, "", list))
        .chain([answer(200, "", "")]);
    let script = Script::start(acts.collect()).await;
    script.client.flow_schemas().list().await.unwrap();
    let config = script.client.config().clone().with_compression(true);
    let compressing = Client::new(config).unwrap();
    compressing.flow_schemas().list().await.unwrap();
    // Compression would delay events.
    drop(compressing.flow_schemas().watch().await.unwrap());
    let asked: Vec<_> = script
        .requests()
        .iter()
        .map(|head| head.lines().any(|line| line == "accept-encoding: gzip"))
        .collect();
    assert_eq!(asked, [false, true, false]);
}

#[tokio::test]
async fn large_lists_come_compressed() {
    let server = ApiServer::start().await.unwrap();
    let plain = client(server.url());
    let client = Client::new(plain.config().clone().with_compression(true)).unwrap();
    let schemas = client.flow_schemas();
    let mut large = schema("large");
    let text = "x".repeat(200_000);
    large
        .metadata
        .annotations
        .insert("text".into(), text.clone());
    schemas.create(&large).await.unwrap();
    let list = schemas.list().await.unwrap();
    assert_eq!(list, plain.flow_schemas().list().await.unwrap());
    let found = list
        .into_iter()
        .find(|schema| schema.metadata.name.as_deref() == Some("large"));
    assert_eq!(found.unwrap().metadata.annotations["text"], text);

    // The compressed body is small; the limit is for the decompressed body.
    assert!(wire_size(&server).await < 20_000);
    let small = client.config().clone().with_max_response_size(150_000);
    let small = Client::new(small).unwrap();
    let error = small.flow_schemas().get("large").await.unwrap_err();
    assert!(
        error.to_string().contains("longer than 150000 bytes"),
        "{error}"
    );
}

/// The bytes of a response in gzip.
async fn wire_size(server: &ApiServer) -> usize {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port()))
        .await
        .unwrap();
    let path = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/large";
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\n"));
    answer.len()
}

#[tokio::test]
async fn a_compressed_answer_is_read_and_one_cut_off_is_noticed() {
    let list = r#"{"metadata":{"resourceVersion":"7"},"items":[]}"#;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(list.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let gzip = |body: &[u8]| answer(200, "Content-Encoding: gzip\r\n", body);
    let script = Script::start(vec![gzip(&packed[..packed.len() - 9]), gzip(&packed)]).await;
    let list = script.client.flow_schemas().list().send().await.unwrap();
    assert_eq!(
        list.attempts(),
        2,
        "a truncated response is requested again"
    );
    assert_eq!(list.value().metadata.resource_version.as_deref(), Some("7"));
}
