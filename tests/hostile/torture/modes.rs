//! The effects of the modes on the wire, where our client does not show them.

use crate::hostile::torture::ours::token_file;
use flate2::read::GzDecoder;
use http::StatusCode;
use k8s_flowcontrol::Client;
use k8s_flowcontrol_server::{ApiServer, Mode, Torture, TortureServer};
use std::io::Read;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";

async fn start(modes: &[Mode]) -> (ApiServer, TortureServer) {
    let server = ApiServer::builder()
        .kubernetes("1.31")
        .start()
        .await
        .unwrap();
    let torture = Torture::new(modes.iter().copied()).start(server.upstream());
    let torture = torture.await.unwrap();
    (server, torture)
}

/// The bytes of the response to a request over HTTP/1.1, up to a part that the test waits for, or the end.
async fn raw(torture: &TortureServer, request: &str, until: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let address = torture.url().replace("http://", "");
    let mut stream = TcpStream::connect(address).await.unwrap();
    let text = format!("{request} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let read = async {
        while !until(&bytes) {
            // Some modes reset the connection.
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
        }
    };
    timeout(Duration::from_secs(30), read).await.unwrap();
    bytes
}

/// The body in the chunks of HTTP/1.1, as far as it has come.
fn chunks(response: &[u8]) -> Vec<u8> {
    let head = response.windows(4).position(|four| four == b"\r\n\r\n");
    let mut rest = head.map_or(&[][..], |end| &response[end + 4..]);
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        let Some(chunk) = rest.get(end + 2..end + 2 + size) else {
            break;
        };
        body.extend_from_slice(chunk);
        rest = rest.get(end + 4 + size..).unwrap_or_default();
    }
    body
}

#[tokio::test]
async fn watches_are_compressed_event_by_event() {
    let (server, torture) = start(&[Mode::CompressedWatches]).await;
    let unpacked = |response: &[u8]| {
        let mut text = Vec::new();
        let packed = chunks(response);
        // The stream does not have an end yet.
        let _unfinished = GzDecoder::new(&packed[..]).read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    };
    let seen = |name: &'static str| move |bytes: &[u8]| unpacked(bytes).contains(name);
    let request = format!("GET {SCHEMAS}?watch=1");
    let response = raw(&torture, &request, seen("\"name\":\"exempt\"")).await;
    let head = String::from_utf8_lossy(&response).to_ascii_lowercase();
    assert!(head.contains("content-encoding: gzip"), "{head}");
    drop(server);
}

/// What ended is gone, and its folder is free.
#[tokio::test]
async fn a_server_behind_that_has_stopped_is_unavailable() {
    let (server, torture) = start(&[]).await;
    let request = format!("GET {SCHEMAS}/exempt");
    let is_there = |bytes: &[u8]| bytes.windows(4).any(|four| four == b"\r\n\r\n");
    let response = raw(&torture, &request, is_there).await;
    assert!(response.starts_with(b"HTTP/1.1 200"));
    server.stop().await;
    let response = raw(&torture, &request, is_there).await;
    assert!(response.starts_with(b"HTTP/1.1 503"));
}

#[tokio::test]
async fn a_token_file_that_cannot_be_written_is_named() {
    let server = ApiServer::start().await.unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a-folder");
    std::fs::create_dir_all(&folder).unwrap();
    let torture = Torture::new([Mode::Tokens]).tls().token_file(&folder);
    let error = torture.start(server.upstream()).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains(folder.to_str().unwrap()), "{error}");
}

fn is_whole(response: &[u8]) -> bool {
    response.ends_with(b"0\r\n\r\n")
}

#[tokio::test]
async fn names_of_headers_have_odd_case() {
    let (server, torture) = start(&[Mode::HeaderCase]).await;
    // In YAML, lines of a body can look like lines of a head.
    let client = Client::from_url(server.url()).unwrap();
    let mut schema = client.flow_schemas().get("exempt").await.unwrap();
    let note = "content-type: x\nHTTP/1.1 200 OK\nx: y".to_owned();
    schema.metadata.annotations.insert("note".to_owned(), note);
    client.flow_schemas().replace(&schema).await.unwrap();
    let yaml = client
        .get_raw(&format!("{SCHEMAS}/exempt"))
        .accept("application/yaml");
    let yaml = yaml.await.unwrap();
    // `raw` adds the version of HTTP, here to the value of the last header.
    let request =
        format!("GET {SCHEMAS}/exempt HTTP/1.1\r\nAccept: application/yaml\r\nX-Ignored:");
    let response = raw(&torture, &request, is_whole).await;
    assert_eq!(chunks(&response), yaml);
    let end = response
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8_lossy(&response[..end]).into_owned();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    for name in ["CoNTeNT-TYpE: application/yaml", "DaTE: "] {
        assert!(head.contains(name), "{head}");
    }
}

#[tokio::test]
async fn a_seed_decides_and_no_request_fails_for_ever() {
    let server = ApiServer::start().await.unwrap();
    let mut runs = Vec::new();
    for seed in [1, 1, 2] {
        let torture = Torture::new([Mode::Resets]).seed(seed);
        let torture = torture.start(server.upstream()).await.unwrap();
        let mut run = Vec::new();
        for _ in 0..100 {
            let request = format!("GET {SCHEMAS}/exempt");
            run.push(is_whole(&raw(&torture, &request, is_whole).await));
        }
        let failed = run.iter().filter(|is_whole| !**is_whole).count();
        assert!((15..45).contains(&failed), "{failed}");
        assert!(run.windows(3).all(|three| three.contains(&true)));
        runs.push(run);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[tokio::test]
async fn two_servers_disagree_about_versions() {
    let (_server, torture) = start(&[Mode::RollingUpgrade]).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        // Each client has a separate connection.
        let client = Client::from_url(torture.url()).unwrap();
        let groups = client.api_groups().await.unwrap();
        let versions: Vec<_> = groups.groups[0]
            .versions
            .iter()
            .map(|one| one.version.clone())
            .collect();
        let served = client.get_raw(SCHEMAS).await;
        match versions.iter().any(|version| version == "v1") {
            true => assert!(served.is_ok()),
            false => assert_eq!(served.unwrap_err().code(), Some(404)),
        }
        seen.push(versions.len());
    }
    seen.sort_unstable();
    assert_eq!(seen, [1, 1, 2, 2]);
}

#[tokio::test]
async fn modes_say_what_they_need() {
    let server = ApiServer::start().await.unwrap();
    for mode in Mode::ALL {
        let started = Torture::new([*mode]).start(server.upstream()).await;
        assert_eq!(started.is_err(), mode.needs_tls(), "{mode}");
        assert_eq!(mode.as_str().parse(), Ok(*mode));
    }
    let error = Torture::new([Mode::Tokens])
        .tls()
        .start(server.upstream())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("the mode tokens needs a token file"),
        "{error}"
    );
    let error = "reset".parse::<Mode>().unwrap_err().to_string();
    assert!(
        error.contains("`reset` is not a mode; the modes are compressed-watches, "),
        "{error}"
    );
}

#[tokio::test]
async fn other_hosts_need_tls_and_tokens() {
    let server = ApiServer::start().await.unwrap();
    let all = "0.0.0.0".parse().unwrap();
    let unprotected = [
        Torture::new([]).address(all),
        Torture::new([]).address(all).tls(),
        Torture::new([]).address(all).tokens("t,user,1"),
    ];
    for torture in unprotected {
        let error = torture.start(server.upstream()).await.unwrap_err();
        assert!(error.is_unprotected(), "{error}");
    }
    let file = token_file("exposure");
    for torture in [
        Torture::new([]).address(all).tls().tokens("t,user,1"),
        Torture::new([Mode::Tokens])
            .address(all)
            .tls()
            .token_file(&file),
        Torture::new([]).address(all).unprotected(),
    ] {
        torture.start(server.upstream()).await.unwrap();
    }
    let _removed = std::fs::remove_file(file);
}

#[tokio::test]
async fn tokens_at_the_front_do_not_reach_the_server_behind() {
    let behind = ApiServer::builder()
        .tls()
        .tokens("admin,root,1,system:masters")
        .record_requests();
    let server = behind.start().await.unwrap();
    let torture = Torture::new([])
        .tls()
        .tokens("front,someone,2")
        .start(server.upstream())
        .await
        .unwrap();
    let client = |kubeconfig: String| {
        let config = k8s_flowcontrol::config::Config::builder()
            .text(kubeconfig)
            .build();
        Client::new(config.unwrap()).unwrap()
    };
    let path = format!("{SCHEMAS}/exempt");
    client(torture.kubeconfig()).get_raw(&path).await.unwrap();
    let wrong = torture.kubeconfig().replace("front", "wrong");
    let error = client(wrong).get_raw(&path).await.unwrap_err();
    assert_eq!(error.code(), Some(StatusCode::UNAUTHORIZED.as_u16()));
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].header("authorization"), Some("Bearer admin"));
}

#[tokio::test]
async fn connections_that_leave_http_are_rejected_with_a_reason() {
    let (_server, torture) = start(&[Mode::ClockSkew]).await;
    let path = "/api/v1/namespaces/a/pods/b/exec?command=ls";
    for (protocol, code) in [("SPDY/3.1", 501), ("websocket", 501), ("h2c", 404)] {
        // `raw` adds the version of HTTP, here to the value of the last header.
        let request = format!(
            "GET {path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: {protocol}\r\nX-Ignored:"
        );
        let reason = format!("does not forward connections that become {protocol}");
        let end = if code == 501 { reason.as_str() } else { "404" };
        let response = raw(&torture, &request, |bytes| {
            String::from_utf8_lossy(bytes).contains(end)
        });
        let response = String::from_utf8_lossy(&response.await).into_owned();
        assert!(
            response.starts_with(&format!("HTTP/1.1 {code} ")),
            "{response}"
        );
        assert_eq!(response.contains(&reason), code == 501, "{response}");
    }
}
