//! The dump of priority levels.

use super::columns::{Column, Format};
use super::dump::{Dump, NotADump};
use super::rows::Row;

const COLUMNS: &[Column] = &[
    Column::new("PriorityLevelName", Format::Word),
    Column::new("ActiveQueues", Format::Integer),
    Column::new("IsIdle", Format::Boolean),
    Column::new("IsQuiescing", Format::Boolean),
    Column::new("WaitingRequests", Format::Integer),
    Column::new("ExecutingRequests", Format::Integer),
    Column::optional("DispatchedRequests", Format::Integer),
    Column::optional("RejectedRequests", Format::Integer),
    Column::optional("TimedoutRequests", Format::Integer),
    Column::optional("CancelledRequests", Format::Integer),
];

/// A priority level in `dump_priority_levels`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PriorityLevelRow {
    /// The level's name.
    pub name: String,
    /// The level's state; `None` for exempt levels up to 1.27.
    pub state: Option<LevelState>,
}

/// The state of a priority level on one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelState {
    /// The number of queues with at least one waiting request.
    pub active_queues: i64,
    /// Whether no request waits or executes.
    pub is_idle: bool,
    /// Whether the level was deleted and only finishes its remaining requests.
    pub is_quiescing: bool,
    /// The number of requests in queues.
    pub waiting_requests: i64,
    /// The number of executing requests.
    pub executing_requests: i64,
    /// The number of requests dispatched since the server started. This and the next three are `None` up to 1.27.
    pub dispatched_requests: Option<i64>,
    /// The number of requests rejected because of full queues or the limit, and of those in the next two numbers.
    pub rejected_requests: Option<i64>,
    /// The number of requests rejected because they waited too long, up to 1.28.
    pub timedout_requests: Option<i64>,
    /// The number of requests cancelled by their client while they waited, and since 1.29 of requests rejected because they waited too
    /// long.
    pub cancelled_requests: Option<i64>,
}

/// Parses the response of `/debug/api_priority_and_fairness/dump_priority_levels`.
///
/// ```
/// use k8s_flowcontrol_analysis::dumps::parse_priority_levels;
///
/// let dump = parse_priority_levels(
///     "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests\n\
///      exempt,            <none>,       <none>, <none>,      <none>,          <none>\n\
///      workload-low,      3,            false,  false,       9,               2\n",
/// )?;
/// assert_eq!(dump.rows[0].state, None);
/// assert_eq!(dump.rows[1].state.as_ref().unwrap().waiting_requests, 9);
/// # Ok::<(), k8s_flowcontrol_analysis::dumps::NotADump>(())
/// ```
///
/// # Errors
/// [`NotADump`] if the first line does not have the titles of this dump.
pub fn parse_priority_levels(text: &str) -> Result<Dump<PriorityLevelRow>, NotADump> {
    Dump::parse(text, COLUMNS, read)
}

fn read(row: &Row<'_>) -> Option<PriorityLevelRow> {
    let integer = |title| row.cell(title)?.parse().ok();
    let boolean = |title| row.cell(title)?.parse().ok();
    let state = || {
        Some(LevelState {
            active_queues: integer("ActiveQueues")?,
            is_idle: boolean("IsIdle")?,
            is_quiescing: boolean("IsQuiescing")?,
            waiting_requests: integer("WaitingRequests")?,
            executing_requests: integer("ExecutingRequests")?,
            dispatched_requests: integer("DispatchedRequests"),
            rejected_requests: integer("RejectedRequests"),
            timedout_requests: integer("TimedoutRequests"),
            cancelled_requests: integer("CancelledRequests"),
        })
    };
    Some(PriorityLevelRow {
        name: row.cell("PriorityLevelName")?.to_owned(),
        state: if row.is_none() { None } else { Some(state()?) },
    })
}
