//! Greedy clients, which send the next request at once, and small ones, which send a few requests a second.

use crate::apf::Server;
use http::Request;
use k8s_flowcontrol_pace::Pace;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

/// The results of the clients between two times.
#[derive(Debug, Default)]
pub(crate) struct Result {
    /// Requests of greedy clients that were served, in each second.
    pub(crate) served: Vec<u64>,
    pub(crate) rejected: u64,
    /// The latencies of small clients that are not paced, in order.
    pub(crate) small: Vec<Duration>,
}

impl Result {
    pub(crate) fn per_second(&self) -> f64 {
        self.served.iter().sum::<u64>() as f64 / self.served.len() as f64
    }

    pub(crate) fn p99(&self) -> Duration {
        self.small[self.small.len() * 99 / 100]
    }

    /// The rejected part of all requests.
    pub(crate) fn rejected_part(&self) -> f64 {
        let served: u64 = self.served.iter().sum();
        self.rejected as f64 / (self.rejected + served) as f64
    }
}

/// A greedy client: its user, and its limits.
pub(crate) type Client = (String, Option<Pace>);

pub(crate) fn get() -> Request<()> {
    Request::get("/api/v1/namespaces/a/configmaps/x")
        .body(())
        .unwrap()
}

/// Runs the clients for `warm_up` and then `seconds`, and returns what they got in the latter.
pub(crate) async fn run(
    server: &Server,
    greedy: Vec<Client>,
    small: usize,
    warm_up: u64,
    seconds: u64,
) -> Result {
    let begin = Instant::now() + Duration::from_secs(warm_up);
    let end = begin + Duration::from_secs(seconds);
    let served = vec![0; seconds as usize];
    let result = Arc::new(Mutex::new(Result {
        served,
        ..Result::default()
    }));
    let mut tasks = JoinSet::new();
    for (user, pace) in greedy {
        let (server, result) = (server.clone(), result.clone());
        tasks.spawn(async move {
            while Instant::now() < end {
                let serve = |request| server.clone().serve(user.clone(), request);
                let code = match &pace {
                    Some(pace) => pace.send(get(), serve).await.unwrap().status(),
                    None => serve(get()).await.unwrap().status(),
                };
                let now = Instant::now();
                if now >= begin && now < end {
                    let mut result = result.lock().unwrap();
                    match code.as_u16() {
                        200 => result.served[(now - begin).as_secs() as usize] += 1,
                        _ => result.rejected += 1,
                    }
                }
                if code == 429 {
                    sleep(Duration::from_secs(1)).await;
                }
            }
        });
    }
    for number in 0..small {
        let (server, result) = (server.clone(), result.clone());
        let mut next = Instant::now() + Duration::from_millis(40 * number as u64);
        tasks.spawn(async move {
            while next < end {
                sleep_until(next).await;
                next += Duration::from_millis(211);
                let start = Instant::now();
                let code = server
                    .clone()
                    .serve(format!("small-{number}"), get())
                    .await
                    .unwrap()
                    .status();
                if start >= begin && code == 200 {
                    result.lock().unwrap().small.push(start.elapsed());
                }
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let mut result = std::mem::take(&mut *result.lock().unwrap());
    result.small.sort();
    result
}
