//! A queue of keys: each at most once, one worker for each, with backoff after failures.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

/// A queue of the keys that a controller has to look at, such as an [`ObjectKey`](crate::watch::ObjectKey).
///
/// - A key is in the queue at most once. Adding it again makes it due at the earlier of both times.
/// - A key has one worker at a time: [`next`](Self::next) returns it again only after its [`WorkItem`] was dropped. A key that is added
///   meanwhile is due afterwards.
/// - [`WorkItem::retry`] makes the key due after a pause, which doubles with each failure; [`WorkItem::forget`] ends that.
/// - [`shut_down`](Self::shut_down) lets the workers finish the keys that are due, and drops the others.
///
/// Clones share the queue. Pauses need a tokio runtime with timers.
///
/// ```no_run
/// use k8s_flowcontrol::controller::WorkQueue;
///
/// # async fn reconcile(_: &str) -> Result<(), k8s_flowcontrol::Error> { Ok(()) }
/// # async fn example() {
/// let queue = WorkQueue::new();
/// queue.add("batch".to_owned());
/// while let Some(item) = queue.next().await {
///     match reconcile(item.key()).await {
///         Ok(()) => item.forget(),
///         Err(error) => item.retry_after(error.retry_after()),
///     }
/// }
/// # }
/// ```
pub struct WorkQueue<K> {
    shared: Arc<Shared<K>>,
}

struct Shared<K> {
    state: Mutex<State<K>>,
    /// Notified after each change.
    changed: Notify,
}

struct State<K> {
    /// The keys that are due, in order, with the times since when they are.
    due: VecDeque<(K, Instant)>,
    /// The same keys, to find them.
    due_keys: BTreeSet<K>,
    later: BTreeMap<K, Instant>,
    /// The same keys, by their times.
    times: BTreeSet<(Instant, K)>,
    /// The keys with a worker, with the times at which they started.
    working: BTreeMap<K, Instant>,
    /// The keys that are due when their worker has finished.
    again: BTreeSet<K>,
    /// The number of failures in a row.
    failures: BTreeMap<K, u32>,
    first_pause: Duration,
    longest_pause: Duration,
    /// The shortest time between two starts.
    interval: Duration,
    next_start: Option<Instant>,
    is_shut_down: bool,
    added: u64,
    started: u64,
    retried: u64,
    waited: Duration,
    worked: Duration,
}

/// The state of a [`WorkQueue`], for metrics.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkQueueSnapshot {
    /// The keys that are due.
    pub due: usize,
    /// The keys that are due later.
    pub delayed: usize,
    /// The keys with a worker.
    pub working: usize,
    /// The keys with at least one failure since they were forgotten.
    pub failing: usize,
    /// The calls of `add` and `add_after`, in total.
    pub added: u64,
    /// The keys that workers have got, in total.
    pub started: u64,
    /// The retries, in total.
    pub retried: u64,
    /// The time that the started keys were due before, in total.
    pub waited: Duration,
    /// The time of workers with keys that they have finished, in total.
    pub worked: Duration,
    /// The time since the start of the key that has had its worker for the longest time; zero without one.
    pub longest: Duration,
}

impl<K: Clone + Ord> Default for WorkQueue<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Clone + Ord> WorkQueue<K> {
    /// An empty queue, with pauses from 0.5 s to 60 s after failures and no overall limit.
    pub fn new() -> Self {
        let state = State {
            due: VecDeque::new(),
            due_keys: BTreeSet::new(),
            later: BTreeMap::new(),
            times: BTreeSet::new(),
            working: BTreeMap::new(),
            again: BTreeSet::new(),
            failures: BTreeMap::new(),
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(60),
            interval: Duration::ZERO,
            next_start: None,
            is_shut_down: false,
            added: 0,
            started: 0,
            retried: 0,
            waited: Duration::ZERO,
            worked: Duration::ZERO,
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                changed: Notify::new(),
            }),
        }
    }

    /// Sets the pause after the first failure of a key, and the longest one.
    #[must_use]
    pub fn with_backoff(self, first: Duration, longest: Duration) -> Self {
        let mut state = self.lock();
        (state.first_pause, state.longest_pause) = (first, longest.max(first));
        drop(state);
        self
    }

    /// Sets the shortest time between two keys, over all workers. Defaults to none.
    #[must_use]
    pub fn with_interval(self, interval: Duration) -> Self {
        self.lock().interval = interval;
        self
    }

    /// Makes a key due now. Does nothing after the shutdown.
    pub fn add(&self, key: K) {
        self.add_after(key, Duration::ZERO);
    }

    /// Makes a key due after a pause, unless it is due earlier.
    pub fn add_after(&self, key: K, pause: Duration) {
        let mut state = self.lock();
        if state.is_shut_down {
            return;
        }
        state.added += 1;
        state.add(key, pause);
        drop(state);
        self.shared.changed.notify_waiters();
    }

    /// Waits for the next key that is due; `None` after the shutdown, when no key is due any more. Cancel safe.
    pub async fn next(&self) -> Option<WorkItem<K>> {
        loop {
            // Before the look at the queue, so that no change is lost.
            let changed = self.shared.changed.notified();
            let event = {
                let mut state = self.lock();
                match state.take(Instant::now()) {
                    Taken::Key(key) => {
                        let queue = self.clone();
                        return Some(WorkItem { queue, key });
                    }
                    Taken::End => return None,
                    Taken::Nothing(event) => event,
                }
            };
            match event {
                None => changed.await,
                // Either of the two ends the wait.
                Some(event) => drop(timeout_at(event, changed).await),
            }
        }
    }

    /// Ends the queue: keys that are due are still worked on, keys that are due later are dropped, and no key is added.
    pub fn shut_down(&self) {
        let mut state = self.lock();
        state.is_shut_down = true;
        state.later.clear();
        state.times.clear();
        drop(state);
        self.shared.changed.notify_waiters();
    }

    /// Waits until no worker has a key and none is due.
    pub async fn drained(&self) {
        loop {
            let changed = self.shared.changed.notified();
            if self.lock().is_drained() {
                return;
            }
            changed.await;
        }
    }

    /// The numbers of keys and of events.
    pub fn snapshot(&self) -> WorkQueueSnapshot {
        let state = self.lock();
        WorkQueueSnapshot {
            due: state.due.len(),
            delayed: state.later.len(),
            working: state.working.len(),
            failing: state.failures.len(),
            added: state.added,
            started: state.started,
            retried: state.retried,
            waited: state.waited,
            worked: state.worked,
            longest: state
                .working
                .values()
                .min()
                .map(Instant::elapsed)
                .unwrap_or_default(),
        }
    }
}

impl<K> WorkQueue<K> {
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        // The state is consistent after each of its changes.
        let state = self.shared.state.lock();
        state.unwrap_or_else(PoisonError::into_inner)
    }
}

enum Taken<K> {
    Key(K),
    /// With the time of the next event.
    Nothing(Option<Instant>),
    End,
}

impl<K: Clone + Ord> State<K> {
    fn add(&mut self, key: K, pause: Duration) {
        if self.due_keys.contains(&key) || self.again.contains(&key) {
            return;
        }
        if pause.is_zero() {
            self.unschedule(&key);
            if self.working.contains_key(&key) {
                self.again.insert(key);
            } else {
                self.push(key);
            }
            return;
        }
        // A pause that is too long for the clock is for ever.
        if let Some(time) = Instant::now().checked_add(pause)
            && self.later.get(&key).is_none_or(|earlier| time < *earlier)
        {
            self.unschedule(&key);
            self.times.insert((time, key.clone()));
            self.later.insert(key, time);
        }
    }

    fn unschedule(&mut self, key: &K) {
        if let Some(time) = self.later.remove(key) {
            self.times.remove(&(time, key.clone()));
        }
    }

    fn push(&mut self, key: K) {
        self.due_keys.insert(key.clone());
        self.due.push_back((key, Instant::now()));
    }

    fn is_drained(&self) -> bool {
        self.due.is_empty() && self.working.is_empty() && self.again.is_empty()
    }

    fn take(&mut self, now: Instant) -> Taken<K> {
        while let Some((_, key)) = self.times.first().filter(|(time, _)| *time <= now) {
            let key = key.clone();
            self.unschedule(&key);
            self.add(key, Duration::ZERO);
        }
        if self.due.is_empty() {
            return match self.is_shut_down && self.again.is_empty() {
                true => Taken::End,
                false => Taken::Nothing(self.times.first().map(|(time, _)| *time)),
            };
        }
        if let Some(start) = self.next_start.filter(|start| now < *start) {
            return Taken::Nothing(Some(start));
        }
        let Some((key, since)) = self.due.pop_front() else {
            return Taken::Nothing(None);
        };
        self.waited += now.saturating_duration_since(since);
        self.next_start = now.checked_add(self.interval);
        self.due_keys.remove(&key);
        self.working.insert(key.clone(), now);
        self.started += 1;
        Taken::Key(key)
    }

    fn finish(&mut self, key: &K) {
        let started = self.working.remove(key);
        self.worked += started.map(|time| time.elapsed()).unwrap_or_default();
        if self.again.remove(key) {
            self.push(key.clone());
        }
    }

    fn retry(&mut self, key: K, pause: Option<Duration>) {
        let failures = self.failures.entry(key.clone()).or_default();
        let doubled = self.first_pause.saturating_mul(1 << (*failures).min(20));
        *failures = failures.saturating_add(1);
        self.retried += 1;
        if !self.is_shut_down {
            // A date in the past, for instance, must not repeat the work without an end.
            let pause = pause.filter(|pause| !pause.is_zero());
            self.add(key, pause.unwrap_or(doubled.min(self.longest_pause)));
        }
    }
}

/// A key with its worker. Dropping it, also by a panic, lets another worker have the key.
pub struct WorkItem<K: Clone + Ord> {
    queue: WorkQueue<K>,
    key: K,
}

impl<K: Clone + Ord> WorkItem<K> {
    /// The key.
    pub fn key(&self) -> &K {
        &self.key
    }

    /// The work has succeeded: forgets the failures of the key.
    pub fn forget(self) {
        self.queue.lock().failures.remove(&self.key);
    }

    /// The work has failed: the key is due again after a pause, which doubles with each failure.
    pub fn retry(self) {
        self.retry_after(None);
    }

    /// The same with a pause that the failure asks for, such as [`Error::retry_after`](crate::Error::retry_after), unless that
    /// is zero.
    pub fn retry_after(self, pause: Option<Duration>) {
        self.queue.lock().retry(self.key.clone(), pause);
    }
}

impl<K: Clone + Ord> Drop for WorkItem<K> {
    fn drop(&mut self) {
        self.queue.lock().finish(&self.key);
        self.queue.shared.changed.notify_waiters();
    }
}

impl<K> Clone for WorkQueue<K> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<K> fmt::Debug for WorkQueue<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("WorkQueue")
            .field("due", &state.due.len())
            .field("delayed", &state.later.len())
            .field("working", &state.working.len())
            .finish_non_exhaustive()
    }
}

impl<K: Clone + Ord + fmt::Debug> fmt::Debug for WorkItem<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkItem").field(&self.key).finish()
    }
}
