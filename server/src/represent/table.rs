//! Tables, as `kubectl get` shows them.

use super::columns::{Cell, Column, Columns};
use super::partial::{Partial, partial};
use super::view::MetaVersion;
use crate::wire::Wire;
use jiff::Timestamp;
use k8s_flowcontrol_types::schema::TypeSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// The part of its object that a row carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Include {
    Nothing,
    Metadata,
    Whole,
}

impl Include {
    /// Reads the parameter `includeObject`, and returns an unknown value as the error.
    pub(crate) fn parse(text: &str) -> Result<Self, &str> {
        match text {
            "None" => Ok(Self::Nothing),
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Whole),
            other => Err(other),
        }
    }
}

/// A table, with its fields in Go's order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Table<'a, M> {
    kind: &'static str,
    api_version: &'static str,
    metadata: &'a M,
    column_definitions: Option<Vec<Column>>,
    rows: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    cells: Vec<Value>,
    object: Option<RowObject<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum RowObject<'a> {
    Partial(Partial<'a>),
    Whole(Wire<'a>),
}

/// The objects as rows. `metadata` is that of the list, or [`table_metadata`] of a single object. Each object comes
/// in hub form, for the cells, and as the client sees it.
pub(crate) fn table<'a, M: Serialize>(
    metadata: &'a M,
    objects: impl Iterator<Item = (&'a Value, &'a Value)>,
    schema: &'a TypeSchema,
    columns: Columns,
    version: MetaVersion,
    include: Include,
    titles: bool,
) -> Table<'a, M> {
    let now = Timestamp::now();
    let mut objects: Vec<_> = objects.collect();
    columns.sort(&mut objects);
    let rows = objects.into_iter().map(|(hub, shown)| Row {
        cells: columns.cells(hub, |cell| match cell {
            Cell::Age(created) => age(created, now).into(),
            Cell::Value(value) => value,
        }),
        object: match include {
            Include::Nothing => None,
            Include::Metadata => Some(RowObject::Partial(partial(shown, schema, version))),
            Include::Whole => Some(RowObject::Whole(Wire {
                value: shown,
                schema,
            })),
        },
    });
    Table {
        kind: "Table",
        api_version: version.api_version(),
        metadata,
        rows: rows.collect(),
        column_definitions: titles.then(|| columns.definitions()),
    }
}

/// The metadata of a table of one object: the object's resource version.
pub(crate) fn table_metadata(object: Option<&Value>) -> Value {
    match object.and_then(|object| object.pointer("/metadata/resourceVersion")) {
        Some(version) => json!({"resourceVersion": version}),
        None => json!({}),
    }
}

/// The age of an object created at `created`, in at most two units. Own code, because the rounding is the server's.
pub(super) fn age(created: Option<&str>, now: Timestamp) -> String {
    let Some(created) = created.and_then(|text| text.parse::<Timestamp>().ok()) else {
        return "<unknown>".into();
    };
    human(now.as_second().saturating_sub(created.as_second()))
}

fn human(seconds: i64) -> String {
    const DAY: i64 = 24;
    const YEAR: i64 = 365 * DAY;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    let pair = |big: i64, unit: char, small: i64, small_unit: char| match small {
        0 => format!("{big}{unit}"),
        small => format!("{big}{unit}{small}{small_unit}"),
    };
    match () {
        () if seconds < -1 => "<invalid>".into(),
        () if seconds < 0 => "0s".into(),
        () if seconds < 120 => format!("{seconds}s"),
        () if minutes < 10 => pair(minutes, 'm', seconds % 60, 's'),
        () if minutes < 180 => format!("{minutes}m"),
        () if hours < 8 => pair(hours, 'h', minutes % 60, 'm'),
        () if hours < 2 * DAY => format!("{hours}h"),
        () if hours < 8 * DAY => pair(hours / DAY, 'd', hours % DAY, 'h'),
        () if hours < 2 * YEAR => format!("{}d", hours / DAY),
        () if hours < 8 * YEAR => pair(hours / YEAR, 'y', hours / DAY % 365, 'd'),
        () => format!("{}y", hours / YEAR),
    }
}
