//! Long work leaves the threads of the runtime to other requests.
//!
//! A patch of 3 MiB takes a second in a debug build, and a write to a data folder waits for the disk. On the threads of the
//! runtime, a few concurrent requests of this kind would delay all other requests, including health checks.

use super::context::Context;
use super::request::ApiRequest;
use super::response::ApiResponse;
use super::route::{Target, route};
use crate::status::{Failure, internal};
use hyper::Method;
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// The maximum size of a body, in bytes, that does not count as long work.
const SMALL_BODY: usize = 16 * 1024;

/// Dispatches a request, in a thread for blocking work if it may take long.
pub(super) async fn dispatch(
    context: &Context,
    request: ApiRequest,
) -> Result<ApiResponse, Failure> {
    if !is_heavy(context, &request) {
        return super::dispatch(context, request).await;
    }
    let turn = context.turns.take().await;
    let (context, runtime) = (context.clone(), Handle::current());
    let work = spawn_blocking(move || {
        // The work goes on without its client, and keeps its turn.
        let _turn = turn;
        runtime.block_on(super::dispatch(&context, request))
    });
    work.await
        .unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Err(internal("the server is stopping")),
        })
}

fn is_heavy(context: &Context, request: &ApiRequest) -> bool {
    let is_write = ![Method::GET, Method::HEAD].contains(&request.parts.method);
    if is_write {
        let is_large = request.body().is_ok_and(|body| body.len() > SMALL_BODY);
        return is_large || context.state.has_data();
    }
    matches!(
        route(request.parts.uri.path(), &context.state.kinds),
        Ok(Target::Swagger | Target::OpenApi(_) | Target::Dump(_) | Target::Metrics)
    )
}

/// The most requests with long work that are worked on at once; the others wait in order. More would only wait for each
/// other's locks.
const AT_ONCE: usize = 2;

/// The turns of long work.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    /// Waits for a turn, which lasts until the result is dropped.
    pub(super) async fn take(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        self.0.clone().acquire_owned().await.ok()
    }
}
