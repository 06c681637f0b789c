//! `simulate`: what the queues of a server do with given requests.

mod scenarios;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use std::path::PathBuf;

/// Simulate the fair queuing of a server: which requests are executed, queued or rejected, and when
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Run the scenarios in this file, or in the standard input with -: one JSON object per line, with the fields id, seats,
    /// queues, handSize, queueLengthLimit, requests and changes. Prints {"id", "requests", "states", "schemaVersion": 1} for
    /// each
    #[arg(long, value_name = "FILE")]
    scenarios: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  # Run the scenarios of a file
  kubectl flowcontrol simulate --scenarios scenarios.jsonl";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    scenarios::run(&args.scenarios, streams)?;
    Ok(Exit::Success)
}
