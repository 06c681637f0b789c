//! Files that change while a client is in use, and the retry after a 401.

use crate::config::kubeconfig::document;
use crate::config::support::{Answer, Authority, Folder, Notices, Request, Server, ask, found};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::config::{BearerToken, Config, Secret};
#[cfg(target_os = "linux")]
use rustix::{fd::OwnedFd, fs::inotify};
use serde_json::json;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
#[cfg(target_os = "linux")]
use std::{
    collections::BTreeSet,
    fs::File,
    mem::MaybeUninit,
    path::Path,
    time::{Duration, SystemTime},
};

fn unauthorized() -> Answer {
    let status = r#"{"kind":"Status","status":"Failure","reason":"Unauthorized","code":401}"#;
    ("401 Unauthorized", status.to_owned())
}

/// Accepts a single token.
fn only(token: &'static str) -> impl Fn(&Request) -> Answer {
    move |request| match request.header("authorization") {
        Some(value) if value == format!("Bearer {token}") => found(request),
        _ => unauthorized(),
    }
}

#[tokio::test]
async fn a_token_file_is_read_again() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let file = folder.write("token", "first\n");
    let client = Client::new(server.config().with_token_file(file)).unwrap();
    for token in ["first", "second", "third"] {
        folder.write("token", format!("{token}\n"));
        ask(&client).await.unwrap();
        assert_eq!(
            server.last_header("authorization"),
            Some(format!("Bearer {token}"))
        );
    }
}

#[tokio::test]
async fn a_token_that_changes_under_a_request() {
    let folder = Folder::new();
    let file = folder.write("token", "old");
    let path = file.clone();
    let server = Server::answering(move |request| {
        // The rotation happens while the server checks the old token.
        std::fs::write(&path, "new").unwrap();
        only("new")(request)
    })
    .await;
    let client = Client::new(server.config().with_token_file(file)).unwrap();
    ask(&client).await.unwrap();
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn one_retry_and_no_more() {
    let folder = Folder::new();
    let server = Server::answering(|_| unauthorized()).await;
    let config = server.config();
    let file = folder.write("token", "bad");
    let count = AtomicU32::new(0);
    let tokens = move || {
        let token = format!("bad {}", count.fetch_add(1, Ordering::Relaxed));
        std::future::ready(Ok::<_, io::Error>(BearerToken::new(Secret::new(token))))
    };
    for (config, expected) in [
        (config.clone().with_token_source(tokens), 2),
        // The same token would be rejected again.
        (config.clone().with_token_file(file), 1),
        // Nothing can be renewed.
        (config.clone().with_token(Secret::new("bad")), 1),
        (config.clone().with_basic_auth("me", Secret::new("bad")), 1),
        (config, 1),
    ] {
        let before = server.requests().len();
        let error = ask(&Client::new(config).unwrap()).await.unwrap_err();
        assert!(error.is_unauthorized(), "{error}");
        assert_eq!(server.requests().len() - before, expected);
    }
}

#[tokio::test]
async fn the_last_valid_token_stays_in_use() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let notices = Notices::collect();
    let file = folder.write("token", "first");
    // The token in the configuration is older than the one in the file.
    let kubeconfig = folder.write(
        "kubeconfig",
        document(
            server.cluster(),
            json!({"tokenFile": "token", "token": "stale"}),
        ),
    );
    for config in [
        server.config().with_token_file(&file),
        Config::builder().file(&kubeconfig).build().unwrap(),
    ] {
        folder.write("token", "first");
        let client = Client::new(config).unwrap();
        for broken in [Some(""), Some(" \n"), Some("a\u{1}b"), None] {
            match broken {
                Some(text) => drop(folder.write("token", text)),
                None => std::fs::remove_file(&file).unwrap(),
            }
            for _ in 0..2 {
                ask(&client).await.unwrap();
                assert_eq!(server.last_header("authorization").unwrap(), "Bearer first");
            }
        }
        // Every fault is reported once.
        let reported = notices.take();
        assert_eq!(reported.len(), 3, "{reported:#?}");
        for notice in reported {
            assert!(notice.contains(file.to_str().unwrap()), "{notice}");
            assert!(
                notice.contains("the last valid token stays in use"),
                "{notice}"
            );
        }
        folder.write("token", "second");
        ask(&client).await.unwrap();
        assert_eq!(
            server.last_header("authorization").unwrap(),
            "Bearer second"
        );
    }
}

#[tokio::test]
async fn without_any_token_the_file_is_named() {
    let folder = Folder::new();
    let server = Server::secure().await;
    let file = folder.path("token");
    let config = server.config().with_token_file(&file);
    let client = Client::new(config).unwrap();
    let error = ask(&client).await.unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()), "{error}");
    folder.write("token", "");
    let error = ask(&client).await.unwrap_err().to_string();
    assert!(error.contains("the token is empty"), "{error}");
    assert!(server.requests().is_empty());
    folder.write("token", "first");
    ask(&client).await.unwrap();
}

#[tokio::test]
async fn a_client_certificate_that_rotates() {
    let folder = Folder::new();
    let authority = Authority::new("one");
    let server = Server::mutual(&authority.sign(&["127.0.0.1"]), &authority).await;
    let (first, second) = (authority.sign(&["first"]), authority.sign(&["second"]));
    let chain = folder.write("tls.crt", &first.chain);
    let key = folder.write("tls.key", &first.key);
    let config = Config::new(server.url())
        .unwrap()
        .with_certificate_authority(authority.pem.clone())
        .with_client_certificate_files(chain, key);
    let client = Client::new(config).unwrap();
    let shown = || {
        let request = server.requests().pop().unwrap();
        (request.connection, request.certificate.unwrap())
    };
    ask(&client).await.unwrap();
    let before = shown();
    ask(&client).await.unwrap();
    assert_eq!(
        shown(),
        before,
        "an unchanged certificate keeps its connection"
    );

    // Halfway through: the new certificate with the old key. The old pair stays in use.
    folder.write("tls.crt", &second.chain);
    ask(&client).await.unwrap();
    assert_eq!(shown(), before);
    folder.write("tls.key", &second.key);
    ask(&client).await.unwrap();
    let after = shown();
    assert_ne!(after.0, before.0);
    assert_ne!(after.1, before.1);

    // The files are missing.
    std::fs::remove_file(folder.path("tls.key")).unwrap();
    ask(&client).await.unwrap();
    assert_eq!(shown(), after);
}

/// The files of a folder that are opened, by name.
#[cfg(target_os = "linux")]
struct Opened(OwnedFd);

#[cfg(target_os = "linux")]
impl Opened {
    fn of(folder: &Path) -> Self {
        let events = inotify::init(inotify::CreateFlags::NONBLOCK).unwrap();
        inotify::add_watch(&events, folder, inotify::WatchFlags::OPEN).unwrap();
        Self(events)
    }

    /// Since the last call.
    fn take(&self) -> BTreeSet<String> {
        let mut space = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(&self.0, &mut space);
        let mut names = BTreeSet::new();
        loop {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_str().unwrap());
                    names.extend(name.map(str::to_owned));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => return names,
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// Files that are hours old: one that changed a moment ago may change again without another time, and so is read each time.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_is_read_again_only_after_a_change() {
    let folder = Folder::new();
    let authority = Authority::new("one");
    let server = Server::mutual(&authority.sign(&["127.0.0.1"]), &authority).await;
    let own = authority.sign(&["own"]);
    let write = |name: &str, content: &str, hours: u64| {
        let file = folder.write(name, content);
        let time = SystemTime::now() - Duration::from_secs(3600 * hours);
        let open = File::options().write(true).open(&file).unwrap();
        open.set_modified(time).unwrap();
        file
    };
    let contents = [
        ("ca.crt", &*authority.pem),
        ("tls.crt", &own.chain),
        ("tls.key", &own.key),
        ("token", "one"),
    ];
    let [ca, chain, key, token] = contents.map(|(name, content)| write(name, content, 2));
    let config = Config::new(server.url())
        .unwrap()
        .with_certificate_authority_file(ca)
        .with_client_certificate_files(chain, key)
        .with_token_file(token);
    let opened = Opened::of(&folder.path(""));
    let client = Client::new(config).unwrap();
    ask(&client).await.unwrap();
    assert_eq!(
        opened.take(),
        contents.map(|(name, _)| name.to_owned()).into()
    );
    for _ in 0..3 {
        ask(&client).await.unwrap();
        assert_eq!(opened.take(), BTreeSet::new());
    }
    for (name, content) in contents {
        write(name, &format!("{content}\n"), 1);
        opened.take();
        ask(&client).await.unwrap();
        assert_eq!(opened.take(), [name.to_owned()].into());
        ask(&client).await.unwrap();
        assert_eq!(opened.take(), BTreeSet::new());
    }
}

#[tokio::test]
async fn an_authority_that_rotates() {
    let folder = Folder::new();
    let (old, new) = (Authority::new("old"), Authority::new("new"));
    // Every connection after the first presents a certificate of the new authority.
    let tls = [&old, &new].map(|authority| authority.sign(&["127.0.0.1"]).server(None));
    let server = Server::start("127.0.0.1:0", tls.into(), found).await;
    let file = folder.write("ca.crt", &old.pem);
    let config = Config::new(server.url())
        .unwrap()
        .with_certificate_authority_file(file);
    let client = Client::new(config).unwrap();
    ask(&client).await.unwrap();
    // Halfway through, even with other certificates before: the old ones stay in use.
    let bundle = format!("{}{}", Authority::new("other").pem, new.pem);
    let notices = Notices::collect();
    let begin = "-----BEGIN CERTIFICATE-----";
    let last = bundle.rfind(begin).unwrap() + begin.len();
    let ends = (last..bundle.trim_end().len()).step_by(5);
    let mut asked = 1;
    for end in [0, bundle.len() / 3].into_iter().chain(ends) {
        folder.write("ca.crt", &bundle[..end]);
        ask(&client).await.unwrap();
        asked += 1;
    }
    let reported = notices.take();
    for (notice, expected) in reported
        .iter()
        .zip(["expected a certificate", "incomplete"])
    {
        assert!(
            notice.contains("ca.crt") && notice.contains(expected),
            "{notice}"
        );
        assert!(
            notice.contains("the previous certificates stay in use"),
            "{notice}"
        );
    }
    assert_eq!(reported.len(), 2, "{reported:#?}");
    folder.write("ca.crt", &bundle);
    ask(&client).await.unwrap();
    let connections: Vec<_> = server.requests().iter().map(|one| one.connection).collect();
    assert_eq!(connections, [vec![0; asked], vec![1]].concat());
}

#[cfg(unix)]
#[tokio::test]
async fn files_follow_the_link_that_kubernetes_switches() {
    use std::os::unix::fs::symlink;
    let (server, folder) = (Server::secure().await, Folder::new());
    // The content changes neither its length nor its times, as when both versions come from one archive.
    let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1 << 30);
    for version in ["one", "two"] {
        let file = folder.write(&format!("..{version}/token"), format!("token-{version}"));
        let open = std::fs::File::options().write(true).open(file).unwrap();
        open.set_modified(long_ago).unwrap();
    }
    symlink("..one", folder.path("..data")).unwrap();
    symlink("..data/token", folder.path("token")).unwrap();
    let client = Client::new(server.config().with_token_file(folder.path("token"))).unwrap();
    for version in ["one", "one", "two", "two"] {
        symlink(format!("..{version}"), folder.path("..data_tmp")).unwrap();
        std::fs::rename(folder.path("..data_tmp"), folder.path("..data")).unwrap();
        ask(&client).await.unwrap();
        let sent = server.last_header("authorization").unwrap();
        assert_eq!(sent, format!("Bearer token-{version}"));
    }
}

/// A disk that does not respond: a pipe without a writer.
#[cfg(unix)]
#[tokio::test]
async fn a_file_that_hangs_blocks_no_other_task() {
    let (server, folder) = (Server::secure().await, Folder::new());
    let pipe = folder.write("token", "first");
    let config = server.config().with_token_file(&pipe);
    let client = Client::new(config).unwrap();
    std::fs::remove_file(&pipe).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let limited = client.with_timeout(std::time::Duration::from_millis(200));
    let error = ask(&limited).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    // The thread that waits for the file may end.
    std::fs::write(&pipe, "second").unwrap();
}

#[tokio::test]
async fn files_without_end_are_errors() {
    let (server, folder) = (Server::secure().await, Folder::new());
    for length in [(4 << 20) + 1, 1 << 40] {
        let file = folder.write("token", "");
        let open = std::fs::File::options().write(true).open(&file).unwrap();
        open.set_len(length).unwrap();
        let with_token = server.config().with_token_file(&file);
        let with_authority = server.config().with_certificate_authority_file(&file);
        for config in [with_token, with_authority] {
            let client = Client::new(config);
            let error = match client {
                Ok(client) => ask(&client).await.unwrap_err(),
                Err(error) => error,
            };
            assert!(error.to_string().contains("longer than 4 MiB"), "{error}");
        }
        let error = Config::builder().file("/dev/zero").build().unwrap_err();
        assert!(error.to_string().contains("longer than 64 MiB"), "{error}");
    }
    assert!(server.requests().is_empty());
}
