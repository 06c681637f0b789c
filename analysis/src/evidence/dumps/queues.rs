//! The dump of queues.

use super::columns::{Column, Format, SeatSeconds};
use super::dump::{Dump, NotADump};
use super::rows::Row;

const COLUMNS: &[Column] = &[
    Column::new("PriorityLevelName", Format::Word),
    Column::new("Index", Format::Integer),
    Column::new("PendingRequests", Format::Integer),
    Column::new("ExecutingRequests", Format::Integer),
    Column::optional("SeatsInUse", Format::Integer),
    Column::optional("NextDispatchR", Format::SeatSeconds),
    Column::optional("InitialSeatsSum", Format::Integer),
    Column::optional("MaxSeatsSum", Format::Integer),
    Column::optional("TotalWorkSum", Format::SeatSeconds),
];

/// A queue in `dump_queues`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueRow {
    /// The name of the queue's priority level.
    pub priority_level: String,
    /// The queue's state; `None` in the row of an exempt level up to 1.27.
    pub queue: Option<QueueState>,
}

/// The state of a queue on one server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueState {
    /// The index of the queue, as in a flow's hand.
    pub index: i64,
    /// The number of waiting requests.
    pub pending_requests: i64,
    /// The number of executing requests from this queue.
    pub executing_requests: i64,
    /// The seats in use by those requests.
    pub seats_in_use: Option<i64>,
    /// The virtual time at which the queue's next request is dispatched.
    pub next_dispatch: Option<SeatSeconds>,
    /// The sum of the initial seats of the waiting requests.
    pub initial_seats_sum: Option<i64>,
    /// The sum over the waiting requests of the maximum of initial and final seats.
    pub max_seats_sum: Option<i64>,
    /// The sum of the estimated work of the waiting requests.
    pub total_work_sum: Option<SeatSeconds>,
}

/// Parses the response of `/debug/api_priority_and_fairness/dump_queues`.
///
/// # Errors
/// [`NotADump`] if the first line does not have the titles of this dump.
pub fn parse_queues(text: &str) -> Result<Dump<QueueRow>, NotADump> {
    Dump::parse(text, COLUMNS, read)
}

fn read(row: &Row<'_>) -> Option<QueueRow> {
    let integer = |title| row.cell(title)?.parse().ok();
    let seat_seconds = |title| row.cell(title)?.parse().ok();
    let queue = || {
        Some(QueueState {
            index: integer("Index")?,
            pending_requests: integer("PendingRequests")?,
            executing_requests: integer("ExecutingRequests")?,
            seats_in_use: integer("SeatsInUse"),
            next_dispatch: seat_seconds("NextDispatchR"),
            initial_seats_sum: integer("InitialSeatsSum"),
            max_seats_sum: integer("MaxSeatsSum"),
            total_work_sum: seat_seconds("TotalWorkSum"),
        })
    };
    Some(QueueRow {
        priority_level: row.cell("PriorityLevelName")?.to_owned(),
        queue: if row.is_none() { None } else { Some(queue()?) },
    })
}
