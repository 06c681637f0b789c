//! Every request ends, whatever happens to it and to the others of its level: responses of other levels, rejections, failures, bodies that
//! are not read, and programs that do not wait.

use crate::behaviour::{LONG, SHORT, get, level, respond, send as answer};
use http::{Response, StatusCode};
use k8s_flowcontrol_pace::{Pace, Priority};
use std::sync::mpsc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// The requests of a run.
const REQUESTS: u64 = 60;

/// Numbers for the choices of a run (Knuth's constants for linear congruences).
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }
}

/// Sends a request, whose response is one of many.
async fn send(pace: Pace, mut choices: Choices) {
    let mut time = |bound| Duration::from_millis(choices.below(bound));
    let (start, duration) = (time(200), time(100));
    let (outcome, level) = (choices.below(10), choices.below(3));
    let uri = format!(
        "/api/v1/namespaces/n{}/s{}",
        choices.below(2),
        choices.below(3)
    );
    sleep(start).await;
    let response = pace.send(get(&uri), |_| async move {
        sleep(duration).await;
        let response = match outcome {
            0 => return Err(()),
            1 => Response::builder().status(StatusCode::INTERNAL_SERVER_ERROR),
            2 => Response::builder().status(StatusCode::TOO_MANY_REQUESTS),
            _ => Response::builder(),
        };
        let uid = format!("level-{level}");
        let response = match outcome {
            1 | 3 => response,
            _ => response.header("x-kubernetes-pf-prioritylevel-uid", uid),
        };
        Ok(response.body(()).unwrap())
    });
    if choices.below(4) == 0 {
        // An error if it takes longer.
        let _abandoned = timeout(duration, response).await;
    } else if let Ok(body) = response.await
        && choices.below(5) == 0
    {
        sleep(Duration::from_secs(7)).await;
        drop(body);
    }
}

/// A run of requests at the same time, on the clock of the test.
async fn run(seed: u64) {
    let mut choices = Choices(seed);
    let limit = 1 + u32::try_from(choices.below(4)).unwrap();
    let pace = Pace::builder().max_limit(limit).seed(seed).build();
    let requests: JoinSet<()> = (0..REQUESTS)
        .map(|number| {
            let pace = match choices.below(3) {
                0 => pace.clone().with_priority(Priority::High),
                caller => pace.clone().with_caller(caller.to_string()),
            };
            send(pace, Choices(seed * REQUESTS + number))
        })
        .collect();
    let ended = timeout(Duration::from_secs(3600), requests.join_all()).await;
    assert!(ended.is_ok(), "seed {seed}: {:?}", pace.snapshot());
    // The longest pause and the longest read are over.
    sleep(Duration::from_secs(100)).await;
    for level in pace.snapshot() {
        let left = (level.in_flight, level.paused, level.waiting);
        assert_eq!(left, (0, 0, 0), "seed {seed}: {level:?}");
    }
}

#[test]
fn every_request_ends() {
    let seeds = match std::env::var_os("FLOWCONTROL_TEST_ALL") {
        Some(_) => 1000,
        None => 200,
    };
    let (done, ended) = mpsc::channel();
    // A request that asks again and again for a time that has passed occupies its thread for ever.
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            for seed in 0..seeds {
                run(seed).await;
            }
        });
        done.send(()).unwrap();
    });
    match ended.recv_timeout(Duration::from_secs(120)) {
        Ok(()) => {}
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it takes longer than two minutes"),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            std::panic::resume_unwind(thread.join().unwrap_err())
        }
    }
}

/// Another request of the level may never end.
#[tokio::test(start_paused = true)]
async fn places_become_free_with_time_beside_a_request_that_hangs() {
    let pace = Pace::builder().max_limit(2).build();
    answer(&pace, "/api/v1/pods", "a", SHORT).await;
    let send = |after| pace.send(get("/api/v1/pods"), move |_| respond("a", after));
    let third = async {
        sleep(SHORT / 2).await;
        assert_eq!(level(&pace, "a").in_flight, 2);
        timeout(LONG, send(SHORT)).await
    };
    let unread = async {
        let body = send(SHORT).await;
        sleep(LONG * 2).await;
        body
    };
    let hangs = timeout(LONG * 100, send(LONG * 200));
    let (third, _, hangs) = tokio::join!(third, unread, hangs);
    assert!(third.is_ok() && hangs.is_err());
}

#[tokio::test(start_paused = true)]
async fn pauses_end_beside_a_request_that_hangs() {
    let pace = Pace::builder().max_limit(4).build();
    answer(&pace, "/api/v1/pods", "a", SHORT).await;
    while level(&pace, "a").limit < 4.0 {
        let twice = [(); 4].map(|()| answer(&pace, "/api/v1/pods", "a", SHORT));
        let [a, b, c, d] = twice;
        tokio::join!(a, b, c, d);
    }
    let reject = || {
        pace.send(get("/api/v1/pods"), |_| async {
            let response = respond("a", SHORT).await.unwrap();
            let (mut parts, ()) = response.into_parts();
            parts.status = StatusCode::TOO_MANY_REQUESTS;
            Ok::<_, ()>(Response::from_parts(parts, ()))
        })
    };
    let last = async {
        sleep(SHORT / 2).await;
        assert_eq!(level(&pace, "a").in_flight, 4);
        let last = pace.send(get("/api/v1/pods"), |_| respond("a", SHORT));
        // A pause takes 1.5 seconds at most.
        timeout(Duration::from_secs(2), last).await
    };
    let hangs = pace.send(get("/api/v1/pods"), |_| respond("a", LONG * 200));
    let hangs = timeout(LONG * 100, hangs);
    let reject = async { drop(tokio::join!(reject(), reject(), reject())) };
    let (last, (), hangs) = tokio::join!(last, reject, hangs);
    assert!(last.is_ok() && hangs.is_err());
}

#[tokio::test(start_paused = true)]
async fn rejections_of_unknown_levels_are_forgotten() {
    let pace = Pace::new();
    for number in 0..5000 {
        let uri = format!("/api/v1/namespaces/n{number}/pods");
        let reject = |_| async {
            let response = Response::builder().status(StatusCode::TOO_MANY_REQUESTS);
            Ok::<_, ()>(response.body(()).unwrap())
        };
        drop(pace.send(get(&uri), reject).await);
        sleep(SHORT).await;
    }
    // Those whose pause has not ended, and those until the next thousand.
    let known = format!("{pace:?}").matches("Unknown(").count();
    assert!((50..1200).contains(&known), "{known}");
}
