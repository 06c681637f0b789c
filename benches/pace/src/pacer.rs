//! The ways to limit a program.

use k8s_flowcontrol::Client;
use k8s_flowcontrol_pace::Pace;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, sleep_until};

/// A way to limit a program; each program gets its own limit.
#[derive(Clone)]
pub(crate) enum Pacer {
    None,
    /// The retries of the client, with its budget.
    Budget,
    Fixed(usize),
    /// A token bucket, as in client-go: requests a second, and burst.
    Rate(f64, f64),
    Adaptive,
}

impl Pacer {
    pub(crate) fn retries(&self) -> bool {
        matches!(self, Self::Budget)
    }

    /// The client with a separate limit, which its clones share.
    pub(crate) fn around(&self, client: Client) -> Client {
        match *self {
            Self::None | Self::Budget => client,
            Self::Fixed(requests) => {
                let permits = Arc::new(Semaphore::new(requests));
                client.layer(move |request, next| {
                    let permits = permits.clone();
                    async move {
                        let _permit = permits.acquire().await;
                        next.run(request).await
                    }
                })
            }
            Self::Rate(per_second, burst) => {
                let pause = Duration::from_secs_f64(1.0 / per_second);
                let reserve = pause.mul_f64(burst);
                // The time at which the bucket was empty, less its content.
                let next = Arc::new(Mutex::new(Instant::now()));
                client.layer(move |request, down| {
                    let next = next.clone();
                    async move {
                        let start = {
                            let mut next = next.lock().await;
                            *next = (*next).max(Instant::now()) + pause;
                            *next - reserve
                        };
                        sleep_until(start).await;
                        down.run(request).await
                    }
                })
            }
            Self::Adaptive => {
                let pace = Pace::new();
                client.layer(move |request, next| {
                    let pace = pace.clone();
                    async move { pace.send(request, |request| next.run(request)).await }
                })
            }
        }
    }
}
