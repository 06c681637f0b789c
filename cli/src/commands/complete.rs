//! `__complete`: the words that can follow, for completion scripts.

use crate::cli::program;
use crate::command::{Command, Declared, Group};
use crate::completion;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;

/// Print the words that can follow
///
/// The output has cobra's form, which kubectl reads: a line for each word, with a tab and a description, and a last line with a
/// colon and a number.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The words after the name of the program, the last of which is completed
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "__complete";
    const GROUP: Group = Group::Hidden;
    const PLACE: u8 = 1;

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let completion = completion::complete(program(), &self.words);
        completion.write(&mut streams.out.data())?;
        Ok(Exit::Success)
    }
}
