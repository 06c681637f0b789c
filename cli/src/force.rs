//! The option `--force`: going on without a question, where a file would be replaced, objects deleted or a reference broken.

use crate::failure::Failure;
use crate::input;
use crate::output::Streams;
use std::io::Write;
use std::path::PathBuf;

/// The option for questions.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct ForceArg {
    /// Do not ask before files are replaced, objects are deleted, or references are broken
    #[arg(short = 'y', long, alias = "yes")]
    force: bool,
}

impl ForceArg {
    /// Asks on a terminal. Without a terminal, a question that `--force` does not answer is an error.
    /// Errors: `problem`, if nobody can answer.
    pub(crate) fn ask(
        self,
        question: &str,
        problem: &str,
        streams: &mut Streams,
    ) -> Result<bool, Failure> {
        if self.force {
            return Ok(true);
        }
        if !input::is_interactive() {
            return Err(Failure::usage(problem).hint("use `--force` to go on without a question"));
        }
        streams.out.flush()?;
        input::confirm(question, streams)
    }

    /// Asks for each file that exists, before any work. Pipes and devices are not files.
    /// Errors: if a file exists and must stay.
    pub(crate) fn replace<'a>(
        self,
        files: impl IntoIterator<Item = &'a PathBuf>,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        for file in files.into_iter().filter(|file| file.is_file()) {
            let name = file.display();
            let problem = format!("{name} exists");
            if !self.ask(&format!("Replace {name}?"), &problem, streams)? {
                return Err(Failure::usage(format!("{name} stays as it is"))
                    .hint("name another file for the output"));
            }
        }
        Ok(())
    }
}
