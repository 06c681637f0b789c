//! Tables, as `kubectl get` shows them.

use super::age::age;
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
