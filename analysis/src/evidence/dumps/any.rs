//! A dump whose kind its titles show.

use super::dump::{Dump, DumpProblem, NotADump};
use super::levels::{PriorityLevelRow, parse_priority_levels};
use super::queues::{QueueRow, parse_queues};
use super::requests::{RequestRow, parse_requests};

/// A dump of any of the three kinds, such as a saved file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnyDump {
    /// `dump_priority_levels`.
    PriorityLevels(Dump<PriorityLevelRow>),
    /// `dump_queues`.
    Queues(Dump<QueueRow>),
    /// `dump_requests`.
    Requests(Dump<RequestRow>),
}

impl AnyDump {
    /// Parses a dump; the titles show its kind.
    ///
    /// # Errors
    /// The text does not start with the titles of a dump.
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::dumps::AnyDump;
    ///
    /// let text = "PriorityLevelName, Index, PendingRequests, ExecutingRequests\nbatch, 0, 5, 1\n";
    /// assert!(matches!(AnyDump::parse(text)?, AnyDump::Queues(dump) if dump.rows.len() == 1));
    /// # Ok::<(), k8s_flowcontrol_analysis::dumps::NotADump>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, NotADump> {
        // No dump has the required titles of another.
        (parse_priority_levels(text).map(Self::PriorityLevels))
            .or_else(|_| parse_queues(text).map(Self::Queues))
            .or_else(|_| parse_requests(text).map(Self::Requests))
            .map_err(|_| NotADump::OF_ANY_KIND)
    }

    /// The name of the dump, such as `dump_queues`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::PriorityLevels(_) => "dump_priority_levels",
            Self::Queues(_) => "dump_queues",
            Self::Requests(_) => "dump_requests",
        }
    }

    /// The lines that are not valid rows.
    pub fn problems(&self) -> &[DumpProblem] {
        match self {
            Self::PriorityLevels(dump) => &dump.problems,
            Self::Queues(dump) => &dump.problems,
            Self::Requests(dump) => &dump.problems,
        }
    }
}
