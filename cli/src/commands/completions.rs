//! `completions SHELL`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::Command;
use clap_complete::{Shell, generate};
use std::io::Write;

/// Print a script that completes this program's commands and options in a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  # bash, for this session
  source <(kubectl-flowcontrol completions bash)

  # zsh, for good
  kubectl-flowcontrol completions zsh > \"${fpath[1]}/_kubectl-flowcontrol\"

  # fish, for good
  kubectl-flowcontrol completions fish > ~/.config/fish/completions/kubectl-flowcontrol.fish";

pub(crate) fn run(args: &Args, program: Command, streams: &mut Streams) -> Result<Exit, Failure> {
    // The generator panics when its output cannot be written, so that it writes to memory.
    let mut script = Vec::new();
    let mut command = program.bin_name("kubectl-flowcontrol");
    generate(args.shell, &mut command, "kubectl-flowcontrol", &mut script);
    streams.out.write_all(&script)?;
    Ok(Exit::Success)
}
