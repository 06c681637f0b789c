//! `apply`: server-side apply of files.

mod prune;

use crate::cluster::block_on;
use crate::cluster::{Live, LiveArgs, Manifest, WriteArgs, apply_dry_run, owner, takeover};
use crate::documents::FileArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, plural};
use k8s_flowcontrol::Error;
use serde_json::Value;
use std::io::Write;

/// Make a cluster's objects be as files say, by server-side apply
///
/// Files may be written in any version: they are converted to the one that is spoken with the cluster. What these files
/// put there before and no longer say is removed, also when it was applied in another version or by `kubectl apply` without
/// `--server-side`: such fields are taken over first.
///
/// Fields that someone else holds with another value are a conflict: nothing is written of that object, and the conflicts
/// are shown. `--force` takes the fields.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    /// Take fields that others hold
    #[arg(long)]
    force: bool,

    /// Delete objects that were applied under the same field manager, have labels that fit `-l`, and are not in the files
    #[arg(long, requires = "selector")]
    prune: bool,

    /// Which objects `--prune` looks at
    #[arg(short = 'l', long, value_name = "SELECTOR", requires = "prune")]
    selector: Option<String>,

    /// Apply objects also when the version that is spoken cannot say all of them
    #[arg(long)]
    allow_loss: bool,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # After a rehearsal
  kubectl flowcontrol apply -f manifests/ --dry-run
  kubectl flowcontrol apply -f manifests/

  # And delete what is no longer in the folder
  kubectl flowcontrol apply -f manifests/ --prune -l app.kubernetes.io/part-of=fairness

Exit code 1 when there were conflicts, or something was left alone because it belongs to someone.";

/// How often an object is read anew when someone changes it at the same time.
const ATTEMPTS: usize = 5;

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    block_on(async {
        let live = args.live.connect().await?;
        let release = live.release().await;
        let manifests = Manifest::read(&args.files, &live, release, args.allow_loss, streams)?;
        let mut left = 0;
        for manifest in &manifests {
            match apply(args, &live, manifest, streams).await {
                Ok(()) => {}
                Err(failure) if failure.exit() == Exit::Findings => {
                    streams.out.flush()?;
                    failure.report(streams);
                    left += 1;
                }
                Err(failure) => return Err(failure),
            }
        }
        if let Some(selector) = args.selector.as_deref().filter(|_| args.prune) {
            left += prune::prune(&live, selector, &manifests, &args.write, streams).await?;
        }
        if left > 0 {
            streams.out.flush()?;
            writeln!(streams.err, "{} not changed", plural(left, "object"))?;
            return Ok(Exit::Findings);
        }
        Ok(Exit::Success)
    })
}

async fn apply(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let (kind, name) = (manifest.kind, manifest.name());
    let before = found(live.get(kind, name).await)?;
    if let Some(before) = &before {
        // Who applies the owner's own manifest is the owner.
        if owner(kind, before) != owner(kind, &manifest.tree)
            || owner(kind, before).is_some_and(|owner| owner.is_server())
        {
            args.write.check_owner(kind, before)?;
        }
        if !args.write.is_dry_run() && needs_takeover(args, live, before) {
            // Nothing is taken over for an apply that comes to nothing.
            let rehearsal = WriteArgs::rehearsal(&args.write.field_manager);
            let tree = &manifest.tree;
            let tried = apply_dry_run(live, kind, tree, Some(before), &rehearsal, args.force).await;
            tried.map_err(|error| explain(manifest, error))?;
            take_over(args, live, manifest, before.clone()).await?;
        }
    }
    let (tree, write) = (&manifest.tree, &args.write);
    let applied = match write.is_dry_run() {
        true => apply_dry_run(live, kind, tree, before.as_ref(), write, args.force).await,
        false => live.apply(kind, tree, write, args.force).await,
    };
    let after = applied.map_err(|error| explain(manifest, error))?;
    let what = match &before {
        None => "created",
        Some(before) if same(before, &after) => "unchanged",
        Some(_) => "configured",
    };
    let kind = kind.as_str().to_ascii_lowercase();
    writeln!(streams.out, "{kind}/{name} {what}{}", args.write.note())?;
    Ok(())
}

fn needs_takeover(args: &Args, live: &Live, object: &Value) -> bool {
    takeover(object, &args.write.field_manager, live.version).is_some()
}

/// Makes earlier changes of ours one entry in the version that is spoken.
async fn take_over(
    args: &Args,
    live: &Live,
    manifest: &Manifest,
    mut object: Value,
) -> Result<(), Failure> {
    let (kind, name) = (manifest.kind, manifest.name());
    for attempt in 1.. {
        let Some(patch) = takeover(&object, &args.write.field_manager, live.version) else {
            return Ok(());
        };
        match live.json_patch(kind, name, &patch, false).await {
            Ok(_) => return Ok(()),
            // The object is no longer what the patch was made for.
            Err(error) if attempt < ATTEMPTS && (error.is_invalid() || error.is_conflict()) => {
                match found(live.get(kind, name).await)? {
                    Some(newer) => object = newer,
                    None => return Ok(()),
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// An object that may be missing.
fn found(result: Result<Value, Error>) -> Result<Option<Value>, Error> {
    match result {
        Ok(object) => Ok(Some(object)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an apply changed nothing that a person would look for.
fn same(before: &Value, after: &Value) -> bool {
    let told = |object: &Value| {
        let metadata = &object["metadata"];
        (
            object["spec"].clone(),
            metadata["labels"].clone(),
            metadata["annotations"].clone(),
        )
    };
    told(before) == told(after)
}

fn explain(manifest: &Manifest, error: Error) -> Failure {
    if !error.is_conflict() || error.causes().is_empty() {
        return Failure::new(
            Exit::Cluster,
            format!("{}: {error}", manifest.document.title()),
        );
    }
    let mut message = format!("{}: others hold", manifest.document.title());
    for (index, cause) in error.causes().iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let field = cause
            .field
            .as_deref()
            .unwrap_or_default()
            .trim_start_matches('.');
        let whose = cause.message.as_deref().unwrap_or_default();
        message.push_str(&format!("{comma} {field} ({whose})"));
    }
    Failure::new(Exit::Findings, message).hint(
        "`--force` takes these fields; leave them out of the file to let the others have them",
    )
}
