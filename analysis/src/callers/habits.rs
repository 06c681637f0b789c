//! The habits that a request shows: lists without limits, short watches, retries.

use super::calls::Calls;
use super::retries::{Rejections, Repetition};
use crate::audit::Event;
use std::time::Duration;

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
