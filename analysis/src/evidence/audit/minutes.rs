//! The minutes in which the events of logs were written.

use super::event::Event;
use std::collections::BTreeMap;

const MINUTE: i64 = 60_000_000;
/// The bytes of a time in RFC 3339 up to its minutes.
const PREFIX: usize = "2026-01-01T00:00".len();

/// The minutes of each hour that have an event, as bits.
///
/// A request can arrive long before its log begins, such as a watch, and so the time of its arrival does not tell that the log has that time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Minutes {
    pub(crate) hours: BTreeMap<i64, u64>,
    /// The beginning of the last time: most events are in the minute of the event before.
    last: String,
}

impl Minutes {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        let prefix = event.stage_time.get(..PREFIX);
        let is_utc = event.stage_time.ends_with('Z');
        if is_utc && prefix == Some(self.last.as_str()) {
            return;
        }
        let Some(time) = event.stage_us().or(event.received_us()) else {
            return;
        };
        self.last = prefix.filter(|_| is_utc).unwrap_or_default().to_owned();
        let minute = time.div_euclid(MINUTE);
        *self.hours.entry(minute.div_euclid(60)).or_default() |= 1 << minute.rem_euclid(60);
    }
}
