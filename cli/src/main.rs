//! `kubectl flowcontrol`: migration of Kubernetes API Priority and Fairness objects, and everyday work with them.

mod audit_logs;
mod cli;
mod cluster;
mod command;
mod command_line;
mod commands;
mod completion;
mod configuration;
mod documents;
mod exit;
mod failure;
mod feature_gates;
mod force;
mod input;
mod kubernetes_arg;
mod memory;
mod migrate;
mod number;
mod objects;
mod output;
mod redact;
mod resource_name;
mod signals;
mod similar_name;
mod stored_objects;
mod token_file;

use cli::Cli;
use exit::Exit;
use failure::Failure;
use output::Streams;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

/// Objects are many short texts, which musl's and glibc's allocators take longer to store.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Cli::plain(command_line::behind_the_command(std::env::args_os()));
    let exit = match Cli::contexts(&arguments) {
        Ok(None) => run(arguments),
        Ok(Some(contexts)) => {
            let is_json = arguments.iter().any(|word| {
                let forms = ["json", "-ojson", "-o=json", "--output=json"];
                forms.iter().any(|json| word == json)
            });
            let run = |exit: Exit, (name, arguments): (String, Vec<OsString>)| {
                exit.worse(match command_line::begin(&name, is_json) {
                    Ok(()) => run(arguments),
                    Err(failure) => failed(&failure, &mut Streams::new()),
                })
            };
            contexts.into_iter().fold(Exit::Success, run)
        }
        Err(failure) => failed(&failure, &mut Streams::new()),
    };
    exit.into()
}

fn failed(failure: &Failure, streams: &mut Streams) -> Exit {
    failure.report(streams);
    failure.exit()
}

/// Reads a command line and runs its command.
fn run(arguments: Vec<OsString>) -> Exit {
    let cli = match Cli::read(arguments) {
        Ok(cli) => cli,
        // If nobody reads a usage error, there is nobody to report that to.
        Err(error) => {
            return match (error.print(), error.use_stderr()) {
                (_, true) => Exit::Usage,
                (Ok(()), false) => Exit::Success,
                (Err(error), false) => failed(&error.into(), &mut Streams::new()),
            };
        }
    };
    cli.color.write_global();
    let mut streams = Streams::new();
    let result = cli.run(&mut streams);
    // A failure of the command counts more than a failure of the last write.
    let flushed = streams.out.flush().map_err(Failure::from);
    match result.and_then(|exit| flushed.map(|()| exit)) {
        Ok(exit) => exit,
        Err(failure) => failed(&failure, &mut streams),
    }
}
