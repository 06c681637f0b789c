//! `delete`: deleting objects of a cluster.

use crate::cluster::block_on;
use crate::cluster::{Live, LiveArgs, TargetArgs, WriteArgs, name};
use crate::documents::{FileArgs, Skipped, documents};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, plural};
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::Release;
use serde_json::Value;
use std::io::Write;

/// Delete objects from a cluster
///
/// Managed objects are deleted only with `--include-managed`; the API server recreates its built-in objects. An object that
/// was recreated since it was read is not deleted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    files: FileArgs,

    /// Ignore objects that do not exist
    #[arg(long)]
    ignore_not_found: bool,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Delete a flow schema
  kubectl flowcontrol delete fs/mine

  # Show which objects of these manifests would be deleted
  kubectl flowcontrol delete -f manifests/ --dry-run

  # Delete all objects of a team
  kubectl flowcontrol delete all -l team=a

Exit code 1 if managed objects were not deleted.";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if args.target.is_empty() == args.files.is_empty() {
        return Err(Failure::usage("give names, `-l` or `-f`: exactly one of them")
            .hint("name objects as KIND/NAME, select them with `KIND -l SELECTOR`, or name files with `-f FILE`"));
    }
    let named = match args.files.is_empty() {
        true => None,
        false => Some(in_files(&args.files, streams)?),
    };
    block_on(async {
        let live = args.live.connect().await?;
        let objects = match named {
            Some(named) => find(args, &live, named).await?,
            None => args.target.find(&live).await?,
        };
        let mut left = 0;
        // Flow schemas first: without their level they would be dangling for a moment.
        for kind in Kind::ALL {
            for (_, object) in objects.iter().filter(|(other, _)| *other == kind) {
                if let Err(failure) = args.write.check_owner(kind, object) {
                    failure.report(streams);
                    left += 1;
                    continue;
                }
                live.delete(kind, object, &args.write).await?;
                let kind = kind.as_str().to_ascii_lowercase();
                writeln!(
                    streams.out,
                    "{kind}/{} deleted{}",
                    name(object),
                    args.write.note()
                )?;
            }
        }
        if left > 0 {
            streams.out.flush()?;
            writeln!(
                streams.err,
                "{} not deleted",
                plural(left, "managed object")
            )?;
            return Ok(Exit::Findings);
        }
        Ok(Exit::Success)
    })
}

/// The kinds and names of the objects in files.
fn in_files(files: &FileArgs, streams: &mut Streams) -> Result<Vec<(Kind, String)>, Failure> {
    let mut skipped = Skipped::default();
    let mut named = Vec::new();
    for source in files.sources()? {
        let found = documents(source?);
        skipped.add(&found, streams)?;
        for document in &found.documents {
            let object = document.object(Release::NEWEST)?;
            named.push((object.kind, object.name().to_owned()));
        }
    }
    skipped.summarize(streams)?;
    Ok(named)
}

async fn find(
    args: &Args,
    live: &Live,
    named: Vec<(Kind, String)>,
) -> Result<Vec<(Kind, Value)>, Failure> {
    let mut objects = Vec::new();
    for (kind, name) in named {
        match live.get(kind, &name).await {
            Ok(object) => objects.push((kind, object)),
            Err(error) if error.is_not_found() && args.ignore_not_found => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(objects)
}
