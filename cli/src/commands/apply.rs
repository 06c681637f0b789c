//! `apply`: server-side apply of files.

mod conflict;
mod prune;

pub(super) use conflict::conflict;

use crate::cluster::block_on;
use crate::cluster::{
    Deed, Live, LiveArgs, Manifest, ServerSideArg, WriteArgs, apply_dry_run, apply_own,
    dropped_message, foreign_owner, name, owner, title,
};
use crate::command::{BOTH, Command, Declared, Group, LOSS, Needs, RELEASE, SERVED, on};
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::output::{Diagnostic, OutputArg, Streams, plural, warn};
use k8s_flowcontrol::meta::Time;
use k8s_flowcontrol::ownership::Takeover;
use k8s_flowcontrol::rules::dropped_fields;
use k8s_flowcontrol::{Error, Kind};
use k8s_flowcontrol_manifests::strip_server_fields;
use serde_json::Value;
use std::collections::HashSet;
use std::io::Write;

/// Apply files to a cluster with server-side apply
///
/// Files can be in any API version: objects are converted to the version of the requests. Fields that an earlier apply set and
/// the files now omit are removed, even if they were applied in another version or by `kubectl apply` without `--server-side`.
///
/// A field that another field manager owns with a different value is a conflict: the object is not written, and the conflicts
/// are shown. `--force-conflicts` takes over the fields. Fields that this tool itself has changed, as with `tune`, are not a conflict.
///
/// An error of one object does not stop the others. After an error nothing is pruned.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    /// Take over fields that other field managers own
    #[arg(long)]
    force_conflicts: bool,

    #[command(flatten)]
    force: ForceArg,

    #[command(flatten)]
    server_side: ServerSideArg,

    /// Delete objects that match `-l`, were applied by the same field manager, and are not in the files
    #[arg(long, requires = "selector")]
    prune: bool,

    /// The label selector of the objects that `--prune` may delete
    #[arg(short = 'l', long, value_name = "SELECTOR", requires = "prune", value_parser = of_some)]
    selector: Option<String>,

    /// Apply objects even if the conversion to the version of the requests loses fields
    #[arg(long)]
    allow_loss: bool,

    #[command(flatten)]
    output: OutputArg,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

/// A label selector that does not select every object.
fn of_some(selector: &str) -> Result<String, String> {
    match selector.trim().is_empty() {
        true => Err("an empty selector selects all objects".to_owned()),
        false => Ok(selector.to_owned()),
    }
}

const EXAMPLES: &str = "\
Examples:
  # Check first with a dry run
  kubectl flowcontrol apply -f manifests/ --dry-run
  kubectl flowcontrol apply -f manifests/

  # Also delete objects that are no longer in the folder
  kubectl flowcontrol apply -f manifests/ --prune -l app.kubernetes.io/part-of=fairness";

/// The most attempts when other clients change the object at the same time.
const ATTEMPTS: usize = 5;
/// An object that an apply does not change, in kubectl's words.
const UNCHANGED: &str = "unchanged";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "apply";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 4;
    const NEEDS: Needs = Needs::new(
        &[SERVED, RELEASE],
        &[on(BOTH, &["create", "delete", "get", "list", "patch"])],
    );
    const EXITS: &'static [(Exit, &'static str)] = &[
        (
            Exit::Findings,
            "a conflict, or a managed object that was not changed",
        ),
        LOSS,
    ];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        self.files.require()?;
        block_on(async {
            let live = self.live.connect().await?;
            let release = live.release().await?;
            let manifests = Manifest::read(
                "apply",
                &self.files,
                &live,
                release,
                self.allow_loss,
                streams,
            )?;
            if !confirm_dangling(self, &live, &manifests, streams).await? {
                writeln!(streams.err, "nothing was applied")?;
                return Ok(Exit::Success);
            }
            let mut left = 0;
            let mut exit = Exit::Success;
            let mut applied = Vec::new();
            for manifest in &manifests {
                if let Err(failure) = apply(self, &live, manifest, &mut applied, streams).await {
                    if failure.exit() == Exit::BrokenPipe {
                        return Err(failure);
                    }
                    streams.out.flush()?;
                    failure.report(streams);
                    exit = exit.worse(failure.exit());
                    // A loss is found after the object is written.
                    left += usize::from(failure.exit() != Exit::Loss);
                }
            }
            if let Some(form) = &self.output.output {
                self.output.prepare(&mut applied);
                match manifests.len() {
                    1 => form.write_each(&applied, streams)?,
                    _ if applied.is_empty() => {}
                    _ => form.write_list(&applied, streams)?,
                }
            }
            if let Some(selector) = self.selector.as_deref().filter(|_| self.prune) {
                if exit == Exit::Success {
                    left += prune::prune(&live, selector, &manifests, &self.write, streams).await?;
                } else {
                    writeln!(
                        streams.err,
                        "nothing was pruned, because of the errors above"
                    )?;
                }
            }
            if left > 0 {
                streams.out.flush()?;
                writeln!(streams.err, "{} not changed", plural(left, "object"))?;
                exit = exit.worse(Exit::Findings);
            }
            Ok(exit)
        })
    }
}

async fn apply(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    applied: &mut Vec<(Kind, Value)>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let (kind, name) = (manifest.kind, manifest.name());
    let before = live.find(kind, name).await?;
    if let Some(before) = &before {
        let foreign = foreign_owner(kind, before, &manifest.tree);
        if let Some(foreign) = foreign.filter(|_| !args.write.include_managed) {
            // As `diff`, which names the owner only if there is a difference.
            if let Ok(after) = dry_run(args, live, manifest, Some(before)).await
                && is_unchanged(args, live, before, &after)
            {
                return written(args, live, manifest, UNCHANGED, after, applied, streams);
            }
            let stays = owner(kind, &manifest.tree).is_some_and(|owner| owner.is_server());
            let deed = match foreign.is_server() && !stays {
                true => Deed::TakeOver,
                false => Deed::Change,
            };
            args.write.check_owner(deed, kind, before)?;
        }
        if !args.write.is_dry_run() && takeover(args, live, before).is_some() {
            // Fields are taken over only if the apply itself succeeds.
            let tried = dry_run(args, live, manifest, Some(before)).await;
            tried.map_err(|error| conflict::explain(manifest, error))?;
            take_over(args, live, manifest, before.clone()).await?;
        }
    }
    let (tree, write) = (&manifest.tree, &args.write);
    let result = match write.is_dry_run() {
        true => dry_run(args, live, manifest, before.as_ref()).await,
        false => apply_own(live, kind, tree, write, args.force_conflicts).await,
    };
    let after = result.map_err(|error| conflict::explain(manifest, error))?;
    let what = match &before {
        None => "created",
        Some(before) if is_unchanged(args, live, before, &after) => UNCHANGED,
        Some(_) => "configured",
    };
    written(args, live, manifest, what, after, applied, streams)
}

/// The object after an apply that stores nothing.
async fn dry_run(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    before: Option<&Value>,
) -> Result<Value, Error> {
    let (kind, tree) = (manifest.kind, &manifest.tree);
    if args.write.is_client_dry_run() {
        return Ok(tree.clone());
    }
    let write = WriteArgs::dry_run_by(&args.write.field_manager);
    apply_dry_run(live, kind, tree, before, &write, args.force_conflicts).await
}

/// Reports the object after an apply, and the fields that the server dropped.
fn written(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    what: &str,
    after: Value,
    applied: &mut Vec<(Kind, Value)>,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let (kind, name, tree) = (manifest.kind, manifest.name(), &manifest.tree);
    if args.output.output.is_none() {
        let title = title(kind, name);
        writeln!(streams.out, "{title} {what}{}", args.write.note())?;
    }
    if what != UNCHANGED {
        args.write.warn_of_owner(kind, &after, streams)?;
    }
    let lost = dropped_fields(&tree["spec"], &after["spec"], "spec");
    applied.push((kind, after));
    if lost.is_empty() {
        return Ok(());
    }
    let title = manifest.document.title();
    let message = format!("{title}: {}", dropped_message(&lost, live.version));
    if !args.allow_loss {
        return Err(Failure::new(Exit::Loss, message)
            .hint("remove the fields, or accept the losses with `--allow-loss`"));
    }
    let warning = Diagnostic::warning(message);
    warning
        .at(&manifest.document.source, manifest.document.start())
        .write(&mut streams.err)?;
    Ok(())
}

fn takeover(args: &Args, live: &Live, object: &Value) -> Option<Takeover> {
    Takeover::of(
        object,
        &args.write.field_manager,
        live.version.api_version(),
    )
}

/// Merges earlier writes of the field manager into one entry in the version of the requests.
async fn take_over(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    mut object: Value,
) -> Result<(), Failure> {
    let (kind, name) = (manifest.kind, manifest.name());
    for attempt in 1.. {
        let Some(takeover) = takeover(args, live, &object) else {
            return Ok(());
        };
        match live
            .json_patch(kind, name, &takeover.patch(&Time::now()), false)
            .await
        {
            Ok(_) => return Ok(()),
            // Another client has changed the object since it was read.
            Err(error) if attempt < ATTEMPTS && (error.is_invalid() || error.is_conflict()) => {
                match live.find(kind, name).await? {
                    Some(newer) => object = newer,
                    None => return Ok(()),
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Whether an apply changes nothing. Without sending it, the result is the object of the file: it changes nothing if the object
/// in the cluster has all of that, and the field manager has not applied fields that the file may omit.
fn is_unchanged(args: &Args, live: &Live, before: &Value, after: &Value) -> bool {
    let applied = |entries: &Vec<Value>| {
        let is_own = |entry: &Value| entry["manager"] == args.write.field_manager.as_str();
        entries.iter().any(is_own)
    };
    let has_applied = || {
        let entries = before["metadata"]["managedFields"].as_array();
        entries.is_some_and(applied) || takeover(args, live, before).is_some()
    };
    same(before, after)
        || (args.write.is_client_dry_run() && has_all(before, after) && !has_applied())
}

/// Whether an object has all fields of another one, with their values.
fn has_all(object: &Value, other: &Value) -> bool {
    match (object, other) {
        (Value::Object(fields), Value::Object(other)) => other
            .iter()
            .all(|(name, other)| fields.get(name).is_some_and(|own| has_all(own, other))),
        _ => object == other,
    }
}

/// Whether an apply changed nothing but the fields that servers fill in.
fn same(before: &Value, after: &Value) -> bool {
    let [before, after] = [before, after].map(|object| {
        let mut object = object.clone();
        strip_server_fields(&mut object);
        object
    });
    before == after
}

/// Asks on a terminal whether to apply flow schemas whose level neither the cluster nor the files have.
async fn confirm_dangling(
    args: &Args,
    live: &Live,
    manifests: &[Manifest],
    streams: &mut Streams,
) -> Result<bool, Failure> {
    let of = |kind: Kind| {
        manifests
            .iter()
            .filter(move |manifest| manifest.kind == kind)
    };
    if of(Kind::FlowSchema).next().is_none() {
        return Ok(true);
    }
    let level = Kind::PriorityLevelConfiguration;
    let existing = live.list(level, None).await?;
    let mut levels: HashSet<_> = existing.iter().map(name).collect();
    levels.extend(of(level).map(Manifest::name));
    let mut count = 0;
    for schema in of(Kind::FlowSchema) {
        let wanted = schema.tree["spec"]["priorityLevelConfiguration"]["name"].as_str();
        let Some(wanted) = wanted.filter(|wanted| !levels.contains(wanted)) else {
            continue;
        };
        count += 1;
        warn(&format!(
            "{} refers to the priority level {wanted}, which does not exist",
            title(Kind::FlowSchema, schema.name())
        ))?;
    }
    if count == 0 || args.write.is_dry_run() {
        return Ok(true);
    }
    let problem = format!(
        "{} would match no request: nothing was applied",
        plural(count, "flow schema")
    );
    args.force
        .ask("Apply them all the same?", &problem, streams)
}
