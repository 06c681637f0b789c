//! `options`: the flags that select a cluster and a user.

use crate::cluster::ClusterArgs;
use crate::command::{Command, Declared, Group};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::Args as _;
use std::io::Write;

/// Print the flags that every command for clusters has
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "options";
    const GROUP: Group = Group::Other;
    const PLACE: u8 = 4;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let flags = ClusterArgs::augment_args(clap::Command::new("options").disable_help_flag(true))
        .mut_args(|arg| arg.hide(false))
        .help_template("The following flags select a cluster and a user. They may precede or follow the command.\n\n{options}\n");
        write!(streams.out, "{}", flags.clone().render_help())?;
        Ok(Exit::Success)
    }
}
