//! The columns of each kind's table.
//!
//! Clients see titles, descriptions and cells, so they are the same as in a real server.

use super::descriptions::*;
use crate::kinds::Kind;
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::{Fact, Release};
use serde::Serialize;
use serde_json::Value;

const NONE: &str = "<none>";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Columns {
    FlowSchema {
        release: Release,
    },
    PriorityLevelConfiguration {
        release: Release,
    },
    /// A kind without specific columns.
    Standard,
}

/// A column, with its fields in Go's order.
#[derive(Serialize)]
pub(super) struct Column {
    name: &'static str,
    r#type: &'static str,
    format: &'static str,
    description: &'static str,
    priority: i32,
}

pub(super) enum Cell<'a> {
    Value(Value),
    /// The time since this moment.
    Age(Option<&'a str>),
}

impl Columns {
    pub(crate) fn of(kind: &Kind) -> Self {
        let release = kind.release;
        match kind.as_own() {
            Some(OwnKind::FlowSchema) => Self::FlowSchema { release },
            Some(OwnKind::PriorityLevelConfiguration) => {
                Self::PriorityLevelConfiguration { release }
            }
            None => Self::Standard,
        }
    }

    pub(super) fn definitions(self) -> Vec<Column> {
        let columns: &[(&'static str, &'static str)] = match self {
            Self::FlowSchema { release } => &[
                ("Name", name(release)),
                ("PriorityLevel", PRIORITY_LEVEL),
                ("MatchingPrecedence", MATCHING_PRECEDENCE),
                ("DistinguisherMethod", DISTINGUISHER_METHOD),
                ("Age", AGE),
                ("MissingPL", MISSING_LEVEL),
            ],
            Self::PriorityLevelConfiguration { release } => &[
                ("Name", name(release)),
                ("Type", TYPE),
                shares(release),
                ("Queues", QUEUES),
                ("HandSize", HAND_SIZE),
                ("QueueLengthLimit", QUEUE_LENGTH_LIMIT),
                ("Age", AGE),
            ],
            Self::Standard => &[("Name", NAME), ("Created At", CREATED_AT)],
        };
        let column = |&(name, description): &(&'static str, &'static str)| Column {
            name,
            r#type: if name == "Created At" {
                "date"
            } else {
                "string"
            },
            format: if name == "Name" { "name" } else { "" },
            description,
            priority: 0,
        };
        columns.iter().map(column).collect()
    }

    /// FlowSchemas are sorted by their precedence.
    pub(super) fn sort(self, objects: &mut [(&Value, &Value)]) {
        if matches!(self, Self::FlowSchema { .. }) {
            objects.sort_unstable_by_key(|(object, _)| {
                let precedence = object.pointer("/spec/matchingPrecedence");
                let name = object.pointer("/metadata/name").and_then(Value::as_str);
                (precedence.and_then(Value::as_i64), name)
            });
        }
    }

    /// The cells of an object in hub form.
    pub(super) fn cells(self, object: &Value, write: impl Fn(Cell<'_>) -> Value) -> Vec<Value> {
        let at = |pointer: &str| object.pointer(pointer).filter(|value| !value.is_null());
        let text = |pointer| Cell::Value(at(pointer).cloned().unwrap_or_else(|| "".into()));
        let or_none = |pointer| Cell::Value(at(pointer).cloned().unwrap_or_else(|| NONE.into()));
        let age = Cell::Age(at("/metadata/creationTimestamp").and_then(Value::as_str));
        let cells = match self {
            Self::FlowSchema { .. } => vec![
                text("/metadata/name"),
                text("/spec/priorityLevelConfiguration/name"),
                Cell::Value(at("/spec/matchingPrecedence").cloned().unwrap_or(0.into())),
                or_none("/spec/distinguisherMethod/type"),
                age,
                Cell::Value(dangling(object).into()),
            ],
            Self::PriorityLevelConfiguration { .. } => vec![
                text("/metadata/name"),
                text("/spec/type"),
                or_none("/spec/limited/nominalConcurrencyShares"),
                or_none("/spec/limited/limitResponse/queuing/queues"),
                or_none("/spec/limited/limitResponse/queuing/handSize"),
                or_none("/spec/limited/limitResponse/queuing/queueLengthLimit"),
                age,
            ],
            Self::Standard => vec![text("/metadata/name"), text("/metadata/creationTimestamp")],
        };
        cells.into_iter().map(write).collect()
    }
}

/// The status of the condition `Dangling`.
fn dangling(object: &Value) -> &str {
    let conditions = object["status"]["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let found = conditions.find(|condition| condition["type"] == "Dangling");
    found.map_or("?", |found| found["status"].as_str().unwrap_or_default())
}

fn name(release: Release) -> &'static str {
    match release.has(Fact::NewNameDescription) {
        true => NAME,
        false => OLD_NAME,
    }
}

/// The first releases have another name for shares, and later ones describe zero.
fn shares(release: Release) -> (&'static str, &'static str) {
    const NAME: &str = "NominalConcurrencyShares";
    match release {
        release if release.has(Fact::PreserveZeroAnnotation) => (NAME, NOMINAL_OR_ZERO_SHARES),
        release if release.has(Fact::ExemptField) => (NAME, NOMINAL_SHARES),
        release if release.has(Fact::TablesSayNominalShares) => (NAME, LIMITED_NOMINAL_SHARES),
        _ => ("AssuredConcurrencyShares", ASSURED_SHARES),
    }
}
