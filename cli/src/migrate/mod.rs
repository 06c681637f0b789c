//! Migration of files: from a text to the same text in another API version.
//!
//! The heart of it is pure, [`migrate`]: a text goes in, edits and findings come out. [`collect`], [`examine_all`] and
//! [`write_all`] bring it to files.
//!
//! An object is read with the place of
//! each of its members, converted as the [client](k8s_flowcontrol::convert) converts it, and the difference is
//! written into the text where it stands, so that comments, order, quotes and anchors stay. What comes out is read
//! again: a text that does not say what the conversion says is refused. What is not understood but mentions an old
//! version or field is listed.

mod batch;
mod candidates;
mod difference;
mod edit;
mod embedded;
mod examine;
mod insert;
mod leaves;
mod lines;
mod meaning;
mod mentions;
mod object;
mod objects;
mod others;
mod output;
mod patches;
mod place;
mod replace;
mod report;
mod residue;
mod run;
mod settle;
mod source;
mod splice;
mod step;
mod template;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use batch::{Examined, Status, Writing, examine_all, write_all};
pub(crate) use candidates::{Candidate, Candidates, collect};
pub(crate) use examine::examine;
pub(crate) use objects::version_of;
pub(crate) use output::{Summary, json, sarif, unified};
pub(crate) use report::Severity;
pub(crate) use run::migrate;
pub(crate) use step::{Mend, Settings};
