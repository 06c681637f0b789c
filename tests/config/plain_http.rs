//! Servers without TLS do not get credentials, regardless of the configuration, the program, a proxy or a server.

use crate::config::exec::plugin;
use crate::config::kubeconfig::document;
use crate::config::support::{Folder, HttpProxy, Notices, Request, Server, ask, ask_with, found};
use k8s_flowcontrol::client::http::HeaderValue;
use k8s_flowcontrol::config::{Config, Impersonation, Secret};
use k8s_flowcontrol::{Client, Error};
use serde_json::json;
use std::collections::BTreeSet;

#[tokio::test]
async fn credentials_are_dropped_with_a_warning() {
    let (server, folder) = (Server::plain().await, Folder::new());
    let proxy = HttpProxy::to(server.address).await;
    let notices = Notices::collect();
    let base = Config::new(server.url()).unwrap();
    let planted = || Secret::new("planted");
    let token_file = folder.write("token", "planted");
    let user = json!({"token": "planted"});
    let text = document(json!({"server": server.url()}), user);
    for config in [
        base.clone().with_token(planted()),
        base.clone().with_token_file(token_file),
        base.clone().with_basic_auth("me", planted()),
        base.clone().with_exec(plugin(&folder)),
        base.clone().with_client_certificate("unread", planted()),
        Config::builder().text(text).build().unwrap(),
        base.clone()
            .with_token(planted())
            .with_proxy(format!("http://{}", proxy.address))
            .unwrap(),
        base.clone()
            .with_token(planted())
            .with_endpoint(server.url())
            .unwrap(),
    ] {
        ask_with(config).await.unwrap();
        let reported = notices.take();
        assert_eq!(reported.len(), 1, "{reported:?}");
        let expected = format!(
            "the server {}/ has no TLS, so the credentials are not sent to it",
            server.url()
        );
        assert!(reported[0].contains(&expected), "{reported:?}");
    }
    assert!(!folder.path("runs").exists(), "no plugin runs for nothing");
    let sent = server.requests();
    assert_eq!(sent.len(), 8);
    for request in sent {
        let head = request.head.to_lowercase();
        assert!(
            !head.contains("authorization:") && !head.contains("planted"),
            "{head}"
        );
    }
}

#[tokio::test]
async fn a_request_that_needs_them_fails() {
    let server = Server::plain().await;
    let base = Config::new(server.url()).unwrap();
    let jane = |config: Config| {
        config
            .with_impersonation(Impersonation::new("jane"))
            .unwrap()
    };

    // It would otherwise be a request of another user.
    let config = jane(base.clone().with_token(Secret::new("planted")));
    let error = ask_with(config.clone()).await.unwrap_err();
    let own = Client::with_transport(config, |_| async {
        Err::<k8s_flowcontrol::client::http::Response<String>, _>("unused")
    });
    for error in [error, ask(&own).await.unwrap_err()] {
        let text = error.to_string();
        assert!(text.contains("needed to impersonate a user"), "{text}");
    }
    let value = || HeaderValue::from_static("Bearer planted");
    let client = || Client::new(base.clone()).unwrap();
    let of_hook = client().before_request(move |request| {
        request.headers_mut().insert("authorization", value());
    });
    let of_layer = client().layer(move |mut request, next| {
        request.headers_mut().insert("authorization", value());
        next.run(request)
    });
    for client in [of_hook, of_layer] {
        let error: Error = ask(&client).await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("would be sent without TLS"), "{text}");
        assert!(!text.contains("planted"), "{text}");
    }
    assert!(server.requests().is_empty());

    // A proxy such as `kubectl proxy` has its own credentials; the user's name is not a secret.
    ask_with(jane(base)).await.unwrap();
    assert_eq!(server.last_header("impersonate-user").unwrap(), "jane");
}

#[tokio::test]
async fn no_proxy_or_redirect_sees_credentials_of_a_server_with_tls() {
    let plain = Server::plain().await;
    let status = format!("302 Found\r\nLocation: {}/", plain.url()).leak();
    let redirecting = Server::answering(|_| (&*status, String::new())).await;
    let proxy = HttpProxy::to(redirecting.address).await;
    let config = redirecting.config().with_token(Secret::new("planted"));
    let config = config
        .with_proxy(format!("http://{}", proxy.address))
        .unwrap();
    assert!(ask_with(config).await.is_err());
    assert_eq!(
        redirecting.last_header("authorization").unwrap(),
        "Bearer planted"
    );
    assert!(plain.requests().is_empty());
    let heads = proxy.heads().join("\n");
    assert!(
        heads.starts_with("CONNECT ") && !heads.contains("planted"),
        "{heads}"
    );
}

/// A connection that is used again, or opened again after the server closed it, gets no more than the first.
#[tokio::test]
async fn a_resumed_connection_gets_none() {
    let closing = |request: &Request| ("200 OK\r\nConnection: close", found(request).1);
    for (server, connections) in [
        (Server::plain().await, 1),
        (Server::start("127.0.0.1:0", Vec::new(), closing).await, 4),
    ] {
        let config = Config::new(server.url()).unwrap();
        let client = Client::new(config.with_token(Secret::new("planted"))).unwrap();
        for client in [&client, &client, &client.clone(), &client] {
            ask(client).await.unwrap();
        }
        let sent = server.requests();
        let used: BTreeSet<usize> = sent.iter().map(|request| request.connection).collect();
        assert_eq!((sent.len(), used.len()), (4, connections));
        for request in sent {
            assert!(!request.head.contains("planted"), "{}", request.head);
        }
    }
}
