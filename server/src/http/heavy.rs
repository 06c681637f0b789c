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
use tokio::runtime::Handle;
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
        return request.body.len() > SMALL_BODY || context.state.has_data();
    }
    matches!(
        route(request.parts.uri.path(), &context.state.kinds),
        Ok(Target::Swagger | Target::OpenApi(_) | Target::Dump(_) | Target::Metrics)
    )
}
