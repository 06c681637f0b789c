//! Amazon CloudWatch Logs, where EKS writes the logs of a control plane.
//!
//! Sources: the API reference of CloudWatch Logs, `FilterLogEvents` (`events[]` of `FilteredLogEvent`: `logStreamName`, `timestamp`,
//! `message`, `ingestionTime`, `eventId`), `GetLogEvents` (`events[]` of `OutputLogEvent`) and `GetQueryResults` (`results[][]` of
//! `field` and `value`); the user guide of CloudWatch Logs, "Log group-level subscription filters" (`messageType`, `owner`, `logGroup`,
//! `logStream`, `subscriptionFilters`, `logEvents[]`; Lambda receives `awslogs.data` in base64 and gzip, Kinesis `Records[].kinesis.data`);
//! the developer guide of Firehose, "HTTP endpoint delivery" (`records[].data` in base64).

use super::content::Content;
use super::record::Record;
use std::borrow::Cow;

pub(super) const FIELDS: &[&str] = &[
    "awslogs",
    "data",
    "eventId",
    "events",
    "field",
    "id",
    "ingestionTime",
    "kinesis",
    "logEvents",
    "message",
    "messageType",
    "Records",
    "records",
    "results",
    "timestamp",
    "value",
];

pub(super) fn open<'r>(record: &'r Record<'_>) -> Option<Content<'r>> {
    if let Some(events) = record.json("logEvents") {
        return Some(match record.text("messageType") {
            Some("CONTROL_MESSAGE") => Content::Nothing,
            _ => Content::List(events),
        });
    }
    if let Some(query) = record.text("field") {
        return Some(match (query, record.text("value")) {
            ("@message", Some(message)) => Content::Line(Cow::Borrowed(message)),
            _ => Content::Nothing,
        });
    }
    if let Some(data) = record.text("data") {
        return Some(Content::Encoded(data));
    }
    let is_entry = ["ingestionTime", "eventId", "id"];
    if let Some(message) = record.text("message")
        && record.has("timestamp")
        && is_entry.iter().any(|name| record.has(name))
    {
        return Some(Content::Line(Cow::Borrowed(message)));
    }
    let lists = [
        "events", "results", "awslogs", "kinesis", "Records", "records",
    ];
    let list = lists.iter().find_map(|name| record.json(name));
    list.map(Content::List)
}
