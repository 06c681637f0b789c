//! Migration of files: from a text to the same text in another API version.
//!
//! [`migrate`](migration::migrate) is pure: a text goes in, edits and findings come out. [`files`] applies it to files.
//!
//! `read` finds the objects with the places of their fields, `decide` converts each with the
//! [conversion rules](k8s_flowcontrol::convert), and `edit` writes the difference into the text, so comments, order,
//! quotes and anchors stay. The result is read again: a text that does not read as converted is rejected. Other mentions
//! of an old version or field are listed. `report` prints the outcome.

mod decide;
mod edit;
mod files;
mod findings;
mod migration;
mod read;
mod report;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use files::{
    Candidate, Candidates, Examined, Status, Writing, collect, examine, examine_all, write_all,
};
pub(crate) use findings::Severity;
pub(crate) use report::{Summary, diff, json, write_log};
pub(crate) use settings::{Mend, Settings};
