//! `rewrite-storage`: every object is stored anew, in the version in which the cluster stores objects now.

mod backup;

use crate::cluster::block_on;
use crate::cluster::{Live, LiveArgs, WriteArgs, name};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::output::{HINT, Streams, plural};
use k8s_flowcontrol::ApiVersion;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::rules::storage;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Store every object anew, in the version in which the cluster stores objects now
///
/// An object stays stored in the version of its last write. Before a version is forgotten by servers, everything must have
/// been written anew: that is what this does, object by object, each as it is. It is safe to repeat.
///
/// Nothing of an object changes, with one exception: at any write a server drops the entries of managedFields that name a
/// version which it no longer serves. These are listed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Where the objects are saved as they are before; a file that is there is not overwritten
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    backup: Option<PathBuf>,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # A rehearsal, and what it would do
  kubectl flowcontrol rewrite-storage --dry-run --include-managed

  # After an upgrade to 1.31, on the way to 1.32
  kubectl flowcontrol rewrite-storage --backup before.yaml --include-managed

  # Back to what was
  kubectl flowcontrol apply -f before.yaml --force --include-managed

Exit code 1 when objects were left alone because they belong to someone.";

/// How often an object is read anew when someone changes it at the same time.
const ATTEMPTS: usize = 5;

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let interrupt = Interrupt::listen();
    block_on(async {
        let live = args.live.connect().await?;
        let hashes = live.storage_hashes().await?;
        for (kind, hash) in &hashes {
            tell_version(*kind, hash, streams)?;
        }
        let mut objects = Vec::new();
        for kind in Kind::ALL {
            let found = live.list(kind, None).await?;
            objects.extend(found.into_iter().map(|object| (kind, object)));
        }
        if let Some(file) = &args.backup {
            let trees: Vec<_> = objects.iter().map(|(_, object)| object.clone()).collect();
            backup::write(file, trees)?;
            writeln!(
                streams.err,
                "{} saved in {}",
                plural(objects.len(), "object"),
                file.display()
            )?;
        }
        let (mut written, mut moved, mut left) = (0, 0, 0);
        for (kind, object) in &objects {
            if interrupt.came() {
                writeln!(
                    streams.err,
                    "interrupted after {}; it is safe to begin again",
                    plural(written, "object")
                )?;
                return Ok(Exit::Interrupted);
            }
            if let Err(failure) = args.write.check_owner(*kind, object) {
                // There may be many; what to do is said once.
                writeln!(streams.err, "{failure}")?;
                left += 1;
                continue;
            }
            let Some(after) = store_anew(args, &live, *kind, object).await? else {
                continue;
            };
            written += 1;
            let was_moved =
                object["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"];
            moved += usize::from(was_moved);
            let kind = kind.as_str().to_ascii_lowercase();
            let what = match (args.write.is_dry_run(), was_moved) {
                (true, _) => "would be stored anew",
                (false, true) => "stored anew",
                (false, false) => "was stored so already",
            };
            write!(streams.out, "{kind}/{} {what}", name(object))?;
            let dropped = forgotten(&live, object);
            if !dropped.is_empty() {
                write!(
                    streams.out,
                    "; managedFields entries dropped: {}",
                    dropped.join(", ")
                )?;
            }
            writeln!(streams.out)?;
        }
        streams.out.flush()?;
        if live.storage_hashes().await? != hashes {
            return Err(Failure::new(
                Exit::Cluster,
                "the cluster began to store objects in another version meanwhile",
            )
            .hint("wait until all API servers are of one release, and begin again"));
        }
        writeln!(
            streams.err,
            "{} written{}, {moved} of them changed in storage, {left} left alone",
            plural(written, "object"),
            args.write.note()
        )?;
        if left > 0 {
            writeln!(
                streams.err,
                "{HINT}hint:{HINT:#} `--include-managed` stores those anew as well"
            )?;
        }
        Ok(if left > 0 {
            Exit::Findings
        } else {
            Exit::Success
        })
    })
}

/// Says in which version objects are stored from now on, and who can no longer read that.
fn tell_version(kind: Kind, hash: &str, streams: &mut Streams) -> Result<(), Failure> {
    let known = ApiVersion::ALL
        .into_iter()
        .find(|version| storage::version_hash(kind, *version) == hash);
    let Some(version) = known else {
        return Err(Failure::new(
            Exit::Cluster,
            format!(
                "{kind} objects are stored in a version that is not known here (storageVersionHash {hash})"
            ),
        ));
    };
    writeln!(
        streams.err,
        "{kind} objects are stored in {version} (storageVersionHash {hash})"
    )?;
    writeln!(
        streams.err,
        "warning: Kubernetes older than 1.{} cannot read objects stored in {version}: a control plane cannot go back there",
        version.lifecycle().introduced
    )?;
    Ok(())
}

/// Writes an object as it is; none when it is gone.
async fn store_anew(
    args: &Args,
    live: &Live,
    kind: Kind,
    object: &Value,
) -> Result<Option<Value>, Failure> {
    let mut object = object.clone();
    for _ in 1..ATTEMPTS {
        match live.replace(kind, &object, &args.write).await? {
            Ok(after) => return Ok(Some(after)),
            Err(error) if error.is_not_found() => return Ok(None),
            // Someone wrote it meanwhile, which stores it anew as well; yet the server may have been an older one.
            Err(error) if error.is_conflict() => match live.get(kind, name(&object)).await {
                Ok(newer) => object = newer,
                Err(error) if error.is_not_found() => return Ok(None),
                Err(error) => return Err(error.into()),
            },
            Err(error) => return Err(error.into()),
        }
    }
    Ok(live.replace(kind, &object, &args.write).await?.map(Some)?)
}

/// The entries of managedFields that name versions which the cluster no longer serves.
fn forgotten(live: &Live, object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array();
    let is_served = |entry: &&Value| {
        let mut served = live.served.iter().map(|version| version.api_version());
        served.any(|version| entry["apiVersion"] == version)
    };
    let word = |entry: &Value, member: &str| entry[member].as_str().unwrap_or_default().to_owned();
    let entries = entries
        .into_iter()
        .flatten()
        .filter(|entry| !is_served(entry));
    entries
        .map(|entry| {
            format!(
                "{} ({}, {})",
                word(entry, "manager"),
                word(entry, "apiVersion"),
                word(entry, "time")
            )
        })
        .collect()
}
