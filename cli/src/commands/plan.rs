//! `plan`: the steps of an upgrade.

mod commands;
mod report;

use crate::cluster::{ClustersArgs, block_on};
use crate::command::{BOTH, Command, Declared, Group, Needs, RELEASE, SERVED, on, role_hint};
use crate::commands::scan::{read_objects, read_versions, verdict};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::migrate::{SelectionArgs, write_details, write_skipped};
use crate::output::{Diagnostic, Level, Streams, hint, plural, write_report};
use clap::ValueEnum;
use k8s_flowcontrol::rules::upgrade::Plan;
use k8s_flowcontrol::{Client, Error, Release};
use k8s_flowcontrol_analysis::preview::Preview;
use k8s_flowcontrol_analysis::scan::{ClusterScan, Verdict};
use k8s_flowcontrol_manifests::files::{Candidates, FileUpgrade, Skipped, collect};
use std::io::Write;
use std::path::PathBuf;

/// Plan an upgrade: which API version to apply on which release, and when to migrate which files
///
/// No release serves both v1beta2 and v1, so manifests migrate to v1beta3 first, on 1.26 to 1.28, and to v1 on 1.29 to 1.31.
/// Files are not changed. The plan includes the clusters that the command line names, as with `--context`; they are read through
/// their preferred version.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The current release; with clusters, defaults to their oldest release
    #[arg(long, alias = "from", value_name = "RELEASE", required_unless_present_any = ["contexts", "kubeconfig", "server", "token", "as_user"])]
    from_release: Option<Release>,

    /// The target release
    #[arg(long, alias = "to", value_name = "RELEASE", default_value_t = Release::NEWEST)]
    to_release: Release,

    #[command(flatten)]
    clusters: ClustersArgs,

    #[command(flatten)]
    selection: SelectionArgs,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Format,

    /// Show every place to change by hand with its line and advice, and the entries that were not examined
    #[arg(short, long)]
    verbose: bool,
}

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables and the commands to run
    Table,
    /// One JSON object
    Json,
}

const EXAMPLES: &str = "\
Examples:
  # The version to apply on each release
  kubectl flowcontrol plan --from-release 1.27 --to-release 1.32

  # The migrations of these files
  kubectl flowcontrol plan --from-release 1.27 --to-release 1.32 manifests/

  # Every place to change by hand, without the tests
  kubectl flowcontrol plan --from-release 1.27 --to-release 1.32 . --exclude 'tests/**' -v

  # Also for these clusters
  kubectl flowcontrol plan --to-release 1.32 --context staging --context production manifests/";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "plan";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["list"])]);
    const INSTEAD: Option<(&'static str, &'static str)> = Some((
        "--from-release <RELEASE>",
        "'--context <NAME>' reads the release of a cluster",
    ));

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let states = read_clusters(self)?;
        let from = match self.from_release {
            Some(from) => from,
            None => oldest(&states)?,
        };
        let plan = Plan::new(from, self.to_release);
        if plan.from > plan.to {
            let message = format!("{} is older than {}", plan.to, plan.from);
            return Err(Failure::usage(message).hint(
                "to go back, use `kubectl flowcontrol migrate --to-version VERSION --kubernetes RELEASE`",
            ));
        }
        let selection = self.selection.selection()?;
        let found = collect(&self.paths, None, &selection)
            .map_err(|error| Failure::input(format!("{error}: {}", error.error)))?;
        let Candidates { files, skipped, .. } = found;
        let mut needs = Vec::new();
        for found in FileUpgrade::of_all(files, plan) {
            match found {
                Ok(found) => needs.extend(found),
                Err(Skipped { path, why, .. }) => {
                    let note = format!("{}: {why}", path.display());
                    Diagnostic::new(Level::Note, note).write(&mut streams.err)?;
                }
            }
        }
        let files = needs;
        let mut has_unread = files.iter().any(|file| file.error.is_some());
        has_unread |= skipped.iter().any(|skipped| skipped.is_error);
        let has_lost = states.iter().any(|state| state.error.is_some());
        let clusters: Vec<_> = states
            .into_iter()
            .map(|state| {
                let from = release(&state).unwrap_or(plan.from);
                let plan = (from <= plan.to).then_some(Plan::new(from, plan.to));
                (state, plan)
            })
            .collect();
        match self.output {
            Format::Table => {
                let is_folder = |path: &&PathBuf| path.is_dir();
                let roots: Vec<_> = self.paths.iter().filter(is_folder).cloned().collect();
                report::table(plan, &files, &roots, &clusters, &mut streams.out)?;
                streams.out.flush()?;
                let changes = Preview::new(plan).changes().len();
                if changes > 0 {
                    writeln!(
                        streams.err,
                        "{} of servers from {} to {}:\nkubectl flowcontrol preview {} --from-release {}",
                        plural(changes, "change"),
                        plan.from,
                        plan.to,
                        plan.to,
                        plan.from,
                    )?;
                }
            }
            Format::Json => {
                write_report(&mut streams.out, report::json(plan, &files, &clusters))?;
            }
        }
        streams.out.flush()?;
        if self.verbose {
            for file in &files {
                let findings: Vec<_> = file.findings.iter().collect();
                write_details(&file.source, &findings, &mut streams.err)?;
            }
        }
        write_skipped(&skipped, self.verbose, &mut streams.err)?;
        let places: usize = files.iter().map(|file| file.findings.len()).sum();
        if !self.verbose && places > 0 {
            let places = plural(places, "place");
            writeln!(
                streams.err,
                "{places} to change by hand (--verbose lists them)"
            )?;
        }
        if clusters.iter().any(|(state, _)| state.is_forbidden) {
            hint(streams, &role_hint(Self::NAME))?;
        }
        Ok(match (has_unread, has_lost) {
            (true, _) => Exit::Input,
            (_, true) => Exit::Cluster,
            _ => Exit::Success,
        })
    }
}

/// Reads the clusters through their preferred versions: the plan itself must not use an old version.
fn read_clusters(args: &Args) -> Result<Vec<ClusterScan>, Failure> {
    if !args.clusters.is_named() {
        return Ok(Vec::new());
    }
    let clusters = args.clusters.clusters()?;
    block_on(async {
        let mut states = Vec::new();
        for (context, cluster) in clusters {
            let mut state = ClusterScan::new(context);
            match cluster.client().await {
                Ok(client) => {
                    if let Err(error) = read_cluster(&mut state, &client, args.to_release).await {
                        state.fail(verdict(&error), error);
                    }
                }
                Err(failure) => state.fail(Verdict::Failed, failure),
            }
            states.push(state);
        }
        Ok(states)
    })
}

async fn read_cluster(state: &mut ClusterScan, client: &Client, to: Release) -> Result<(), Error> {
    read_versions(state, client, None).await?;
    read_objects(state, client, to).await
}

/// The release of a cluster, if its name is known.
fn release(state: &ClusterScan) -> Option<Release> {
    state.release.as_deref()?.parse().ok()
}

fn oldest(states: &[ClusterScan]) -> Result<Release, Failure> {
    let releases = states.iter().filter_map(release);
    releases.min().ok_or_else(|| {
        let why = states.iter().find_map(|state| state.error.as_deref());
        let why = why.unwrap_or("no cluster reports a known release");
        Failure::new(
            Exit::Cluster,
            format!("cannot find the release of any cluster: {why}"),
        )
        .hint("name the current release with --from-release")
    })
}
