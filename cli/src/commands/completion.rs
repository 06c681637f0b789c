//! `completion`: scripts for shells.

use crate::cli::program;
use crate::command::{Command, Declared, Group};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::ValueEnum;
use clap_complete::generate;
use std::io::Write;

/// Print the completion script for a shell or for kubectl
///
/// The scripts for bash, zsh, fish and kubectl also complete contexts and the names of objects in the cluster.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell that reads the script, or kubectl
    #[arg(value_name = "SHELL")]
    reader: Reader,
}

/// A program that reads a completion script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Reader {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// kubectl, which completes `kubectl flowcontrol` with the program kubectl_complete-flowcontrol
    Kubectl,
}

const EXAMPLES: &str = "\
Examples:
  # bash, this session only
  source <(kubectl-flowcontrol completion bash)

  # zsh, permanently
  kubectl-flowcontrol completion zsh > \"${fpath[1]}/_kubectl-flowcontrol\"

  # fish, permanently
  kubectl-flowcontrol completion fish > ~/.config/fish/completions/kubectl-flowcontrol.fish

  # `kubectl flowcontrol`, in every shell in which kubectl completes
  kubectl-flowcontrol completion kubectl > ~/.local/bin/kubectl_complete-flowcontrol
  chmod +x ~/.local/bin/kubectl_complete-flowcontrol";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "completion";
    const GROUP: Group = Group::Other;
    const PLACE: u8 = 2;
    const ALIASES: &'static [&'static str] = &["completions"];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let mut out = streams.out.data();
        match self.reader {
            Reader::Bash => out.write_all(include_bytes!("completion/bash.sh"))?,
            Reader::Fish => out.write_all(include_bytes!("completion/fish.fish"))?,
            Reader::Zsh => out.write_all(include_bytes!("completion/zsh.sh"))?,
            Reader::Kubectl => out.write_all(include_bytes!("completion/kubectl.sh"))?,
            Reader::Elvish => out.write_all(&generated(clap_complete::Shell::Elvish))?,
            Reader::Powershell => {
                out.write_all(&generated(clap_complete::Shell::PowerShell))?;
            }
        }
        Ok(Exit::Success)
    }
}

/// The script that clap generates, which completes commands and options.
fn generated(shell: clap_complete::Shell) -> Vec<u8> {
    // The generator panics if its output fails, so it writes to memory.
    let mut script = Vec::new();
    let mut command = program().bin_name("kubectl-flowcontrol");
    generate(shell, &mut command, "kubectl-flowcontrol", &mut script);
    script
}
