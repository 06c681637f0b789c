//! The envelope of everything that is printed as JSON, except Kubernetes objects and SARIF logs.
//!
//! Every report, line and list element has an integer field `schemaVersion` beside its own fields. Kubernetes objects
//! do not: they must stay valid manifests.

use super::Stream;
use serde::Serialize;
use serde_json::Value;
use std::cell::RefCell;
use std::io::{self, Write};

/// The version of all JSON forms. It increases when a field is renamed or removed, or changes its meaning.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// Fields together with the schema version.
#[derive(Serialize)]
struct Versioned<T> {
    #[serde(flatten)]
    fields: T,
    #[serde(rename = "schemaVersion")]
    schema_version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

thread_local! {
    /// The context of the output, if a command runs for several.
    static CONTEXT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Adds the name of a context to everything that is printed as JSON from now on.
pub(crate) fn set_context(name: &str) {
    CONTEXT.set(Some(name.to_owned()));
}

fn context() -> Option<String> {
    CONTEXT.with_borrow(Clone::clone)
}

impl<T> Versioned<T> {
    fn new(fields: T) -> Self {
        Self {
            fields,
            schema_version: SCHEMA_VERSION,
            context: context(),
        }
    }
}

/// Writes a report, which is a JSON object, over several lines.
pub(crate) fn write_report(out: &mut Stream, mut report: Value) -> io::Result<()> {
    report["schemaVersion"] = SCHEMA_VERSION.into();
    if let Some(context) = context() {
        report["context"] = context.into();
    }
    writeln!(out.data(), "{report:#}")
}

/// Writes fields and the schema version in one line.
pub(crate) fn write_line(out: &mut Stream, fields: impl Serialize) -> io::Result<()> {
    let mut out = out.data();
    serde_json::to_writer(&mut out, &Versioned::new(fields))?;
    writeln!(out)
}

/// Writes a list over several lines; every element gets the schema version.
pub(crate) fn write_list<T: Serialize>(
    out: &mut Stream,
    elements: impl Iterator<Item = T>,
) -> io::Result<()> {
    let elements: Vec<_> = elements.map(Versioned::new).collect();
    let mut out = out.data();
    serde_json::to_writer_pretty(&mut out, &elements)?;
    writeln!(out)
}
