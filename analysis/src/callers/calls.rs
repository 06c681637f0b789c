//! The sums of the requests of a caller.

use serde::{Deserialize, Serialize};

/// The sums of the requests of a caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct Calls {
    /// The requests.
    pub requests: u64,
    /// The sum of their estimated initial seats.
    pub seats: u64,
    /// The lists.
    pub lists: u64,
    /// The lists without `resourceVersion` and `continue`: the server must find the newest state, instead of any state with
    /// `resourceVersion=0`.
    pub newest_lists: u64,
    /// The lists without `limit` and `continue`.
    pub unlimited_lists: u64,
    /// The watches.
    pub watches: u64,
    /// The watches that ended within a minute without an error of the server. Clients of Kubernetes keep a watch for five minutes and more.
    pub short_watches: u64,
    /// The requests that flow control rejected with status 429.
    pub rejected: u64,
    /// The requests that repeat a rejected request within a minute.
    pub retries: u64,
    /// The repetitions that came within a second, before the time that the server asked for with `Retry-After`.
    pub hasty_retries: u64,
    /// The responses with a status of 400 and above, other than rejected requests.
    pub errors: u64,
}

impl Calls {
    pub(crate) fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.seats += other.seats;
        self.lists += other.lists;
        self.newest_lists += other.newest_lists;
        self.unlimited_lists += other.unlimited_lists;
        self.watches += other.watches;
        self.short_watches += other.short_watches;
        self.rejected += other.rejected;
        self.retries += other.retries;
        self.hasty_retries += other.hasty_retries;
        self.errors += other.errors;
    }
}
