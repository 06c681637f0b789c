//! `completions`: scripts for shells.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::Command;
use clap_complete::{Shell, generate};
use std::io::Write;

/// Print the shell completion script for this program
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell of the script
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  # bash, this session only
  source <(kubectl-flowcontrol completions bash)

  # zsh, permanently
  kubectl-flowcontrol completions zsh > \"${fpath[1]}/_kubectl-flowcontrol\"

  # fish, permanently
  kubectl-flowcontrol completions fish > ~/.config/fish/completions/kubectl-flowcontrol.fish";

pub(crate) fn run(args: &Args, program: Command, streams: &mut Streams) -> Result<Exit, Failure> {
    // The generator panics if its output fails, so it writes to memory.
    let mut script = Vec::new();
    let mut command = program.bin_name("kubectl-flowcontrol");
    generate(args.shell, &mut command, "kubectl-flowcontrol", &mut script);
    streams.out.data().write_all(&script)?;
    Ok(Exit::Success)
}
