//! Levels, priorities, callers, watches, rejections and metrics.

use http::{Request, Response, StatusCode};
use k8s_flowcontrol_pace::{LevelSnapshot, Pace, Priority};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tower::{Layer, ServiceExt, service_fn};

const LEVEL: &str = "x-kubernetes-pf-prioritylevel-uid";

/// A response of a level after a time.
pub(crate) async fn respond(level: &str, after: Duration) -> Result<Response<()>, Infallible> {
    sleep(after).await;
    Ok(Response::builder().header(LEVEL, level).body(()).unwrap())
}

pub(crate) fn get(uri: &str) -> Request<()> {
    Request::get(uri).body(()).unwrap()
}

pub(crate) fn level(pace: &Pace, uid: &str) -> LevelSnapshot {
    let levels = pace.snapshot();
    let level = levels.into_iter().find(|one| one.priority_level_uid == uid);
    level.unwrap()
}

pub(crate) async fn send(pace: &Pace, uri: &str, level: &str, after: Duration) {
    let respond = |_| respond(level, after);
    pace.send(get(uri), respond).await.unwrap();
}

pub(crate) const SHORT: Duration = Duration::from_millis(10);
pub(crate) const LONG: Duration = Duration::from_secs(10);

#[tokio::test(start_paused = true)]
async fn leases_do_not_wait_for_lists() {
    let pace = Pace::builder().max_limit(1).build();
    let lists: JoinSet<_> = (0..20)
        .map(|_| {
            let pace = pace.clone();
            async move { send(&pace, "/api/v1/pods", "lists", LONG).await }
        })
        .collect();
    // The level of neither is known.
    sleep(SHORT).await;
    let lease = "/apis/coordination.k8s.io/v1/namespaces/a/leases/x";
    timeout(LONG / 2, send(&pace, lease, "leases", SHORT))
        .await
        .unwrap();
    // Both are known.
    sleep(LONG).await;
    timeout(LONG / 2, send(&pace, lease, "leases", SHORT))
        .await
        .unwrap();
    let busy = level(&pace, "lists");
    assert_eq!((busy.in_flight, busy.waiting), (1, 18));
    assert_eq!(level(&pace, "leases").started, 2);
    drop(lists);
}

#[tokio::test(start_paused = true)]
async fn requests_of_an_unknown_level_go_one_at_a_time() {
    let pace = Pace::new();
    let running = Arc::new(Mutex::new((0, 0)));
    let first: JoinSet<_> = (0..10)
        .map(|_| {
            let (pace, running) = (pace.clone(), running.clone());
            async move {
                let known = pace.clone();
                let respond = |_| async move {
                    let number = {
                        let mut running = running.lock().unwrap();
                        running.0 += 1;
                        running.1 = running.1.max(running.0);
                        running.0
                    };
                    assert!(number == 1 || level_is_known(&known), "{number}");
                    let response = respond("a", SHORT).await;
                    running.lock().unwrap().0 -= 1;
                    response
                };
                pace.send(get("/api/v1/pods"), respond).await.unwrap();
            }
        })
        .collect();
    first.join_all().await;
    assert!(running.lock().unwrap().1 > 1, "later there are more");
    // Another namespace is assumed to be in the same level.
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    assert_eq!(pace.snapshot().len(), 1);
}

fn level_is_known(pace: &Pace) -> bool {
    !pace.snapshot().is_empty()
}

#[tokio::test(start_paused = true)]
async fn watches_neither_wait_nor_count() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    let busy = pace.send(get("/api/v1/pods"), |_| respond("a", LONG));
    let busy = async { busy.await.unwrap() };
    let watch = async {
        sleep(SHORT).await;
        let watch = pace.send(get("/api/v1/pods?watch=true"), |_| respond("a", SHORT));
        let watch = timeout(LONG / 2, watch).await.unwrap().unwrap();
        assert_eq!(level(&pace, "a").in_flight, 1);
        watch
    };
    let (response, _watch) = tokio::join!(busy, watch);
    // A request is in flight until its body is dropped.
    assert_eq!(level(&pace, "a").in_flight, 1);
    drop(response);
    assert_eq!(level(&pace, "a").in_flight, 0);
}

#[tokio::test(start_paused = true)]
async fn urgent_requests_come_first_and_callers_take_turns() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let mut tasks = JoinSet::new();
    let mut spawn = |pace: Pace, name: &'static str, request: Request<()>| {
        let order = order.clone();
        tasks.spawn(async move {
            let respond = |_| {
                order.lock().unwrap().push(name);
                respond("a", SHORT)
            };
            pace.send(request, respond).await.unwrap();
        });
    };
    spawn(pace.clone(), "first", get("/api/v1/pods"));
    for _ in 0..3 {
        spawn(
            pace.clone().with_caller("greedy"),
            "greedy",
            get("/api/v1/pods"),
        );
    }
    spawn(
        pace.clone().with_caller("small"),
        "small",
        get("/api/v1/pods"),
    );
    let mut urgent = get("/api/v1/pods");
    urgent.extensions_mut().insert(Priority::High);
    spawn(pace.clone().with_caller("greedy"), "urgent", urgent);
    tasks.join_all().await;
    let order = order.lock().unwrap().clone();
    assert_eq!(
        order,
        ["first", "urgent", "greedy", "small", "greedy", "greedy"]
    );
}

#[tokio::test(start_paused = true)]
async fn the_place_of_a_rejected_request_stays_occupied() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    let reject = |_| async {
        let response = Response::builder().status(429).header("Retry-After", "4");
        Ok::<_, Infallible>(response.header(LEVEL, "a").body(()).unwrap())
    };
    let rejected = pace.send(get("/api/v1/pods"), reject).await.unwrap();
    assert_eq!(rejected.status(), StatusCode::TOO_MANY_REQUESTS);
    let begin = Instant::now();
    drop(rejected);
    assert_eq!(level(&pace, "a").paused, 1);
    send(&pace, "/api/v1/pods", "a", Duration::ZERO).await;
    let waited = begin.elapsed();
    let longest = Duration::from_millis(6001);
    assert!(
        waited >= Duration::from_secs(4) && waited <= longest,
        "{waited:?}"
    );
    let after = level(&pace, "a");
    assert_eq!((after.rejected, after.paused, after.started), (1, 0, 3));
    assert!(after.waited >= Duration::from_secs(4));
    // Other levels are not concerned.
    send(&pace, "/api/v1/nodes", "b", SHORT).await;
    assert_eq!(level(&pace, "b").rejected, 0);
}

/// 60 s count of a longer time, whatever its length.
#[tokio::test(start_paused = true)]
async fn a_time_of_many_digits_is_a_long_one() {
    for time in ["61", "99999999999999999999999"] {
        let pace = Pace::builder().max_limit(1).build();
        send(&pace, "/api/v1/pods", "a", SHORT).await;
        let reject = |_| async {
            let response = Response::builder().status(503).header("Retry-After", time);
            Ok::<_, Infallible>(response.header(LEVEL, "a").body(()).unwrap())
        };
        drop(pace.send(get("/api/v1/pods"), reject).await.unwrap());
        let begin = Instant::now();
        send(&pace, "/api/v1/pods", "a", Duration::ZERO).await;
        let waited = begin.elapsed();
        assert!(waited >= Duration::from_secs(60), "{time}: {waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn requests_that_waited_before_a_rejection_go_on_after_the_pause() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    let reject = |_| async {
        sleep(SHORT).await;
        let response = Response::builder().status(429).header("Retry-After", "4");
        Ok::<_, Infallible>(response.header(LEVEL, "a").body(()).unwrap())
    };
    let rejected = async { drop(pace.send(get("/api/v1/pods"), reject).await.unwrap()) };
    let waiting = async {
        tokio::task::yield_now().await;
        send(&pace, "/api/v1/pods", "a", SHORT).await;
    };
    let both = async { tokio::join!(rejected, waiting) };
    timeout(LONG, both).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_exempt_level_has_no_limit() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "exempt", SHORT).await;
    let begin = Instant::now();
    let all = |count: usize| {
        let requests = (0..count).map(|_| {
            let pace = pace.clone();
            async move { send(&pace, "/api/v1/pods", "exempt", SHORT).await }
        });
        requests.collect::<JoinSet<_>>().join_all()
    };
    all(10).await;
    assert!(begin.elapsed() >= 10 * SHORT);
    pace.exempt("exempt");
    let begin = Instant::now();
    all(100).await;
    assert!(begin.elapsed() < 2 * SHORT);
    assert!(level(&pace, "exempt").is_exempt);
}

#[tokio::test(start_paused = true)]
async fn requests_that_are_dropped_give_their_places_back() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    for _ in 0..50 {
        // A request in flight, and another in the queue.
        let one = pace.send(get("/api/v1/pods"), |_| respond("a", LONG));
        let other = pace.send(get("/api/v1/pods"), |_| respond("a", LONG));
        let both = async { tokio::join!(one, other) };
        assert!(timeout(SHORT, both).await.is_err());
        let after = level(&pace, "a");
        assert_eq!((after.in_flight, after.waiting), (0, 0));
    }
    send(&pace, "/api/v1/pods", "a", SHORT).await;
}

#[tokio::test(start_paused = true)]
async fn a_service_and_its_clones_share_the_limit() {
    let inner = service_fn(|_: Request<()>| respond("a", SHORT));
    let pace = Pace::builder().max_limit(2).build();
    let service = pace.layer(inner);
    let begin = Instant::now();
    let requests = (0..20).map(|_| {
        let service = service.clone();
        async move { service.oneshot(get("/api/v1/pods")).await.unwrap().status() }
    });
    let codes = requests.collect::<JoinSet<_>>().join_all().await;
    assert_eq!(codes, [200; 20]);
    assert!(begin.elapsed() >= 10 * SHORT, "{:?}", begin.elapsed());
}

#[tokio::test(start_paused = true)]
async fn bodies_that_nobody_reads_block_nobody_for_ever() {
    let pace = Pace::builder().max_limit(2).build();
    let begin = Instant::now();
    let mut responses = Vec::new();
    for _ in 0..6 {
        let response = pace.send(get("/api/v1/pods"), |_| respond("a", SHORT));
        responses.push(response.await.unwrap());
    }
    assert!(begin.elapsed() >= Duration::from_secs(10), "two at a time");
    assert!(begin.elapsed() <= Duration::from_secs(11));
}

#[tokio::test(start_paused = true)]
async fn errors_of_the_service_are_unchanged_and_free_the_place() {
    let pace = Pace::builder().max_limit(1).build();
    for _ in 0..5 {
        let fail = |_| async { Err::<Response<()>, _>("broken") };
        let error = pace.send(get("/api/v1/pods"), fail).await.unwrap_err();
        assert_eq!(error, "broken");
    }
    send(&pace, "/api/v1/pods", "a", SHORT).await;
}

/// FlowSchemas change while requests are in flight and others wait.
#[tokio::test(start_paused = true)]
async fn requests_that_wait_for_a_level_go_on_when_their_shape_moves_to_another_one() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "old", SHORT).await;
    let requests: JoinSet<_> = (0..5)
        .map(|_| {
            let pace = pace.clone();
            async move { send(&pace, "/api/v1/pods", "new", SHORT).await }
        })
        .collect();
    timeout(LONG, requests.join_all()).await.unwrap();
    let (old, new) = (level(&pace, "old"), level(&pace, "new"));
    assert_eq!(old.waiting, 0);
    // Each request is sent once, however many levels it has.
    assert_eq!(old.started + new.started, 6);
}

#[tokio::test(start_paused = true)]
async fn a_place_is_free_when_its_request_moves_to_another_level() {
    let pace = Pace::builder().max_limit(2).build();
    send(&pace, "/api/v1/pods", "old", SHORT).await;
    let waits = async {
        sleep(SHORT / 2).await;
        timeout(SHORT * 2, send(&pace, "/api/v1/pods", "old", SHORT)).await
    };
    let (waited, (), ()) = tokio::join!(
        waits,
        send(&pace, "/api/v1/pods", "new", SHORT),
        send(&pace, "/api/v1/pods", "old", LONG),
    );
    waited.unwrap();
}

/// Programs give up the requests that wait for longest.
#[tokio::test(start_paused = true)]
async fn the_time_of_requests_that_are_given_up_while_they_wait_counts() {
    let pace = Pace::builder().max_limit(1).build();
    send(&pace, "/api/v1/pods", "a", SHORT).await;
    let busy = send(&pace, "/api/v1/pods", "a", LONG * 2);
    let given_up = timeout(LONG, send(&pace, "/api/v1/pods", "a", SHORT));
    let ((), given_up) = tokio::join!(busy, given_up);
    assert!(given_up.is_err());
    let level = level(&pace, "a");
    assert_eq!((level.waited, level.started), (LONG, 2));
}

/// After a rejection only time frees the place, of the level that they still wait for.
#[tokio::test(start_paused = true)]
async fn requests_that_wait_for_time_go_on_when_their_shape_moves_to_another_level() {
    let pace = Pace::builder().max_limit(1).build();
    for uri in ["/api/v1/pods", "/api/v1/nodes"] {
        send(&pace, uri, "old", SHORT).await;
    }
    let reject = |_: Request<()>| async {
        let response = Response::builder().status(StatusCode::TOO_MANY_REQUESTS);
        Ok::<_, Infallible>(response.header(LEVEL, "old").body(()).unwrap())
    };
    let all = async {
        tokio::join!(
            biased;
            send(&pace, "/api/v1/pods", "new", SHORT),
            async { drop(pace.send(get("/api/v1/nodes"), reject).await.unwrap()) },
            send(&pace, "/api/v1/pods", "new", SHORT),
        )
    };
    timeout(LONG, all).await.unwrap();
    assert_eq!(level(&pace, "old").rejected, 1);
}
