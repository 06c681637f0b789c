//! `--redact`: names replaced consistently.

use crate::failure::Failure;
use k8s_flowcontrol_analysis::redact::Redactor;

/// The option for the names of users and namespaces.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RedactArg {
    /// Replace the names of users, groups, namespaces, objects and servers by other words, the same name always by the same word. With KEY the words are the same
    /// in all runs with that key
    #[arg(long, value_name = "KEY", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    redact: Option<String>,
}

impl RedactArg {
    /// The words for this run.
    /// Errors: if a random key is needed, and the system has none.
    pub(crate) fn redactor(&self) -> Result<Redactor, Failure> {
        let key = match &self.redact {
            None => return Ok(Redactor::default()),
            Some(key) if key.is_empty() => {
                let mut random = [0; 32];
                getrandom::fill(&mut random).map_err(|error| {
                    Failure::input(format!("cannot get a random key: {error}"))
                        .hint("use `--redact=KEY`")
                })?;
                random.to_vec()
            }
            Some(key) => key.clone().into_bytes(),
        };
        Ok(Redactor::with_key(key))
    }
}
