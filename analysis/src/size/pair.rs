//! Two simulations at the same time.

use super::error::SizeError;
use super::setting::Objects;
use super::sizer::{Extent, Outcome, Sizer};
use super::variation::Variation;
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

impl Sizer<'_> {
    /// Simulates variations one after the other, or two at the same time.
    pub(super) fn run_all(
        &self,
        objects: &Objects,
        seats: u32,
        variations: &[Variation],
        extent: Extent<'_>,
    ) -> Result<Vec<Outcome>, SizeError> {
        let run = |variation| self.run(objects, seats, variation, extent);
        match *variations {
            [first, second] => {
                let (first, second) = both(|| run(first), || run(second));
                Ok(vec![first?, second?])
            }
            _ => variations.iter().map(|variation| run(*variation)).collect(),
        }
    }
}
