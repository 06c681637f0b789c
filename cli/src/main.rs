//! `kubectl flowcontrol`: migration of Kubernetes API Priority and Fairness objects, and everyday work with them.

mod args;
mod cluster;
mod commands;
mod exit;
mod failure;
mod input;
mod interrupt;
mod live;
mod migrate;
mod output;
mod plan;
mod scan;

use args::Cli;
use clap::Parser;
use exit::Exit;
use output::Streams;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and usage errors; when nobody reads them, nobody is to be told.
            let _unread = error.print();
            return match error.use_stderr() {
                true => Exit::Usage.into(),
                false => Exit::Success.into(),
            };
        }
    };
    cli.color.write_global();
    let mut streams = Streams::new();
    let result = cli.command.run(&mut streams);
    let result = streams.finish(result);
    match result {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.report(&mut streams);
            failure.exit().into()
        }
    }
}
