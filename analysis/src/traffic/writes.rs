//! Writes of flow schemas and priority levels, which can change the configuration in the middle of a log.

use crate::audit::Event;
use crate::saved::numbers::{Count, Time};
use jiff::Timestamp;
use k8s_flowcontrol_rules::matching::RequestAttributes;
use k8s_flowcontrol_types::GROUP;
use serde::{Deserialize, Serialize};

/// The writes of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Writes {
    count: Count,
    /// The time of the last write.
    last: Option<Time<1>>,
}

impl Writes {
    /// Whether a request wrote a flow schema or a priority level. Servers write only the status when the configuration is the same.
    pub(super) fn has(event: &Event<'_>, attributes: &RequestAttributes) -> bool {
        let is_write = matches!(
            attributes.verb.as_str(),
            "create" | "update" | "patch" | "delete" | "deletecollection"
        );
        let is_done = event.is_last() && event.code.is_some_and(|code| code < 300);
        let is_dry_run = || {
            event
                .query()
                .split('&')
                .any(|part| part.starts_with("dryRun="))
        };
        attributes.api_group == GROUP
            && attributes.subresource.is_empty()
            && is_write
            && is_done
            && !is_dry_run()
    }

    pub(super) fn add(&mut self, received_us: i64) {
        self.merge(Self {
            count: Count(1),
            last: Some(Time(received_us)),
        });
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.last = self.last.max(other.last);
    }

    /// A sentence about the writes.
    pub(super) fn note(&self) -> Option<String> {
        let last = Timestamp::from_microsecond(self.last?.0).ok()?;
        let what = match self.count.0 {
            1 => format!("a request wrote a flow schema or priority level at {last}"),
            count => format!(
                "{count} requests wrote flow schemas or priority levels, the last of them at {last}"
            ),
        };
        Some(format!(
            "{what}: requests before that time may have had another configuration than the given one"
        ))
    }
}
