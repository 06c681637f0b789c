//! Greedy clients, which send the next request at once, and small ones, which send two requests a second.

use super::pacer::Pacer;
use super::world::World;
use super::{Failure, GREEDY};
use k8s_flowcontrol::{Client, Error};
use std::ops::Range;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

pub(crate) struct Load<'a> {
    pub(crate) world: &'a World,
    pub(crate) greedy: usize,
    pub(crate) small: usize,
    pub(crate) warm_up: Duration,
    pub(crate) time: Duration,
}

/// The results of the clients after the warm-up.
#[derive(Default)]
pub(crate) struct Outcome {
    /// In each second.
    pub(crate) served: Vec<u64>,
    rejected: u64,
    /// The requests of small clients: the second of the start, and the latency.
    small: Vec<(u64, Duration)>,
}

impl Outcome {
    pub(crate) fn per_second(&self) -> f64 {
        self.served.iter().sum::<u64>() as f64 / self.served.len() as f64
    }

    pub(crate) fn p99(&self) -> Duration {
        self.percentile(99, 0..u64::MAX)
    }

    /// The latency of small clients that this percentage of them did not exceed, of requests that started in some seconds.
    pub(crate) fn percentile(&self, percent: usize, seconds: Range<u64>) -> Duration {
        let within = self.small.iter().filter(|one| seconds.contains(&one.0));
        let mut latencies: Vec<_> = within.map(|one| one.1).collect();
        latencies.sort();
        let place = latencies.len() * percent / 100;
        latencies.get(place).copied().unwrap_or_default()
    }

    pub(crate) fn rejected_part(&self) -> f64 {
        let all = self.rejected + self.served.iter().sum::<u64>();
        self.rejected as f64 / all.max(1) as f64
    }
}

impl Load<'_> {
    /// Runs the clients: the greedy ones as callers of one program, or as programs and users apart.
    pub(crate) async fn run(&self, pacer: Pacer, apart: bool) -> Result<Outcome, Failure> {
        let begin = Instant::now() + self.warm_up;
        let end = begin + self.time;
        let outcome = Outcome {
            served: vec![0; self.time.as_secs() as usize],
            ..Outcome::default()
        };
        let outcome = Arc::new(Mutex::new(outcome));
        let mut tasks = JoinSet::new();
        let shared = pacer.around(self.world.client("greedy", pacer.retries())?);
        for number in 0..self.greedy.min(GREEDY) {
            let client = match apart {
                true => pacer.around(
                    self.world
                        .client(&format!("greedy-{number}"), pacer.retries())?,
                ),
                false => shared.clone(),
            };
            let (outcome, path) = (outcome.clone(), self.world.path.clone());
            tasks.spawn(async move {
                while Instant::now() < end {
                    let result = request(&client, &path).await;
                    let now = Instant::now();
                    if now >= begin && now < end {
                        let mut outcome = outcome.lock().map_err(|_| "a task has panicked")?;
                        match &result {
                            Ok(()) => outcome.served[(now - begin).as_secs() as usize] += 1,
                            Err(_) => outcome.rejected += 1,
                        }
                    }
                    if let Err(error) = result {
                        let pause = error.retry_after();
                        sleep(pause.ok_or(error)?).await;
                    }
                }
                Ok::<_, Failure>(())
            });
        }
        for number in 0..self.small {
            let client = self.world.client(&format!("small-{number}"), false)?;
            let (outcome, path) = (outcome.clone(), self.world.path.clone());
            let mut next = Instant::now() + Duration::from_millis(80 * number as u64);
            tasks.spawn(async move {
                while next < end {
                    sleep_until(next).await;
                    next += Duration::from_millis(511);
                    let start = Instant::now();
                    request(&client, &path).await?;
                    if start >= begin {
                        let mut outcome = outcome.lock().map_err(|_| "a task has panicked")?;
                        let second = (start - begin).as_secs();
                        outcome.small.push((second, start.elapsed()));
                    }
                }
                Ok(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done??;
        }
        let mut outcome = outcome.lock().map_err(|_| "a task has panicked")?;
        Ok(std::mem::take(&mut *outcome))
    }
}

async fn request(client: &Client, path: &str) -> Result<(), Error> {
    client.get_raw(path).await?;
    Ok(())
}
