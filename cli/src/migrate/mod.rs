//! Migration of files: [`files`] finds, examines and writes them, `render` checks charts with Helm, and `report` prints the outcome. The migration of a text
//! is [`k8s_flowcontrol_manifests::migrate`].

mod files;
mod render;
mod report;

pub(crate) use files::{
    Backups, Candidate, Candidates, Examined, SelectionArgs, Skipped, Status, collect, conflict,
    examine_all, examine_file, in_parallel, keep_dirty, without_links, write_all,
};
pub(crate) use render::{Helm, render_charts};
pub(crate) use report::{
    Advice, Summary, json, write_details, write_file_diff, write_left_out, write_log, write_patch,
};
