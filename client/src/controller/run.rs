//! The controller: stores, a queue and workers.

use super::lease::{Election, Leadership, LeaseLost};
use super::queue::{WorkItem, WorkQueue};
use super::sources::{Source, owner_key};
use crate::client::{BoxFuture, ResourceKind};
use crate::watch::{ObjectKey, Store, StoreNotReady};
use crate::{Error, Resource};
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// Calls a function for each key whose objects have changed, until the cluster is as it should be.
///
/// The function gets a key, not a change: it reads the current objects from its stores and [indexes](Store::index), and makes
/// others as they should be. So it does not matter how many events of an object arrive, or in which order, and a restart of the
/// program loses nothing. A key has one worker at a time; failures are repeated with pauses. See [`WorkQueue`].
///
/// Keys are [`ObjectKey`]s of one kind, or any other type, such as the name of a tenant:
/// [`new`](Self::new) and [`watch`](Self::watch) leave the choice to the program.
pub struct Controller<Q = ObjectKey> {
    queue: WorkQueue<Q>,
    sources: Vec<Source<Q>>,
    workers: usize,
    election: Option<Election>,
}

/// What follows after a key was reconciled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// The key is due again when any of its objects changes.
    AwaitChange,
    /// The key is due again after this time, or earlier when any of its objects changes.
    Requeue(Duration),
}

impl Controller<ObjectKey> {
    /// A controller whose keys are the objects of a store.
    pub fn for_objects<K: Resource>(store: &Store<K>) -> Self {
        Self::new().watch(store, |object| [ObjectKey::of(object)])
    }

    /// Makes a key due when an object changes that the key's object owns: the owner is of the kind `owner`, and in the
    /// [owner reference](owner_key) with `controller: true`.
    #[must_use]
    pub fn owned<K: Resource>(self, store: &Store<K>, owner: ResourceKind) -> Self {
        self.watch(store, move |object| owner_key(object, owner))
    }
}

impl<Q: Clone + Ord + Send + 'static> Default for Controller<Q> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Q: Clone + Ord + Send + 'static> Controller<Q> {
    /// A controller without a source of keys, with one worker and the pauses of [`WorkQueue::new`].
    pub fn new() -> Self {
        Self {
            queue: WorkQueue::new(),
            sources: Vec::new(),
            workers: 1,
            election: None,
        }
    }

    /// Makes keys due when an object of the store changes: `keys` returns them for the object before the change, and after it.
    /// When the controller starts, the keys of all objects are due.
    #[must_use]
    pub fn watch<K: Resource, I: IntoIterator<Item = Q>>(
        mut self,
        store: &Store<K>,
        keys: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Self {
        self.sources.push(Source::new(store, keys));
        self
    }

    /// The number of keys that are reconciled at the same time, at least 1. Defaults to 1.
    #[must_use]
    pub fn workers(mut self, workers: usize) -> Self {
        self.workers = workers.max(1);
        self
    }

    /// Another queue, for instance with other pauses after failures, or a limit of keys per second.
    #[must_use]
    pub fn with_queue(mut self, queue: WorkQueue<Q>) -> Self {
        self.queue = queue;
        self
    }

    /// Works only while this candidate leads, so that only a single copy of the program works.
    #[must_use]
    pub fn election(mut self, election: Election) -> Self {
        self.election = Some(election);
        self
    }

    /// The queue, to [add](WorkQueue::add) keys for other reasons than events of stores, and for
    /// [metrics](WorkQueue::snapshot).
    pub fn queue(&self) -> WorkQueue<Q> {
        self.queue.clone()
    }

    /// Works until `stop` is ready, and then finishes the keys that are due.
    ///
    /// It waits until it leads, if it has an [election](Self::election), and until all stores are complete. Then it calls `reconcile` for
    /// each key that is due. After an error, `on_error` may log it and return a pause, such as
    /// [`Error::retry_after`](crate::Error::retry_after); without one, or with zero, the pause doubles with each failure of the key. At the end it
    /// releases the lease.
    ///
    /// When the future is dropped, the workers end at their next `.await`, and the lease expires.
    ///
    /// # Errors
    /// A store cannot be read, or the lease was lost; then the function was abandoned at its next `.await`. End the program, or start
    /// another controller.
    ///
    /// # Panics
    /// If `reconcile` panics, after the other workers were abandoned.
    pub async fn run<R, E>(
        self,
        stop: impl Future<Output = ()>,
        reconcile: impl Fn(Q) -> R + Send + Sync + 'static,
        on_error: impl Fn(&Q, &E) -> Option<Duration> + Send + Sync + 'static,
    ) -> Result<(), ControllerError>
    where
        R: Future<Output = Result<Action, E>> + Send + 'static,
        E: Send + 'static,
        Q: Sync,
    {
        let mut stop = pin!(stop);
        let leadership = match &self.election {
            None => None,
            Some(election) => match first(pin!(election.acquire()), stop.as_mut()).await {
                First::One(won) => Some(won.map_err(ControllerError::Election)?),
                First::Other(()) => return Ok(()),
            },
        };
        let work = self.work(stop, Arc::new((reconcile, on_error)));
        let Some(leadership) = leadership else {
            return work.await;
        };
        // Dropping the work aborts the workers.
        let ended = {
            let lost = pin!(leadership.lost());
            first(pin!(work), lost).await
        };
        match ended {
            First::Other(lost) => Err(ControllerError::LeaseLost(lost)),
            First::One(ended) => {
                release(leadership).await;
                ended
            }
        }
    }

    async fn work<R, E, F, H>(
        self,
        stop: Pin<&mut impl Future<Output = ()>>,
        functions: Arc<(F, H)>,
    ) -> Result<(), ControllerError>
    where
        F: Fn(Q) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Action, E>> + Send + 'static,
        H: Fn(&Q, &E) -> Option<Duration> + Send + Sync + 'static,
        E: Send + 'static,
        Q: Sync,
    {
        let mut feeds = JoinSet::new();
        let (queue, sources) = (self.queue, self.sources);
        let mut stop = stop;
        let ready = async {
            let mut feeds = Vec::new();
            for source in sources {
                source.ready.await.map_err(ControllerError::NotReady)?;
                feeds.push(source.feed);
            }
            Ok(feeds)
        };
        let started = match first(pin!(ready), stop.as_mut()).await {
            First::One(ready) => ready?,
            First::Other(()) => return Ok(()),
        };
        for feed in started {
            feeds.spawn(feed(queue.clone()));
        }
        let mut workers = JoinSet::new();
        for _ in 0..self.workers {
            let (queue, functions) = (queue.clone(), functions.clone());
            // Boxed, so that a program has one form of a task, and not one for each controller.
            let work: BoxFuture<()> = Box::pin(async move {
                while let Some(item) = queue.next().await {
                    let (reconcile, on_error) = &*functions;
                    let result = reconcile(item.key().clone()).await;
                    finish(&queue, item, result, on_error);
                }
            });
            workers.spawn(work);
        }
        // A worker ends before the shutdown only by a panic.
        if let First::One(Some(ended)) = first(pin!(workers.join_next()), stop).await {
            continue_panic(ended);
        }
        feeds.shutdown().await;
        queue.shut_down();
        while let Some(ended) = workers.join_next().await {
            continue_panic(ended);
        }
        Ok(())
    }
}

fn finish<Q: Clone + Ord, E>(
    queue: &WorkQueue<Q>,
    item: WorkItem<Q>,
    result: Result<Action, E>,
    on_error: impl Fn(&Q, &E) -> Option<Duration>,
) {
    match result {
        Ok(Action::AwaitChange) => item.forget(),
        Ok(Action::Requeue(pause)) => {
            queue.add_after(item.key().clone(), pause);
            item.forget();
        }
        Err(error) => {
            let pause = on_error(item.key(), &error);
            item.retry_after(pause);
        }
    }
}

async fn release(leadership: Leadership) {
    if let Err(error) = leadership.release().await {
        tracing::warn!(%error, "the release of the lease failed; others may wait until it expires");
    }
}

fn continue_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        resume_unwind(panic);
    }
}

/// The result of the future that was ready first.
enum First<A, B> {
    One(A),
    Other(B),
}

/// Waits for one of two futures; the second one counts when both are ready.
async fn first<A: Future, B: Future>(
    mut one: Pin<&mut A>,
    mut other: Pin<&mut B>,
) -> First<A::Output, B::Output> {
    poll_fn(|cx| {
        if let Poll::Ready(output) = other.as_mut().poll(cx) {
            return Poll::Ready(First::Other(output));
        }
        one.as_mut().poll(cx).map(First::One)
    })
    .await
}

impl<Q> fmt::Debug for Controller<Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller")
            .field("queue", &self.queue)
            .field("sources", &self.sources.len())
            .field("workers", &self.workers)
            .field("election", &self.election)
            .finish()
    }
}

/// Why a [`Controller`](super::Controller) ended before it was stopped.
#[non_exhaustive]
pub enum ControllerError {
    /// The first list of a store failed, for instance with 403.
    NotReady(StoreNotReady),
    /// The lease could not be read or written, for a reason that waiting does not change.
    Election(Error),
    /// Another candidate may lead now. The keys at hand were abandoned.
    LeaseLost(LeaseLost),
}

impl fmt::Display for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotReady(error) => match error.error() {
                Some(error) => write!(
                    f,
                    "the controller did not start, because a store could not list its objects: {error}"
                ),
                None => error.fmt(f),
            },
            Self::Election(error) => write!(f, "the election of a leader failed: {error}"),
            Self::LeaseLost(lost) => lost.fmt(f),
        }
    }
}

/// The text of the error, which a program prints that returns it from `main`.
impl fmt::Debug for ControllerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ControllerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotReady(error) => std::error::Error::source(error),
            Self::Election(error) => std::error::Error::source(error),
            Self::LeaseLost(lost) => std::error::Error::source(lost),
        }
    }
}
