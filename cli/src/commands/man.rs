//! `man`: manual pages.

use crate::cli::definition;
use crate::command::{Command, Declared, Group};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::output::Streams;
use std::path::PathBuf;

/// Write the manual pages of this program and its commands into a folder
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder, which is created
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    force: ForceArg,
}

const EXAMPLES: &str = "\
Examples:
  # Read the page about a command
  kubectl-flowcontrol man ~/.local/share/man/man1 && man kubectl-flowcontrol-migrate";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "man";
    const GROUP: Group = Group::Other;
    const PLACE: u8 = 3;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let failed = |error| {
            let folder = self.folder.display();
            Failure::input(format!(
                "cannot write the manual pages to {folder}: {error}"
            ))
            .hint("name a folder in which you can write; it is created if it does not exist")
        };
        let first = self.folder.join("kubectl-flowcontrol.1");
        self.force.replace([&first], streams)?;
        std::fs::create_dir_all(&self.folder).map_err(failed)?;
        // Pages refer to each other with hyphens: kubectl-flowcontrol-get(1).
        let program = definition()
            .bin_name("kubectl-flowcontrol")
            .disable_help_subcommand(true);
        clap_mangen::generate_to(program, &self.folder).map_err(failed)?;
        Ok(Exit::Success)
    }
}
