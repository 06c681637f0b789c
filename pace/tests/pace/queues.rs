//! The order of requests that wait for a place.

use crate::behaviour::{LONG, SHORT, get, respond, send};
use k8s_flowcontrol_pace::{Pace, Priority};
use std::sync::{Arc, Mutex};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

/// Requests of a level with one place, by the order of their starts.
struct Level {
    pace: Pace,
    started: Arc<Mutex<Vec<Priority>>>,
    tasks: JoinSet<()>,
}

impl Level {
    async fn new() -> Self {
        let pace = Pace::builder().max_limit(1).build();
        send(&pace, "/api/v1/pods", "a", SHORT).await;
        Self {
            pace,
            started: Arc::default(),
            tasks: JoinSet::new(),
        }
    }

    fn spawn(&mut self, priority: Priority) {
        let pace = self.pace.clone().with_priority(priority);
        let started = self.started.clone();
        self.tasks.spawn(async move {
            let serve = |_| {
                started.lock().unwrap().push(priority);
                respond("a", SHORT)
            };
            pace.send(get("/api/v1/pods"), serve).await.unwrap();
        });
    }

    /// The requests of a priority among some that started.
    fn count(&self, from: usize, to: usize, priority: Priority) -> usize {
        let started = self.started.lock().unwrap();
        let some = started[from..to].iter();
        some.filter(|one| **one == priority).count()
    }
}

#[tokio::test(start_paused = true)]
async fn priorities_share_and_none_starves() {
    let mut level = Level::new().await;
    for _ in 0..50 {
        for priority in [Priority::Low, Priority::Normal, Priority::High] {
            level.spawn(priority);
        }
    }
    sleep(43 * SHORT).await;
    // The first one found a free place.
    let count = |priority| level.count(1, 43, priority);
    assert_eq!(count(Priority::High), 32);
    assert_eq!(count(Priority::Normal), 8);
    assert_eq!(count(Priority::Low), 2);
}

#[tokio::test(start_paused = true)]
async fn time_without_waiting_requests_gives_no_advantage() {
    let mut level = Level::new().await;
    (0..100).for_each(|_| level.spawn(Priority::Normal));
    sleep(50 * SHORT).await;
    let before = level.started.lock().unwrap().len();
    (0..10).for_each(|_| level.spawn(Priority::Low));
    sleep(12 * SHORT).await;
    let low = level.count(before, before + 10, Priority::Low);
    assert!((1..=3).contains(&low), "{low}");
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_dropped_leaves_the_queue() {
    let mut level = Level::new().await;
    (0..2).for_each(|_| level.spawn(Priority::Normal));
    tokio::task::yield_now().await;
    let dropped = async |caller| {
        let pace = level.pace.clone().with_caller(caller);
        let request = pace.send(get("/api/v1/pods"), |_| respond("a", SHORT));
        assert!(timeout(SHORT / 2, request).await.is_err());
    };
    // One between two others, and one whose caller has no other.
    let between_and_alone = async { tokio::join!(dropped(""), dropped("alone")) };
    let pace = level.pace.clone();
    let behind = async { send(&pace, "/api/v1/pods", "a", SHORT).await };
    timeout(LONG, async { tokio::join!(between_and_alone, behind) })
        .await
        .unwrap();
    level.tasks.join_all().await;
    let after = crate::behaviour::level(&pace, "a");
    assert_eq!((after.waiting, after.in_flight, after.started), (0, 0, 4));
}
