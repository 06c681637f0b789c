//! `diff`: the changes that an apply would make.

use super::apply::conflict as conflict_of;
use crate::cluster::block_on;
use crate::cluster::{
    FIELD_MANAGER, LiveArgs, Manifest, ServerSideArg, WriteArgs, apply_dry_run, field_manager,
    foreign_owner, title,
};
use crate::command::{BOTH, Command, Declared, Group, LOSS, Needs, RELEASE, SERVED, on};
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Comment, CommentArg, Streams, write_diff};
use k8s_flowcontrol_text::to_yaml;
use serde_json::{Map, Value};
use std::io::Write;

/// Show the changes that applying files to a cluster would make
///
/// The server computes the result in a dry run, with its defaults and the fields of other field managers. Files can be in any
/// API version. A field that another field manager owns with a different value is shown with the value of the file, and named:
/// `apply` writes it only with `--force-conflicts`. An object that the API server, a tool or a vendor manages is named too: `apply` writes it only
/// with `--include-managed`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    server_side: ServerSideArg,

    /// The field manager of the apply
    #[arg(long, value_name = "NAME", default_value = FIELD_MANAGER, value_parser = field_manager)]
    field_manager: String,

    /// Compare objects even if the conversion to the version of the requests loses fields
    #[arg(long)]
    allow_loss: bool,

    #[command(flatten)]
    comment: CommentArg,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  kubectl flowcontrol diff -f manifests/";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "diff";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 3;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["create", "get", "patch"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[
        (
            Exit::Findings,
            "applying the files would change the cluster",
        ),
        LOSS,
    ];

    fn comment(&self) -> Option<Comment> {
        self.comment.of("Changes of flow-control objects", "diff")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        self.files.require()?;
        block_on(async {
            let live = self.live.connect().await?;
            let release = live.release().await?;
            let manifests = Manifest::read(
                "diff",
                &self.files,
                &live,
                release,
                self.allow_loss,
                streams,
            )?;
            let dry_run = WriteArgs::dry_run_by(&self.field_manager);
            let mut exit = Exit::Success;
            for manifest in manifests {
                let (kind, name) = (manifest.kind, manifest.name());
                let before = live.find(kind, name).await?;
                let tree = &manifest.tree;
                let apply =
                    |force| apply_dry_run(&live, kind, tree, before.as_ref(), &dry_run, force);
                let mut after = apply(false).await;
                let conflict = after.as_ref().err();
                let conflict = conflict.and_then(|error| conflict_of(&manifest, error));
                if conflict.is_some() {
                    after = apply(true).await;
                }
                let owner = before
                    .as_ref()
                    .and_then(|before| foreign_owner(kind, before, tree));
                let before = before.map(text).unwrap_or_default();
                let after = after.map(text).map_err(|error| {
                    Failure::new(
                        Exit::Cluster,
                        format!("{}: {error}", manifest.document.title()),
                    )
                })?;
                if before != after {
                    let title = title(kind, name);
                    write_diff(&mut streams.out, (&title, &before), (&title, &after))?;
                    let change = if before.is_empty() { "new" } else { "changed" };
                    streams.fact(&title, change);
                    exit = Exit::Findings;
                }
                let is_changed = before != after || conflict.is_some();
                streams.out.flush()?;
                if let Some(conflict) = conflict {
                    writeln!(
                        streams.err,
                        "{conflict}: `apply` writes it only with `--force-conflicts`"
                    )?;
                    exit = Exit::Findings;
                }
                if let Some(owner) = owner.filter(|_| is_changed) {
                    writeln!(
                        streams.err,
                        "{} is managed by {owner}: `apply` writes it only with `--include-managed`",
                        manifest.document.title()
                    )?;
                }
            }
            Ok(exit)
        })
    }
}

/// The object in YAML, without fields that the server updates by itself.
fn text(mut object: Value) -> String {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        remove_server_metadata(metadata);
    }
    to_yaml(&object)
}

fn remove_server_metadata(metadata: &mut Map<String, Value>) {
    for name in [
        "creationTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "uid",
    ] {
        metadata.remove(name);
    }
}
