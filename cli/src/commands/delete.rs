//! `delete`: deleting objects of a cluster.

use crate::cluster::block_on;
use crate::cluster::{
    Deed, Live, LiveArgs, TargetArgs, Unfound, WriteArgs, is_built_in, name, no_objects, owner,
    title,
};
use crate::command::{BOTH, Command, Declared, Group, Needs, SERVED, on};
use crate::documents::{FileArgs, each_object};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::force::ForceArg;
use crate::output::{Streams, full_name, plural, warn};
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::Release;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};
use std::io::Write;

/// Delete objects from a cluster
///
/// Managed objects are deleted only with `--include-managed`; the API server recreates its built-in objects. An object that
/// was recreated since it was read is not deleted. An error of one object does not stop the others.
///
/// As in kubectl, objects that are named, or selected by `-l` or `-f`, are deleted without a question. On a terminal the command asks before
/// `--all`, and before it deletes a level to which flow schemas of the cluster refer.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    target: TargetArgs,

    #[command(flatten)]
    files: FileArgs,

    /// Delete all objects of the named kinds
    #[arg(long, conflicts_with_all = ["selector", "files"])]
    all: bool,

    #[command(flatten)]
    force: ForceArg,

    /// Ignore objects that do not exist
    #[arg(long)]
    ignore_not_found: bool,

    /// Print the names of the deleted objects as KIND.GROUP/NAME instead of messages
    #[arg(short, long, value_name = "FORMAT", value_parser = ["name"])]
    output: Option<String>,

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

  # Delete all flow schemas that nobody manages, without a question
  kubectl flowcontrol delete fs --all --force";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "delete";
    const GROUP: Group = Group::Objects;
    const PLACE: u8 = 5;
    const NEEDS: Needs = Needs::new(&[SERVED], &[on(BOTH, &["delete", "get", "list"])]);
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "a managed object was not deleted")];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        check_target(self)?;
        let named = match self.files.is_empty() {
            true => None,
            false => Some(in_files(&self.files, streams)?),
        };
        block_on(async {
            let live = self.live.connect().await?;
            let (objects, unfound) = match named {
                Some(named) => find(&live, named).await,
                None => self.target.find_each(&live).await?,
            };
            let is_error = |unfound: &Unfound| !(unfound.is_missing && self.ignore_not_found);
            let unfound = unfound.into_iter().filter(is_error);
            let failures = unfound.map(|unfound| unfound.failure);
            let mut exit = Failure::report_all(failures, streams);
            if objects.is_empty() && exit == Exit::Success && !self.ignore_not_found {
                writeln!(streams.err, "no objects found")?;
            }
            if self.all && !confirm(self, &objects, streams)? {
                writeln!(streams.err, "nothing was deleted")?;
                return Ok(Exit::Success);
            }
            if !confirm_dangling(self, &live, &objects, streams).await? {
                writeln!(streams.err, "nothing was deleted")?;
                return Ok(Exit::Success);
            }
            let mut left = 0;
            let mut hints = BTreeSet::new();
            // Flow schemas first: without their level they would be dangling for a moment.
            for kind in Kind::ALL.iter().copied() {
                for (_, object) in objects.iter().filter(|(other, _)| *other == kind) {
                    if let Err(failure) = self.write.check_owner(Deed::Delete, kind, object) {
                        failure.hint_once(&mut hints).report(streams);
                        left += 1;
                        continue;
                    }
                    let deleted = match self.write.is_client_dry_run() {
                        true => Ok(Vec::new()),
                        false => live.delete(kind, object, &self.write).await,
                    };
                    let finalizers = match deleted {
                        Ok(finalizers) => finalizers.join(", "),
                        Err(error) => {
                            if !(error.is_not_found() && self.ignore_not_found) {
                                let failure = Failure::from(error);
                                failure.report(streams);
                                exit = exit.worse(failure.exit());
                            }
                            continue;
                        }
                    };
                    let title = title(kind, name(object));
                    match &self.output {
                        Some(_) => writeln!(streams.out, "{}", full_name(kind, name(object)))?,
                        None => writeln!(streams.out, "{title} deleted{}", self.write.note())?,
                    }
                    if !finalizers.is_empty() {
                        streams.out.flush()?;
                        let until = format!(
                            "{title} exists until its finalizers are removed: {finalizers}"
                        );
                        streams.err.paragraph(&until)?;
                    }
                    if is_built_in(kind, name(object)) {
                        streams.out.flush()?;
                        writeln!(
                            streams.err,
                            "the API server creates {title} again if its release has it"
                        )?;
                    } else if !owner(kind, object).is_some_and(|owner| owner.is_server()) {
                        self.write.warn_of_owner(kind, object, streams)?;
                    }
                }
            }
            if left > 0 {
                streams.out.flush()?;
                writeln!(streams.err, "{} not deleted", plural(left, "object"))?;
                exit = exit.worse(Exit::Findings);
            }
            Ok(exit)
        })
    }
}

/// Returns an error unless the command line selects the objects to delete in exactly one way.
fn check_target(args: &Args) -> Result<(), Failure> {
    const HINT: &str = "name objects as KIND/NAME, select them with `KIND -l SELECTOR`, name files with `-f FILE`, or use `KIND --all`";
    if args.target.is_empty() == args.files.is_empty() {
        let message = "give names, `-l` or `-f`: exactly one of them";
        return Err(Failure::usage(message).hint(HINT));
    }
    if !args.files.is_empty() {
        return Ok(());
    }
    match (args.target.has_names()?, args.all) {
        (true, true) => Err(Failure::usage("names and `--all` exclude each other")),
        (false, false) if args.target.selector().is_none() => {
            // kubectl's words.
            let message = "resource(s) were provided, but no name was specified";
            Err(Failure::usage(message).hint(HINT))
        }
        _ => Ok(()),
    }
}

/// Asks on a terminal whether to delete all these objects.
fn confirm(args: &Args, objects: &[(Kind, Value)], streams: &mut Streams) -> Result<bool, Failure> {
    let is_deleted = |(kind, object): &&(Kind, Value)| {
        args.write.check_owner(Deed::Delete, *kind, object).is_ok()
    };
    let names: Vec<_> = objects
        .iter()
        .filter(is_deleted)
        .map(|(kind, object)| title(*kind, name(object)))
        .collect();
    if args.write.is_dry_run() || names.is_empty() {
        return Ok(true);
    }
    let count = plural(names.len(), "object");
    let question = format!("{}\nDelete {count}?", names.join("\n"));
    args.force
        .ask(&question, &format!("`--all` would delete {count}"), streams)
}

/// Asks on a terminal whether to delete levels to which flow schemas refer that stay.
async fn confirm_dangling(
    args: &Args,
    live: &Live,
    objects: &[(Kind, Value)],
    streams: &mut Streams,
) -> Result<bool, Failure> {
    let deleted: HashSet<_> = objects
        .iter()
        .filter(|(kind, object)| args.write.check_owner(Deed::Delete, *kind, object).is_ok())
        .map(|(kind, object)| (*kind, name(object)))
        .collect();
    let has_levels = deleted
        .iter()
        .any(|(kind, _)| *kind == Kind::PriorityLevelConfiguration);
    if !has_levels {
        return Ok(true);
    }
    let mut dangling = Vec::new();
    for schema in live.list(Kind::FlowSchema, None).await? {
        let level = schema["spec"]["priorityLevelConfiguration"]["name"].as_str();
        let level = level.unwrap_or_default();
        if deleted.contains(&(Kind::PriorityLevelConfiguration, level))
            && !deleted.contains(&(Kind::FlowSchema, name(&schema)))
        {
            dangling.push(format!(
                "{} refers to {level}",
                title(Kind::FlowSchema, name(&schema))
            ));
        }
    }
    if dangling.is_empty() {
        return Ok(true);
    }
    for reference in &dangling {
        warn(reference)?;
    }
    if args.write.is_dry_run() {
        return Ok(true);
    }
    let problem = format!(
        "the requests of {} would go to other flow schemas: nothing was deleted",
        plural(dangling.len(), "flow schema")
    );
    args.force
        .ask("Delete the priority levels?", &problem, streams)
}

/// The kinds and names of the objects in files.
fn in_files(files: &FileArgs, streams: &mut Streams) -> Result<Vec<(Kind, String)>, Failure> {
    let mut named = Vec::new();
    each_object(files, Release::NEWEST, streams, |object, _| {
        named.push((object.kind, object.name().to_owned()));
        Ok(())
    })?;
    match named.is_empty() {
        true => Err(no_objects("delete")),
        false => Ok(named),
    }
}

async fn find(live: &Live, named: Vec<(Kind, String)>) -> (Vec<(Kind, Value)>, Vec<Unfound>) {
    let mut objects = Vec::new();
    let mut unfound = Vec::new();
    for (kind, name) in named {
        match live.get(kind, &name).await {
            Ok(object) => objects.push((kind, object)),
            Err(error) => unfound.push(Unfound {
                is_missing: error.is_not_found(),
                failure: error.into(),
            }),
        }
    }
    (objects, unfound)
}
