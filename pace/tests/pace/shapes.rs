//! Shapes: requests of the same one take similar time, and belong to the same level.

use crate::behaviour::{LONG, SHORT, get, respond, send};
use http::Request;
use k8s_flowcontrol_pace::Pace;
use std::time::Duration;
use tokio::time::timeout;

/// Whether a request waits while another one is in flight.
async fn waits(pace: &Pace, other: Request<()>, request: Request<()>) -> bool {
    let busy = pace.send(other, |_| respond("a", LONG));
    let waits = async {
        tokio::task::yield_now().await;
        let request = pace.send(request, |_| respond("b", Duration::ZERO));
        timeout(SHORT, request).await.is_err()
    };
    tokio::select! {
        biased;
        _ = busy => panic!("it ends later"),
        waits = waits => waits,
    }
}

/// Requests of a level that is not known go one at a time.
#[tokio::test(start_paused = true)]
async fn requests_that_differ_in_names_only_belong_to_the_same_level() {
    for (one, other, is_same) in [
        (
            "https://host/api/v1/namespaces/a/pods/x",
            "/api/v1/namespaces/a/pods/y",
            true,
        ),
        (
            "/api/v1/namespaces/a/pods/x",
            "/api/v1/namespaces/b/pods/x",
            false,
        ),
        // A namespace may have the name of a path of the server.
        (
            "/apis/apps/v1/namespaces/api/deployments/x",
            "/apis/apps/v1/namespaces/api/deployments/y",
            true,
        ),
        (
            "/proxy/apis/apps/v1/namespaces/api/deployments/x",
            "/proxy/apis/apps/v1/namespaces/api/deployments/y",
            true,
        ),
        // A subresource of a namespace is not in it.
        (
            "/api/v1/namespaces/a/status",
            "/api/v1/namespaces/b/status",
            true,
        ),
    ] {
        let waits = waits(&Pace::new(), get(one), get(other)).await;
        assert_eq!(waits, is_same, "{other}");
    }
}

/// A request of an unknown level is assumed to belong to the level of a similar one.
#[tokio::test(start_paused = true)]
async fn requests_with_the_same_work_are_similar_in_all_namespaces() {
    for (known, uri, is_similar) in [
        (
            "/api/v1/namespaces/a/pods/x",
            "/api/v1/namespaces/b/pods/y",
            true,
        ),
        (
            "/api/v1/namespaces/a/pods/x",
            "/api/v1/namespaces/b/pods",
            false,
        ),
        (
            "/apis/apps/v1/deployments?limit=5&continue=&labelSelector=a%3Db",
            "/apis/apps/v1/deployments?limit=9&pretty=1&labelSelector=c",
            true,
        ),
        (
            "/apis/apps/v1/deployments?limit=5",
            "/apis/apps/v1/deployments",
            false,
        ),
        (
            "/proxy/k8s/apis/apps/v1/deployments?resourceVersion=0",
            "/apis/apps/v1/deployments?resourceVersion=0",
            true,
        ),
        (
            "/apis/apps/v1/deployments?resourceVersion=0",
            "/apis/apps/v1/deployments?resourceVersion=5",
            false,
        ),
        (
            "/apis/apps/v1/deployments",
            "/apis/apps/v1/deployments?resourceVersion=5",
            true,
        ),
        ("/apis/apps", "/apis/batch", false),
        ("/version", "/healthz", false),
    ] {
        let pace = Pace::builder().max_limit(1).build();
        send(&pace, known, "a", SHORT).await;
        let waits = waits(&pace, get(known), get(uri)).await;
        assert_eq!(waits, is_similar, "{uri}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_stay_open_do_not_wait() {
    for open in [
        "/api/v1/pods?watch=1",
        "/api/v1/pods?watch=true&resourceVersion=5",
        // A server reads these as true.
        "/api/v1/pods?watch",
        "/api/v1/pods?watch=",
        "/api/v1/pods?watch=yes&watch=false",
        "/api/v1/watch/namespaces/a/pods",
        "/api/v1/namespaces/a/pods/x/exec?command=ls",
        "/api/v1/namespaces/a/pods/x/log?follow=true",
        "/api/v1/namespaces/a/services/x/proxy/metrics",
    ] {
        assert!(!waits(&Pace::new(), get(open), get(open)).await, "{open}");
    }
    for short in [
        "/api/v1/pods?watch=false",
        "/api/v1/pods?watch=FALSE",
        "/api/v1/pods?watch=0&watch=1",
        "/api/v1/pods",
        "/api/v1/namespaces/a/pods/x/log",
        "/api/v1/namespaces/watch/pods",
    ] {
        assert!(waits(&Pace::new(), get(short), get(short)).await, "{short}");
    }
    let post = || {
        Request::post("/api/v1/namespaces/a/pods?watch=1")
            .body(())
            .unwrap()
    };
    assert!(waits(&Pace::new(), post(), post()).await);
}
