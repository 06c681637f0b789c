//! A rolling window: sums for short spans of time, of which the oldest is dropped.

use super::request::{LiveSums, Request};
use crate::traffic::Class;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The spans of a window.
const SPANS: i64 = 30;
/// The shortest span, in microseconds.
const SHORTEST: i64 = 1_000_000;
/// The most groups of a span. Further ones are counted together, because a client can use any number of names.
const MOST_GROUPS: usize = 4096;
/// The name of these.
pub(super) const OTHERS: &str = "(others)";

/// The sums of a rolling window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Windows {
    /// By the number of the span since 1970.
    spans: BTreeMap<i64, Span>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Span {
    groups: HashMap<String, LiveSums>,
    /// By [`class_key`].
    classes: BTreeMap<String, LiveSums>,
}

/// The sums of a whole window.
#[derive(Debug, Default)]
pub(super) struct Total {
    pub(super) all: LiveSums,
    pub(super) groups: BTreeMap<String, LiveSums>,
    pub(super) levels: BTreeMap<String, LiveSums>,
    pub(super) flow_schemas: BTreeMap<String, LiveSums>,
}

impl Windows {
    /// Adds a request; `false` if it ended before the window. A time in the future counts as now.
    pub(super) fn add(&mut self, request: &Request, window_us: i64, now_us: i64) -> bool {
        let width = width(window_us);
        let (first, last) = span_numbers(window_us, now_us);
        self.drop_before(first);
        let number = request.time_us.map_or(last, |time| time.div_euclid(width));
        if number < first {
            return false;
        }
        let span = self.spans.entry(number.min(last)).or_default();
        let is_full = span.groups.len() >= MOST_GROUPS && !span.groups.contains_key(&request.group);
        let group = if is_full { OTHERS } else { &request.group };
        match span.groups.get_mut(group) {
            Some(sums) => sums.add(request.sums),
            None => {
                span.groups.insert(group.to_owned(), request.sums);
            }
        }
        let class = class_key(request.class.as_ref());
        span.classes.entry(class).or_default().add(request.sums);
        true
    }

    /// The sums of the window that ends now.
    pub(super) fn total(&self, window_us: i64, now_us: i64) -> Total {
        let (first, last) = span_numbers(window_us, now_us);
        let mut total = Total::default();
        for span in self.spans.range(first..=last).map(|(_, span)| span) {
            for (name, sums) in &span.groups {
                total.all.add(*sums);
                add(&mut total.groups, name, *sums);
            }
            for (key, sums) in &span.classes {
                // Requests that flow control does not see do not have a level.
                if let Some((level, schema)) = key.split_once('/') {
                    add(&mut total.levels, level, *sums);
                    add(&mut total.flow_schemas, schema, *sums);
                }
            }
        }
        total
    }

    /// The begin of the window that ends now, which is that of a span.
    pub(super) fn begin_us(window_us: i64, now_us: i64) -> i64 {
        let (first, _) = span_numbers(window_us, now_us);
        first.saturating_mul(width(window_us))
    }

    fn drop_before(&mut self, first: i64) {
        while let Some(span) = self.spans.first_entry()
            && *span.key() < first
        {
            span.remove();
        }
    }
}

fn add(to: &mut BTreeMap<String, LiveSums>, name: &str, sums: LiveSums) {
    match to.get_mut(name) {
        Some(own) => own.add(sums),
        None => {
            to.insert(name.to_owned(), sums);
        }
    }
}

/// The priority level and the flow schema as one text; empty for none. Names of objects do not contain a slash.
pub(super) fn class_key(class: Option<&Class>) -> String {
    class.map_or_else(String::new, |class| {
        format!("{}/{}", class.priority_level, class.flow_schema)
    })
}

fn width(window_us: i64) -> i64 {
    (window_us / SPANS).max(SHORTEST)
}

/// The numbers of the first and of the last span of the window that ends now.
fn span_numbers(window_us: i64, now_us: i64) -> (i64, i64) {
    let width = width(window_us);
    let last = now_us.div_euclid(width);
    (last.saturating_sub(window_us / width) + 1, last)
}
