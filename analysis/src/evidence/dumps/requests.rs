//! The dump of requests.

use super::columns::{Column, Format, parse_time};
use super::dump::{Dump, NotADump};
use super::rows::Row;
use crate::evidence::go_duration;
use k8s_flowcontrol_types::meta::MicroTime;
use std::time::Duration;

const COLUMNS: &[Column] = &[
    Column::new("PriorityLevelName", Format::Word),
    Column::new("FlowSchemaName", Format::Word),
    Column::new("QueueIndex", Format::Integer),
    Column::new("RequestIndexInQueue", Format::Integer),
    // The servers' spelling, and the correct one in case a later release has it.
    Column::optional("FlowDistingsher", Format::Text),
    Column::optional("FlowDistinguisher", Format::Text),
    Column::new("ArriveTime", Format::Time),
    Column::optional("InitialSeats", Format::Integer),
    Column::optional("FinalSeats", Format::Integer),
    Column::optional("AdditionalLatency", Format::Duration),
    Column::optional("StartTime", Format::Time),
    Column::optional("UserName", Format::Text),
    Column::optional("Verb", Format::Word),
    Column::optional("APIPath", Format::Path),
    Column::optional("Namespace", Format::Word),
    Column::optional("Name", Format::Word),
    Column::optional("APIVersion", Format::Version),
    Column::optional("Resource", Format::Word),
    Column::optional("SubResource", Format::Word),
];

/// A request in `dump_requests`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestRow {
    /// The name of the request's priority level.
    pub priority_level: String,
    /// The request's state; `None` in the row of an exempt level up to 1.27.
    pub request: Option<RequestState>,
}

/// The state of a waiting or executing request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RequestState {
    /// The name of the flow schema.
    pub flow_schema: String,
    /// The index of the queue; `None` for a request that executes without a queue (in exempt levels and levels with
    /// limit response `Reject`).
    pub queue: Option<u32>,
    /// The position in the queue, from 0; `None` for an executing request.
    pub index_in_queue: Option<u32>,
    /// The flow distinguisher.
    pub flow_distinguisher: String,
    /// The time of arrival.
    pub arrive_time: MicroTime,
    /// The seats that the request uses while it executes.
    pub initial_seats: Option<i64>,
    /// The seats that the request uses for some time after its execution.
    pub final_seats: Option<i64>,
    /// The time for which the final seats are used.
    pub additional_latency: Option<Duration>,
    /// The time at which execution started; `None` while the request waits, and up to 1.27.
    pub start_time: Option<MicroTime>,
    /// The request's attributes; `None` unless the dump was made with `includeRequestDetails`.
    pub details: Option<RequestDetails>,
}

impl RequestState {
    /// The seats that the request takes from its dispatch on; `None` if the dump lacks them.
    pub(crate) fn seats(&self) -> Option<i64> {
        self.initial_seats.max(self.final_seats)
    }
}

/// The attributes of a request; empty where they do not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RequestDetails {
    /// The user name.
    pub user_name: String,
    /// The verb, such as `list`.
    pub verb: String,
    /// The path.
    pub api_path: String,
    /// The namespace.
    pub namespace: String,
    /// The object's name.
    pub name: String,
    /// The API version.
    pub api_version: String,
    /// The resource.
    pub resource: String,
    /// The subresource.
    pub subresource: String,
}

/// Parses the response of `/debug/api_priority_and_fairness/dump_requests`, with or without details.
///
/// ```
/// use k8s_flowcontrol_analysis::dumps::parse_requests;
///
/// let dump = parse_requests(
///     "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime\n\
///      workload-low,      service-accounts, 7, 0, doe, jane, 2026-11-20T15:57:05.399662206Z\n",
/// )?;
/// let request = dump.rows[0].request.as_ref().unwrap();
/// assert_eq!((request.queue, request.flow_distinguisher.as_str()), (Some(7), "doe, jane"));
/// # Ok::<(), k8s_flowcontrol_analysis::dumps::NotADump>(())
/// ```
///
/// # Errors
/// [`NotADump`] if the first line does not have the titles of this dump.
pub fn parse_requests(text: &str) -> Result<Dump<RequestRow>, NotADump> {
    Dump::parse(text, COLUMNS, read)
}

fn read(row: &Row<'_>) -> Option<RequestRow> {
    Some(RequestRow {
        priority_level: row.cell("PriorityLevelName")?.to_owned(),
        request: if row.is_none() {
            None
        } else {
            Some(request(row)?)
        },
    })
}

fn request(row: &Row<'_>) -> Option<RequestState> {
    let text = |title| row.cell(title).unwrap_or_default().to_owned();
    let integer = |title| row.cell(title)?.parse().ok();
    // A server writes -1 for a request without an index.
    let index = |title| Some(row.cell(title)?.parse::<i64>().ok()?.try_into().ok());
    let time = |title| {
        row.cell(title)
            .filter(|cell| parse_time(cell).flatten().is_some())
    };
    let details = || RequestDetails {
        user_name: text("UserName"),
        verb: text("Verb"),
        api_path: text("APIPath"),
        namespace: text("Namespace"),
        name: text("Name"),
        api_version: text("APIVersion"),
        resource: text("Resource"),
        subresource: text("SubResource"),
    };
    let distinguisher = row
        .cell("FlowDistingsher")
        .or_else(|| row.cell("FlowDistinguisher"));
    Some(RequestState {
        flow_schema: text("FlowSchemaName"),
        queue: index("QueueIndex")?,
        index_in_queue: index("RequestIndexInQueue")?,
        flow_distinguisher: distinguisher.unwrap_or_default().to_owned(),
        arrive_time: time("ArriveTime")?.into(),
        initial_seats: integer("InitialSeats"),
        final_seats: integer("FinalSeats"),
        additional_latency: row.cell("AdditionalLatency").and_then(go_duration),
        start_time: time("StartTime").map(Into::into),
        details: row.cell("UserName").map(|_| details()),
    })
}
