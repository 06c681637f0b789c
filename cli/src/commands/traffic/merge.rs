//! `traffic merge`: partial results of several runs.

use super::{ReportArgs, write};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{LIMIT, ReadError, read_named, unreadable};
use crate::output::{Streams, outputs_are_not_inputs, unwritable, write_file};
use k8s_flowcontrol_analysis::traffic::{PartialError, Traffic};
use same_file::is_same_file;
use std::path::{Path, PathBuf};

const FEWER_LOGS: &str = "make several partial results, each of fewer logs";

/// Add up partial results, and show the traffic of all
#[derive(Debug, clap::Args)]
pub(super) struct MergeArgs {
    /// Files that `traffic --partial` wrote with one configuration
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    #[command(flatten)]
    report: ReportArgs,
}

pub(super) fn run(args: &MergeArgs, streams: &mut Streams) -> Result<Exit, Failure> {
    outputs_are_not_inputs(&args.report.html, &args.files)?;
    args.report.force.replace(&args.report.html, streams)?;
    write(merged(&args.files)?, &args.report, streams)
}

/// The sum of partial results.
fn merged(files: &[PathBuf]) -> Result<Traffic, Failure> {
    let mut all = Traffic::default();
    for (number, file) in files.iter().enumerate() {
        let mut before = files[..number].iter();
        if before.any(|other| is_same_file(other, file).unwrap_or(false)) {
            let message = format!("{} is given twice", file.display());
            return Err(Failure::usage(message).hint("its requests would be counted twice"));
        }
        all.merge(partial(file)?).map_err(|_| {
            Failure::input(format!(
                "{} was made with another configuration than {}: the flow schemas, or those of `--compare`, are not the same",
                file.display(),
                files[0].display()
            ))
            .hint("make all partial results with the same configuration")
        })?;
    }
    Ok(all)
}

/// Writes a partial result, unless [`partial`] would not read it.
pub(super) fn write_partial(traffic: Traffic, file: &Path) -> Result<(), Failure> {
    let text = traffic
        .to_json()
        .map_err(|error| unwritable(file, &error))?;
    if text.len() as u64 > LIMIT {
        let problem = format!(
            "the partial result has {} bytes, and `traffic merge` reads at most {} MiB",
            text.len(),
            LIMIT >> 20
        );
        return Err(unwritable(file, &problem).hint(FEWER_LOGS));
    }
    write_file(file, &text)
}

fn partial(file: &Path) -> Result<Traffic, Failure> {
    let name = file.display().to_string();
    let text = read_named(file).map_err(|error| match error {
        ReadError::TooLong(_) => unreadable(&name, &error).hint(FEWER_LOGS),
        ReadError::Io(_) => unreadable(&name, &error),
    })?;
    Traffic::from_json(&text).map_err(|error| match error {
        PartialError::Json { .. } => unreadable(&name, &error)
            .hint("expected a file that `kubectl flowcontrol traffic --partial FILE` wrote"),
        _ => Failure::input(format!("{name} is not a partial result of this version")).hint(
            "make it again, with `kubectl flowcontrol traffic --partial FILE` of this version",
        ),
    })
}
