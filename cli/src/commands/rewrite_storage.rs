//! `rewrite-storage`: storing every object again in the current storage version.

mod backup;

use crate::cluster::{Deed, Live, LiveArgs, WriteArgs, block_on_to_the_end, name, title};
use crate::command::{BOTH, Command, Declared, Group, Needs, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Streams, hint, plural};
use crate::signals::Interrupt;
use k8s_flowcontrol::rules::storage;
use k8s_flowcontrol::{ApiVersion, Kind};
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;

/// Rewrite all objects in the current storage version of the cluster
///
/// An object stays in the storage version of its last write until the next write. Write all objects again before an upgrade to a release that
/// removes this version; releases up to 1.36 can still read every version but v1alpha1, which 1.29 removed. This command writes each object
/// unchanged, and can be repeated safely.
///
/// There is one side effect: at every write a server drops managedFields entries of versions that it no longer serves. These
/// entries are listed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A new file for a backup of the objects; an existing file is not overwritten, and a dry run writes none
    #[arg(long, value_name = "PATH", required_unless_present = "dry_run")]
    backup: Option<PathBuf>,

    #[command(flatten)]
    write: WriteArgs,

    #[command(flatten)]
    live: LiveArgs,
}

const EXAMPLES: &str = "\
Examples:
  # Show which objects would be written
  kubectl flowcontrol rewrite-storage --dry-run --include-managed

  # After an upgrade to 1.31, on the way to 1.32
  kubectl flowcontrol rewrite-storage --backup before.yaml --include-managed

  # Restore the backup
  kubectl flowcontrol apply -f before.yaml --force-conflicts --include-managed";

/// The most attempts when other clients change the object at the same time.
const ATTEMPTS: usize = 5;

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "rewrite-storage";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 6;
    const NEEDS: Needs = Needs::new(
        &[SERVED, "/apis/flowcontrol.apiserver.k8s.io/*"],
        &[on(BOTH, &["get", "list", "update"])],
    );
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "a managed object was not written")];
    const INSTEAD: Option<(&'static str, &'static str)> =
        Some(("--backup <PATH>", "'--dry-run' works without a backup"));

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let interrupt = Interrupt::listen();
        block_on_to_the_end(async {
            let live = self.live.connect().await?;
            let hashes = live.storage_hashes().await?;
            for (kind, hash) in &hashes {
                print_storage_version(*kind, hash, streams)?;
            }
            let mut objects = Vec::new();
            for kind in Kind::ALL.iter().copied() {
                let found = live.list(kind, None).await?;
                objects.extend(found.into_iter().map(|object| (kind, object)));
            }
            self.save(&objects, streams)?;
            let mut done = Done::default();
            for (kind, object) in &objects {
                if interrupt.came() {
                    writeln!(
                        streams.err,
                        "interrupted after {}; run the command again to continue",
                        plural(done.written, "object")
                    )?;
                    return Ok(Exit::Interrupted);
                }
                self.rewrite(&live, *kind, object, &mut done, streams)
                    .await?;
            }
            streams.out.flush()?;
            if live.storage_hashes().await? != hashes {
                return Err(Failure::new(
                    Exit::Cluster,
                    "the storage version changed while objects were rewritten",
                )
                .hint(
                    "wait until all API servers run the same release, and run the command again",
                ));
            }
            writeln!(
                streams.err,
                "{} {}{}, {} of them changed in storage, {} not written",
                plural(done.written, "object"),
                match self.write.is_dry_run() {
                    true => "would be written",
                    false => "written",
                },
                self.write.note(),
                done.moved,
                done.left
            )?;
            if done.left == 0 {
                return Ok(Exit::Success);
            }
            hint(streams, "use `--include-managed` to write managed objects")?;
            Ok(Exit::Findings)
        })
    }
}

/// The counts of objects so far.
#[derive(Default)]
struct Done {
    written: usize,
    /// Written objects that changed in storage.
    moved: usize,
    left: usize,
}

impl Args {
    /// Writes the backup, if one is wanted.
    fn save(&self, objects: &[(Kind, Value)], streams: &mut Streams) -> Result<(), Failure> {
        let Some(file) = &self.backup else {
            return Ok(());
        };
        let saved = match self.write.is_dry_run() {
            true => "would save",
            false => {
                let trees = objects.iter().map(|(_, object)| object.clone());
                backup::write(file, trees.collect())?;
                "saved"
            }
        };
        let (count, file) = (plural(objects.len(), "object"), file.display());
        Ok(writeln!(streams.err, "{saved} {count} in {file}")?)
    }

    /// Writes an object, unless somebody else manages it, and prints the outcome.
    async fn rewrite(
        &self,
        live: &Live,
        kind: Kind,
        object: &Value,
        done: &mut Done,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        if let Err(failure) = self.write.check_owner(Deed::Rewrite, kind, object) {
            // There may be many; the hint is printed once at the end.
            writeln!(streams.err, "{failure}")?;
            done.left += 1;
            return Ok(());
        }
        let after = match self.write.is_client_dry_run() {
            true => Some(object.clone()),
            false => rewrite(self, live, kind, object).await?,
        };
        let Some(after) = after else { return Ok(()) };
        done.written += 1;
        let was_moved =
            object["metadata"]["resourceVersion"] != after["metadata"]["resourceVersion"];
        done.moved += usize::from(was_moved);
        let what = match (self.write.is_dry_run(), was_moved) {
            (true, _) => "would be rewritten",
            (false, true) => "rewritten",
            (false, false) => "already in the storage version",
        };
        write!(streams.out, "{} {what}", title(kind, name(object)))?;
        let dropped = dropped_entries(live, object);
        if !dropped.is_empty() {
            let dropped = dropped.join(", ");
            write!(streams.out, "; managedFields entries dropped: {dropped}")?;
        }
        Ok(writeln!(streams.out)?)
    }
}

/// Prints the storage version, and the releases that cannot read it.
fn print_storage_version(kind: Kind, hash: &str, streams: &mut Streams) -> Result<(), Failure> {
    let known = ApiVersion::ALL
        .iter()
        .copied()
        .find(|version| storage::version_hash(kind, *version) == hash);
    let Some(version) = known else {
        return Err(Failure::new(
            Exit::Cluster,
            format!("{kind} objects are stored in an unknown version (storageVersionHash {hash})"),
        ));
    };
    writeln!(
        streams.err,
        "{kind} objects are stored in {version} (storageVersionHash {hash})"
    )?;
    writeln!(
        streams.err,
        "warning: Kubernetes older than 1.{} cannot read objects stored in {version}: do not downgrade the control plane below it",
        version.lifecycle().introduced
    )?;
    Ok(())
}

/// Writes an object unchanged; none if it no longer exists.
async fn rewrite(
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
            // Another client wrote the object in the meantime, but perhaps through an older server.
            Err(error) if error.is_conflict() => match live.find(kind, name(&object)).await? {
                Some(newer) => object = newer,
                None => return Ok(None),
            },
            Err(error) => return Err(error.into()),
        }
    }
    Ok(live.replace(kind, &object, &args.write).await?.map(Some)?)
}

/// The entries of managedFields in versions that the cluster no longer serves.
fn dropped_entries(live: &Live, object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array();
    let is_served = |entry: &&Value| {
        let mut served = live.served.iter().map(|version| version.api_version());
        served.any(|version| entry["apiVersion"] == version)
    };
    let word = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
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
