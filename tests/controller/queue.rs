//! The work queue, on a paused clock.

use k8s_flowcontrol::controller::WorkQueue;
use std::time::Duration;
use tokio::time::{Instant, timeout};

const SHORT: Duration = Duration::from_millis(1);

async fn is_empty(queue: &WorkQueue<&str>) -> bool {
    timeout(SHORT, queue.next()).await.is_err()
}

#[tokio::test(start_paused = true)]
async fn a_key_is_queued_once_and_has_one_worker() {
    let queue = WorkQueue::new();
    for key in ["a", "b", "a", "a"] {
        queue.add(key);
    }
    let a = queue.next().await.unwrap();
    let b = queue.next().await.unwrap();
    assert_eq!((*a.key(), *b.key()), ("a", "b"));
    assert!(is_empty(&queue).await);
    // Added while it has a worker, twice: due once, afterwards.
    queue.add("a");
    queue.add("a");
    assert!(is_empty(&queue).await);
    a.forget();
    assert_eq!(*queue.next().await.unwrap().key(), "a");
    b.forget();
    assert!(is_empty(&queue).await);
    let numbers = queue.snapshot();
    assert_eq!((numbers.added, numbers.started, numbers.working), (6, 3, 0));
}

#[tokio::test(start_paused = true)]
async fn pauses_double_until_the_key_is_forgotten() {
    let queue = WorkQueue::new().with_backoff(Duration::from_secs(1), Duration::from_secs(5));
    queue.add("a");
    for expected in [0, 1, 2, 4, 5, 5] {
        let begin = Instant::now();
        let item = queue.next().await.unwrap();
        assert_eq!(begin.elapsed().as_secs(), expected);
        item.retry();
    }
    assert_eq!(queue.snapshot().failing, 1);
    queue.next().await.unwrap().forget();
    assert_eq!(queue.snapshot().failing, 0);
    queue.add("a");
    queue.next().await.unwrap().retry();
    let begin = Instant::now();
    queue
        .next()
        .await
        .unwrap()
        .retry_after(Some(Duration::from_secs(7)));
    assert_eq!(begin.elapsed().as_secs(), 1);
    let item = queue.next().await.unwrap();
    assert_eq!(begin.elapsed().as_secs(), 8);
    item.retry_after(Some(Duration::ZERO));
    queue.next().await.unwrap().forget();
    assert_eq!(begin.elapsed().as_secs(), 12);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_time_counts() {
    let queue = WorkQueue::new();
    let begin = Instant::now();
    for seconds in [9, 3, 6] {
        queue.add_after("a", Duration::from_secs(seconds));
    }
    queue.add_after("b", Duration::from_secs(2));
    assert_eq!(queue.snapshot().delayed, 2);
    assert_eq!(*queue.next().await.unwrap().key(), "b");
    assert_eq!(begin.elapsed().as_secs(), 2);
    assert_eq!(*queue.next().await.unwrap().key(), "a");
    assert_eq!(begin.elapsed().as_secs(), 3);
    queue.add_after("a", Duration::from_secs(60));
    queue.add("a");
    queue.next().await.unwrap().forget();
    assert_eq!(begin.elapsed().as_secs(), 3);
    assert_eq!(queue.snapshot().delayed, 0);
}

#[tokio::test(start_paused = true)]
async fn the_interval_holds_over_all_workers() {
    let queue = WorkQueue::new().with_interval(Duration::from_millis(100));
    // Of one type with the other tests here, since the compiler makes the queue for each type of keys.
    for key in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
        queue.add(key);
    }
    let begin = Instant::now();
    for _ in 0..10 {
        queue.next().await.unwrap().forget();
    }
    assert_eq!(begin.elapsed().as_millis(), 900);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_finishes_what_is_due() {
    let queue = WorkQueue::new();
    queue.add("a");
    queue.add("b");
    queue.add_after("later", Duration::from_secs(1));
    let a = queue.next().await.unwrap();
    queue.add("a");
    queue.shut_down();
    queue.add("new");
    assert!(timeout(SHORT, queue.drained()).await.is_err());
    let b = queue.next().await.unwrap();
    assert_eq!(*b.key(), "b");
    b.retry();
    a.forget();
    // It was added before the shutdown.
    assert_eq!(*queue.next().await.unwrap().key(), "a");
    assert!(queue.next().await.is_none());
    queue.drained().await;
}
