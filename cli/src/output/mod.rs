//! The forms of output: the standard streams, tables, diagnostics, diffs, JSON and SARIF.

mod comment;
mod diagnostic;
mod diff;
mod escape;
mod file;
mod form;
pub(crate) mod html;
mod json;
mod sarif;
mod streams;
mod table;

pub(crate) use comment::{Comment, CommentArg};
pub(crate) use diagnostic::{Diagnostic, Level};
pub(crate) use diff::write_diff;
pub(crate) use escape::one_line;
#[cfg(feature = "parquet")]
pub(crate) use file::OutputFile;
pub(crate) use file::{folder_of, outputs_are_not_inputs, unwritable, write_file, write_private};
pub(crate) use form::{
    ObjectForm, ObjectFormat, OutputArg, full_name, hide_managed_fields, write_objects,
};
pub(crate) use json::{set_context, write_line, write_list, write_report};
pub(crate) use sarif::{SarifResult, SarifRule, write_sarif};
pub(crate) use streams::{
    ERROR, HINT, Stream, Streams, WARNING, clear_progress, hint, note, notice, show_progress, warn,
};
pub(crate) use table::{Cell, Table, bar};

/// A count with its noun: `1 object`, `2 objects`, `2 losses`.
pub(crate) fn plural(count: impl ToString, thing: &str) -> String {
    let count = count.to_string();
    match count.as_str() {
        "1" => format!("1 {thing}"),
        _ if thing.ends_with('s') => format!("{count} {thing}es"),
        _ => format!("{count} {thing}s"),
    }
}
