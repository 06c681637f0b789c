//! Migration of files: `render` checks charts with Helm, and `report` prints the outcome. The files are found, examined and written by
//! [`k8s_flowcontrol_manifests::files`].

mod render;
mod report;
mod selection;

pub(crate) use render::{Helm, render_charts};
pub(crate) use report::{
    Groups, Summary, json, skipped_files, write_details, write_file_diff, write_log, write_patch,
    write_single, write_skipped,
};
pub(crate) use selection::SelectionArgs;
