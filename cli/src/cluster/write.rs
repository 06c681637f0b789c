//! The options of commands that write objects.

use super::fields::name;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::ValueEnum;
use k8s_flowcontrol::{ApiVersion, Kind};
use k8s_flowcontrol_analysis::ownership::owner;
use serde_json::Value;
use std::io::{self, Write};

/// The default field manager.
pub(crate) const FIELD_MANAGER: &str = "kubectl-flowcontrol";

/// The options of a write.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Store nothing: `server` lets the server check and process the request, `client` sends no write. Without a value it means
    /// `server`
    #[arg(
        long,
        value_name = "MODE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "server",
        default_value = "none",
        hide_possible_values = true
    )]
    dry_run: DryRun,

    /// The field manager of the changes
    #[arg(long, value_name = "NAME", default_value = FIELD_MANAGER, value_parser = field_manager)]
    pub(crate) field_manager: String,

    /// Also write objects that the API server, Helm, Argo CD, Flux, a controller or a vendor manages
    #[arg(long)]
    pub(crate) include_managed: bool,
}

/// A flag of kubectl that changes nothing here.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ServerSideArg {
    /// Accepted for scripts of kubectl: the apply is always server-side
    #[arg(long, num_args = 0..=1, require_equals = true, value_name = "BOOL", default_missing_value = "true", value_parser = ["true"], hide = true)]
    server_side: Option<String>,
}

/// A field manager, which has a name.
pub(crate) fn field_manager(text: &str) -> Result<String, String> {
    match text.is_empty() {
        true => Err("a field manager has a name, such as kubectl-flowcontrol".to_owned()),
        false => Ok(text.to_owned()),
    }
}

/// Whether a write is stored, as in kubectl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DryRun {
    /// It is stored
    None,
    /// The server checks and processes it
    Server,
    /// It is not sent
    Client,
}

impl WriteArgs {
    /// The options of a dry run by a field manager.
    pub(crate) fn dry_run_by(field_manager: &str) -> Self {
        Self {
            dry_run: DryRun::Server,
            field_manager: field_manager.to_owned(),
            include_managed: true,
        }
    }

    /// Whether nothing is stored.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run != DryRun::None
    }

    /// Whether no write is sent.
    pub(crate) fn is_client_dry_run(&self) -> bool {
        self.dry_run == DryRun::Client
    }

    /// The suffix of messages about a change that was not stored.
    pub(crate) fn note(&self) -> &'static str {
        match self.dry_run {
            DryRun::None => "",
            DryRun::Server => " (server dry run)",
            DryRun::Client => " (dry run)",
        }
    }

    /// Warns of the consequence of a write for a managed object.
    pub(crate) fn warn_of_owner(
        &self,
        kind: Kind,
        object: &Value,
        streams: &mut Streams,
    ) -> io::Result<()> {
        let Some(consequence) = owner(kind, object).and_then(|owner| owner.consequence(object))
        else {
            return Ok(());
        };
        streams.out.flush()?;
        let warning = format!("{kind} \"{}\": {consequence}", name(object));
        streams.err.warning(&warning)
    }

    /// Returns an error for a managed object, unless the user wants to write managed objects.
    pub(crate) fn check_owner(
        &self,
        deed: Deed,
        kind: Kind,
        object: &Value,
    ) -> Result<(), Failure> {
        let Some(owner) = owner(kind, object).filter(|_| !self.include_managed) else {
            return Ok(());
        };
        let name = name(object);
        let (done, does, consequence) = match deed {
            Deed::Delete if owner.is_server() => (
                "deleted",
                "deletes",
                Some("the API server creates its built-in objects again".to_owned()),
            ),
            Deed::Delete => ("deleted", "deletes", None),
            Deed::Rewrite => ("written", "writes", None),
            Deed::TakeOver if owner.is_server() => (
                "changed",
                "changes",
                Some(
                    "the API server then no longer updates them, until `reset` gives them back"
                        .to_owned(),
                ),
            ),
            Deed::Change | Deed::TakeOver => ("changed", "changes", owner.consequence(object)),
        };
        let consequence = consequence.map_or_else(String::new, |text| format!("; {text}"));
        Err(Failure::new(
            Exit::Findings,
            format!("{kind} \"{name}\" is managed by {owner}: not {done}"),
        )
        .hint(format!(
            "`--include-managed` {does} managed objects{consequence}"
        )))
    }
}

/// The kind of a write, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Change,
    /// A change after which the API server no longer updates the object.
    TakeOver,
    Delete,
    /// A write of the same object.
    Rewrite,
}

/// A sentence about dropped fields.
pub(crate) fn dropped_message(paths: &[String], version: ApiVersion) -> String {
    let paths = paths.join(", ");
    format!("the server does not know these fields in {version} and dropped them: {paths}")
}
