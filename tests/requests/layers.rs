//! Default headers, hooks before requests, and layers.

use crate::requests::support::{arrived, config, embedded, hasty, schema};
use bytes::Bytes;
use http_body_util::BodyExt as _;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::client::TransportError;
use k8s_flowcontrol::client::http::{self, HeaderValue};
use k8s_flowcontrol::config::{Impersonation, Secret};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// What tests note, in order.
#[derive(Clone, Default)]
pub(super) struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    pub(super) fn add(&self, note: impl Into<String>) {
        self.0.lock().unwrap().push(note.into());
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// The values of a header in all requests that a server received.
pub(super) fn sent(server: &ApiServer, header: &str) -> Vec<Option<String>> {
    let requests = server.requests();
    let values = requests.iter().map(|request| request.header(header));
    values.map(|value| value.map(str::to_owned)).collect()
}

#[tokio::test]
async fn all_observers_are_called_in_order() {
    let (server, client) = embedded().await;
    let notes = Notes::default();
    let observe = |name: &'static str| {
        let notes = notes.clone();
        move |code: Option<u16>| notes.add(format!("{name} {}", code.unwrap()))
    };
    let (first, second, other) = (observe("first"), observe("second"), observe("other"));
    let client = client.on_request(move |attempt| first(attempt.code()));
    let with_second = client
        .clone()
        .on_request(move |attempt| second(attempt.code()));
    let with_other = client.on_request(move |attempt| other(attempt.code()));
    server.inject(Fault::rejected(0));
    with_second.flow_schemas().list().await.unwrap();
    assert_eq!(
        notes.take(),
        ["first 429", "second 429", "first 200", "second 200"]
    );
    with_other.flow_schemas().list().await.unwrap();
    assert_eq!(notes.take(), ["first 200", "other 200"]);
    let warned = notes.clone();
    let also = notes.clone();
    let with_warnings = with_other
        .on_warning(move |_| warned.add("one"))
        .on_warning(move |_| also.add("two"));
    let mut misspelt = serde_json::to_value(schema("mine")).unwrap();
    misspelt["spec"]["rulez"] = serde_json::json!([]);
    let misspelt = serde_json::from_value(misspelt).unwrap();
    let create = with_warnings.flow_schemas().create(&misspelt);
    create.await.unwrap();
    assert_eq!(notes.take(), ["one", "two", "first 201", "other 201"]);
}

#[tokio::test]
async fn default_headers_belong_to_one_clone() {
    let (server, client) = embedded().await;
    let tenant = client
        .clone()
        .with_header("x-tenant", "a")
        .unwrap()
        .with_header("X-Tenant", "b")
        .unwrap();
    server.inject(Fault::rejected(0));
    tenant.flow_schemas().list().await.unwrap();
    client.flow_schemas().list().await.unwrap();
    let tenants = [Some("b".to_owned()), Some("b".to_owned()), None];
    assert_eq!(sent(&server, "x-tenant"), tenants);
    assert_eq!(
        sent(&server, "accept"),
        [(); 3].map(|()| Some("application/json".to_owned()))
    );
    for (name, value, expected) in [
        ("a b", "x", "`a b` is not a header name"),
        (
            "x-a",
            "planted\n",
            "the value of the header x-a is not valid",
        ),
        ("Authorization", "planted", "belongs to the credentials"),
        ("Impersonate-User", "planted", "belongs to the credentials"),
        ("Accept", "planted", "change it in `Client::before_request`"),
        ("user-agent", "planted", "use `Config::with_application`"),
        (
            "accept-encoding",
            "planted",
            "use `Config::with_compression`",
        ),
        ("host", "planted", "it is the host of the server's URL"),
    ] {
        let error = client.clone().with_header(name, value).unwrap_err();
        assert!(
            error.is_argument() && error.to_string().contains(expected),
            "{error}"
        );
        assert!(!format!("{error} {error:?} {error:#?}").contains("planted"));
    }
}

#[tokio::test]
async fn hooks_change_the_headers_of_each_attempt_but_no_credentials() {
    let tokens = "planted-secret,admin,admin-uid,\"system:masters\"\n";
    let server = ApiServer::builder()
        .tls()
        .tokens(tokens)
        .record_requests()
        .start()
        .await
        .unwrap();
    let config = config(&server)
        .with_retry_policy(hasty())
        .with_token(Secret::new("planted-secret"))
        .with_impersonation(Impersonation::new("jane").group("system:masters"))
        .unwrap();
    let notes = Notes::default();
    let log = notes.clone();
    let client = Client::new(config)
        .unwrap()
        .with_header("x-order", "default")
        .unwrap()
        .before_request(move |request| {
            log.add(format!("{request:?} {:?}", request.headers()));
            assert_eq!(request.headers()["x-order"], "default");
            assert!(!request.headers().contains_key("authorization"));
            assert!(!request.headers().contains_key("impersonate-user"));
            let line = format!(
                "{} {} {} {}",
                request.number(),
                request.method(),
                request.verb(),
                request.resource()
            );
            let value = HeaderValue::try_from(line).unwrap();
            request.headers_mut().insert("x-order", value);
            for (name, value) in [
                ("authorization", "Bearer of-the-hook"),
                ("impersonate-user", "of-the-hook"),
                ("impersonate-uid", "of-the-hook"),
            ] {
                let value = HeaderValue::from_static(value);
                request.headers_mut().insert(name, value);
            }
        })
        .before_request(|request| {
            let headers = request.headers_mut();
            let first = headers["x-order"].to_str().unwrap().to_owned();
            let both = HeaderValue::try_from(format!("{first}, second")).unwrap();
            headers.insert("x-order", both);
        });
    server.inject(Fault::rejected(0));
    client.flow_schemas().get("exempt").await.unwrap();
    assert_eq!(
        sent(&server, "x-order"),
        [1, 2].map(|number| Some(format!("{number} GET get flowschemas, second")))
    );
    let both = |value: &str| vec![Some(value.to_owned()); 2];
    assert_eq!(
        sent(&server, "authorization"),
        both("Bearer planted-secret")
    );
    assert_eq!(sent(&server, "impersonate-user"), both("jane"));
    assert_eq!(sent(&server, "impersonate-uid"), [None, None]);
    let notes = notes.take().join("\n");
    assert!(!notes.contains("planted-secret"), "{notes}");
}

#[tokio::test]
async fn a_hook_may_authenticate_a_configuration_without_credentials() {
    let builder = ApiServer::builder().tls().record_requests();
    let server = builder.start().await.unwrap();
    let notes = Notes::default();
    let log = notes.clone();
    let client = Client::new(config(&server))
        .unwrap()
        .layer(move |request, next| {
            log.add(format!("{request:?}"));
            next.run(request)
        })
        .before_request(|request| {
            let value = HeaderValue::from_static("Bearer planted-secret");
            request.headers_mut().insert("authorization", value);
        });
    client.flow_schemas().list().await.unwrap();
    let token = Some("Bearer planted-secret".to_owned());
    assert_eq!(sent(&server, "authorization"), [token]);
    let shown = notes.take().join("\n");
    assert!(
        shown.contains("authorization") && !shown.contains("planted"),
        "{shown}"
    );
}

#[tokio::test]
async fn the_last_layer_is_the_outermost() {
    let (server, client) = embedded().await;
    let notes = Notes::default();
    let layered = ["inner", "outer"].into_iter().fold(client, |client, name| {
        let notes = notes.clone();
        client.layer(move |mut request, next| {
            let notes = notes.clone();
            async move {
                notes.add(format!("{name} {}", request.uri().path()));
                request
                    .headers_mut()
                    .append("x-layer", HeaderValue::from_static(name));
                let response = next.run(request).await?;
                notes.add(format!("{name} {}", response.status().as_u16()));
                Ok::<_, TransportError>(response)
            }
        })
    });
    server.inject(Fault::rejected(0));
    layered.version().await.unwrap();
    let once = |code: u16| {
        vec![
            "outer /version".to_owned(),
            "inner /version".to_owned(),
            format!("inner {code}"),
            format!("outer {code}"),
        ]
    };
    assert_eq!(notes.take(), [once(429), once(200)].concat());
    assert_eq!(sent(&server, "x-layer")[0].as_deref(), Some("outer"));
}

#[tokio::test]
async fn a_layer_sees_and_changes_the_body_of_a_watch() {
    let (_server, client) = embedded().await;
    let client = client.layer(|request, next| async move {
        let response = next.run(request).await?;
        Ok::<_, TransportError>(response.map(|body| {
            body.map_frame(|frame| {
                frame.map_data(|data| {
                    let text = String::from_utf8(data.to_vec()).unwrap();
                    Bytes::from(text.replace("catch-all", "renamed"))
                })
            })
        }))
    });
    let mut events = client.flow_schemas().watch().await.unwrap();
    loop {
        let event = format!("{:?}", events.next().await.unwrap().unwrap());
        assert!(!event.contains("\"catch-all\""), "{event}");
        if event.contains("\"renamed\"") {
            break;
        }
    }
}

#[tokio::test]
async fn errors_of_a_layer_decide_about_the_next_attempt() {
    type Make = fn(&'static str) -> TransportError;
    let is_retried: [(Make, u32, u32, bool); 3] = [
        (|text| TransportError::new(text), 5, 1, true),
        (|text| TransportError::unsent(text), 5, 5, false),
        (|text| TransportError::fatal(text), 1, 1, true),
    ];
    for (make, reads, writes, may_have_taken_effect) in is_retried {
        let (server, client) = embedded().await;
        let count = Arc::new(AtomicU32::new(0));
        let counter = count.clone();
        let client = client.layer(move |_, _| {
            counter.fetch_add(1, Ordering::Relaxed);
            async move { Err::<http::Response<String>, _>(make("the layer has no response")) }
        });
        let error = client.flow_schemas().list().await.unwrap_err();
        assert!(
            error.to_string().contains("the layer has no response"),
            "{error}"
        );
        assert_eq!(
            (error.attempts(), count.swap(0, Ordering::Relaxed)),
            (reads, reads)
        );
        let error = client
            .flow_schemas()
            .create(&schema("a"))
            .await
            .unwrap_err();
        assert_eq!(
            (error.attempts(), count.load(Ordering::Relaxed)),
            (writes, writes)
        );
        assert_eq!(
            error.may_have_taken_effect(),
            may_have_taken_effect,
            "{error}"
        );
        assert_eq!(arrived(&server, "POST"), 0);
    }
}
