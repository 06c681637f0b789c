//! The options of commands that write objects.

use super::owner::owner;
use super::tree::name;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use serde_json::Value;

/// Under which name changes are booked unless another one is given.
pub(crate) const FIELD_MANAGER: &str = "kubectl-flowcontrol";

/// How a change is made.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Have the server check everything, but store nothing
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "server", value_parser = ["none", "server"], default_value = "none")]
    dry_run: String,

    /// The name under which the changes are booked
    #[arg(long, value_name = "NAME", default_value = FIELD_MANAGER)]
    pub(crate) field_manager: String,

    /// Also write objects that belong to someone: to the server itself, to Helm, Argo CD, Flux, a controller or a vendor
    #[arg(long)]
    pub(crate) include_managed: bool,
}

impl WriteArgs {
    /// A change that is tried out and not stored.
    pub(crate) fn rehearsal(field_manager: &str) -> Self {
        Self {
            dry_run: "server".to_owned(),
            field_manager: field_manager.to_owned(),
            include_managed: true,
        }
    }

    /// Whether nothing is to be stored.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run != "none"
    }

    /// What is said behind a change that was not stored.
    pub(crate) fn note(&self) -> &'static str {
        match self.is_dry_run() {
            true => " (server dry run)",
            false => "",
        }
    }

    /// Refuses to write an object that belongs to someone, unless that is what the person wants.
    pub(crate) fn check_owner(&self, kind: Kind, object: &Value) -> Result<(), Failure> {
        let Some(owner) = owner(kind, object).filter(|_| !self.include_managed) else {
            return Ok(());
        };
        let name = name(object);
        Err(Failure::new(
            Exit::Findings,
            format!("{kind} \"{name}\" belongs to {owner}: it is left as it is"),
        )
        .hint("`--include-managed` writes it all the same"))
    }
}
