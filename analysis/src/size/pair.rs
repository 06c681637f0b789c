//! Two simulations at the same time.

use std::thread::{Builder, scope};

/// Runs both functions, the first one in another thread if there can be one.
pub(super) fn both<A: Send, B>(first: impl Fn() -> A + Sync, second: impl FnOnce() -> B) -> (A, B) {
    scope(
        |threads| match Builder::new().spawn_scoped(threads, &first) {
            Ok(other) => {
                let second = second();
                match other.join() {
                    Ok(first) => (first, second),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            // Such as in a browser.
            Err(_) => (first(), second()),
        },
    )
}
