//! The options of commands that write objects.

use super::fields::name;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Streams;
use clap::ValueEnum;
use k8s_flowcontrol::rules::bootstrap;
use k8s_flowcontrol::rules::objects::EXEMPT;
use k8s_flowcontrol::{ApiVersion, Kind, Release};
use k8s_flowcontrol_analysis::ownership::{Owner, owner};
use serde_json::Value;
use std::io::{self, Write};

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
        if self.include_managed {
            return Ok(());
        }
        let name = name(object);
        let is_built_in = is_built_in(kind, name);
        let recreated = is_built_in.then(|| {
            "the API server creates the built-in objects of its release again, with their built-in values"
                .to_owned()
        });
        let Some(owner) = owner(kind, object) else {
            // Users have taken it over, but cannot get rid of it, unless it is left over from an older release.
            let stays = Release::all().all(|release| bootstrap::is_built_in(kind, name, release));
            let deleted = recreated.filter(|_| deed == Deed::Delete && stays);
            return deleted.map_or(Ok(()), |consequence| {
                let message = format!("{kind} \"{name}\" is a built-in object: not deleted");
                Err(Failure::new(Exit::Findings, message).hint(format!(
                    "`--include-managed` deletes managed objects; {consequence}"
                )))
            });
        };
        let (done, does, consequence) = match deed {
            Deed::Delete => ("deleted", "deletes", recreated),
            Deed::Rewrite => ("written", "writes", None),
            // The server keeps an operator's shares and lending of the exempt level as they are.
            Deed::TakeOver if owner.is_server() => (
                "changed",
                "changes",
                (is_built_in && name != EXEMPT).then(|| {
                    "the API server then no longer updates them, until `reset` gives them back"
                        .to_owned()
                }),
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

/// Whether an API server of some release has a built-in object of this kind and name, which it then creates again after a deletion.
pub(crate) fn is_built_in(kind: Kind, name: &str) -> bool {
    Release::all().any(|release| bootstrap::is_built_in(kind, name, release))
}

/// The owner of an object that `apply` does not write without `--include-managed`, although the manifest changes it. A manifest with the marks of
/// the same owner comes from the owner, unless that is the API server.
pub(crate) fn foreign_owner(kind: Kind, before: &Value, manifest: &Value) -> Option<Owner> {
    let of_manifest = owner(kind, manifest);
    owner(kind, before).filter(|owner| owner.is_server() || of_manifest.as_ref() != Some(owner))
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
