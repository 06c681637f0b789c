//! The sums of the requests of a caller, and the habits that a request shows: lists without limits, short watches, retries.

use super::retries::{Rejections, Repetition};
use crate::audit::Event;
use crate::saved::numbers::sum;
use serde::{Deserialize, Serialize};
use std::time::Duration;

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
    /// The requests that repeat a rejected request within a minute after its response. A rejected request is repeated at most once.
    pub retries: u64,
    /// The repetitions that came within a second after the response, before the time that the server asked for with `Retry-After`.
    pub hasty_retries: u64,
    /// The responses with a status of 400 and above, other than rejected requests.
    pub errors: u64,
}

impl Calls {
    pub(crate) fn add(&mut self, other: Self) {
        self.requests = sum(self.requests, other.requests);
        self.seats = sum(self.seats, other.seats);
        self.lists = sum(self.lists, other.lists);
        self.newest_lists = sum(self.newest_lists, other.newest_lists);
        self.unlimited_lists = sum(self.unlimited_lists, other.unlimited_lists);
        self.watches = sum(self.watches, other.watches);
        self.short_watches = sum(self.short_watches, other.short_watches);
        self.rejected = sum(self.rejected, other.rejected);
        self.retries = sum(self.retries, other.retries);
        self.hasty_retries = sum(self.hasty_retries, other.hasty_retries);
        self.errors = sum(self.errors, other.errors);
    }
}

/// A watch that ended before this time is short.
const SHORT: Duration = Duration::from_secs(60);

/// Finds the habits of requests. It remembers rejected requests, to find their repetitions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    rejections: Rejections,
}

impl Habits {
    /// The sums of one request, in the order of the log.
    pub(crate) fn calls(&mut self, event: &Event<'_>, seats: u64) -> Calls {
        let repetition = self.rejections.add(event);
        let has = |name: &str| {
            let mut pairs = event
                .query()
                .split('&')
                .filter_map(|pair| pair.split_once('='));
            pairs.any(|(own, value)| own == name && !value.is_empty())
        };
        let is = u64::from;
        let is_list = event.verb == "list";
        let is_first = is_list && !has("continue");
        let is_watch = event.verb == "watch";
        let is_rejected = event.is_rejected_by_flow_control();
        let is_error = event.code.is_some_and(|code| code >= 400) && !is_rejected;
        let times = event.received_us().zip(event.stage_us());
        let lasted = times.filter(|_| event.is_last() && is_watch && !is_error && !is_rejected);
        let short = i64::try_from(SHORT.as_micros()).unwrap_or(i64::MAX);
        Calls {
            requests: 1,
            seats,
            lists: is(is_list),
            newest_lists: is(is_first && !has("resourceVersion")),
            unlimited_lists: is(is_first && !has("limit")),
            watches: is(is_watch),
            short_watches: is(lasted.is_some_and(|(from, to)| to.saturating_sub(from) < short)),
            rejected: is(is_rejected),
            retries: is(repetition != Repetition::No),
            hasty_retries: is(repetition == Repetition::Hasty),
            errors: is(is_error),
        }
    }
}
