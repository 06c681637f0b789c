//! Every request ends, whatever happens to it and to the others of its level: responses of other levels, rejections, failures, bodies that
//! are not read, and programs that do not wait.

use crate::behaviour::get;
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
