//! `kubectl flowcontrol`: migration of Kubernetes API Priority and Fairness objects, and everyday work with them.

mod audit_logs;
mod cli;
mod cluster;
mod command;
mod commands;
mod completion;
mod configuration;
mod documents;
mod exit;
mod failure;
mod feature_gates;
mod force;
mod input;
mod interrupt;
mod kubernetes_arg;
mod leading;
mod migrate;
mod objects;
mod output;
mod redact;
mod resource_name;
mod similar_name;

use cli::Cli;
use exit::Exit;
use failure::Failure;
use output::Streams;
use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match Cli::read(leading::behind_the_command(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => {
            // A closed output cannot receive the help or the usage error, nor an error about it.
            let _ = error.print();
            return match error.use_stderr() {
                true => Exit::Usage.into(),
                false => Exit::Success.into(),
            };
        }
    };
    cli.color.write_global();
    let mut streams = Streams::new();
    let result = cli.run(&mut streams);
    // A failure of the command counts more than a failure of the last write.
    let flushed = streams.out.flush().map_err(Failure::from);
    match result.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            failure.report(&mut streams);
            failure.exit().into()
        }
    }
}
