//! `__complete`: the words that can follow, for completion scripts.

use crate::completion;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::Command;

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

pub(crate) fn run(args: &Args, program: Command, streams: &mut Streams) -> Result<Exit, Failure> {
    let completion = completion::complete(program, &args.words);
    completion.write(&mut streams.out.data())?;
    Ok(Exit::Success)
}
