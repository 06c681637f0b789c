//! The options of commands that write objects.

use super::owner::owner;
use super::tree::name;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use serde_json::Value;

/// The default field manager.
pub(crate) const FIELD_MANAGER: &str = "kubectl-flowcontrol";

/// The options of a write.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Let the server check and process the request without storing anything
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "server", value_parser = ["none", "server"], default_value = "none")]
    dry_run: String,

    /// The field manager of the changes
    #[arg(long, value_name = "NAME", default_value = FIELD_MANAGER)]
    pub(crate) field_manager: String,

    /// Also write objects that the API server, Helm, Argo CD, Flux, a controller or a vendor manages
    #[arg(long)]
    pub(crate) include_managed: bool,
}

impl WriteArgs {
    /// The options of a dry run by a field manager.
    pub(crate) fn dry_run_by(field_manager: &str) -> Self {
        Self {
            dry_run: "server".to_owned(),
            field_manager: field_manager.to_owned(),
            include_managed: true,
        }
    }

    /// Whether the server stores nothing.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run != "none"
    }

    /// The suffix of messages about a change that was not stored.
    pub(crate) fn note(&self) -> &'static str {
        match self.is_dry_run() {
            true => " (server dry run)",
            false => "",
        }
    }

    /// Returns an error for a managed object, unless the user wants to write managed objects.
    pub(crate) fn check_owner(&self, kind: Kind, object: &Value) -> Result<(), Failure> {
        let Some(owner) = owner(kind, object).filter(|_| !self.include_managed) else {
            return Ok(());
        };
        let name = name(object);
        Err(Failure::new(
            Exit::Findings,
            format!("{kind} \"{name}\" is managed by {owner}: not changed"),
        )
        .hint("use `--include-managed` to write managed objects"))
    }
}
