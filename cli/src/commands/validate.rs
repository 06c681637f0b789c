//! `validate`: the response of a server to objects, without a server.

mod old;
mod report;

use crate::cluster::ClusterArgs;
use crate::command::{BOTH, Command, Group, Needs, RELEASE, SERVED, on};
use crate::documents::{ExportArgs, FileArgs, documents};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::Streams;
use clap::ValueEnum;
use k8s_flowcontrol::{FieldValidation, Kind, Resource};
use k8s_flowcontrol_manifests::Validator;
use old::{live_old, read_old};
use report::Report;
use std::collections::HashSet;
use std::path::PathBuf;

/// Validate objects as a Kubernetes API server does, without a server
///
/// Errors have the server's own wording: unknown, duplicate and mistyped fields (field validation is strict by default), and all
/// rules of the API group in the given release. Each object is validated by itself, as with `--dry-run=server`.
///
/// Built-in objects such as workload-low exist on every server, so creating them fails with 409. `--update-of` validates an
/// update instead, and `--only-these` assumes that they do not exist.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    #[command(flatten)]
    export: ExportArgs,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    #[command(flatten)]
    gates: Gates,

    /// Validate updates of the objects in this file, found by kind and name; a single object is the old object of every input
    #[arg(long, value_name = "FILE", conflicts_with = "live")]
    update_of: Option<PathBuf>,

    /// Validate for a cluster: an update of an object that exists, else its creation; naming one, as with `--context`, does the same
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// Validate updates of a subresource
    #[arg(long, value_name = "NAME")]
    subresource: Option<Subresource>,

    /// The handling of unknown and duplicate fields
    #[arg(long, value_name = "MODE", default_value = "strict")]
    field_validation: Strictness,

    /// Assume that the built-in objects do not exist
    #[arg(long)]
    only_these: bool,

    /// The output format; json prints one line per object, in order: {"source", "kind", "name", "apiVersion", "valid",
    /// "status", "schemaVersion": 1}; status is the Status that the server would return, or null
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

/// Feature gates that change the validation.
#[derive(Debug, clap::Args)]
struct Gates {
    /// Feature gates of the server; only ZeroLimitedNominalConcurrencyShares of 1.29 changes the validation
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = gate)]
    feature_gates: Vec<(String, bool)>,
}

const EXAMPLES: &str = "\
Examples:
  # Validate manifests for Kubernetes 1.32
  kubectl flowcontrol validate -f manifests/ -R --kubernetes 1.32

  # Validate the output of another tool in a script
  helm template chart | kubectl flowcontrol validate -f - -o json

  # Validate for a cluster: updates of the objects that exist, and new objects
  kubectl flowcontrol validate -f manifests/ --live";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    Table,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Subresource {
    Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Strictness {
    /// They are errors
    Strict,
    /// They are warnings
    Warn,
    /// They are ignored
    Ignore,
}

impl From<Strictness> for FieldValidation {
    fn from(strictness: Strictness) -> Self {
        match strictness {
            Strictness::Strict => Self::Strict,
            Strictness::Warn => Self::Warn,
            Strictness::Ignore => Self::Ignore,
        }
    }
}

fn gate(text: &str) -> Result<(String, bool), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("expected NAME=true or NAME=false")?;
    if name != "ZeroLimitedNominalConcurrencyShares" {
        return Err("this feature gate does not change the validation".into());
    }
    let value = value.parse().map_err(|_| "expected true or false")?;
    Ok((name.into(), value))
}

impl Command for Args {
    const NAME: &'static str = "validate";
    const GROUP: Group = Group::Check;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["list"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[
        (Exit::Findings, "an object is invalid"),
        (
            Exit::Cluster,
            "the cluster is unreachable, or rejects a request",
        ),
    ];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        run(self, streams)
    }
}

fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut release = args.kubernetes.release();
    let is_live = args.live || args.cluster.is_named();
    let mut existing = None;
    let old = match (&args.update_of, is_live) {
        (Some(_), true) => {
            return Err(
                Failure::usage("`--update-of` and a cluster exclude each other")
                    .hint("remove `--update-of`, or the flags that name a cluster or a user"),
            );
        }
        (Some(file), _) => Some(read_old(file, release, streams)?),
        (None, true) => {
            let objects = Objects::live(&args.cluster, args.kubernetes.given())?;
            release = args.kubernetes.release_or(objects.live);
            let old = live_old(&objects);
            existing = Some(names(&objects));
            Some(old)
        }
        (None, false) if args.subresource.is_some() => {
            return Err(Failure::usage("`--subresource` needs an object to update")
                .hint("name the old objects with `--update-of FILE` or `--live`"));
        }
        (None, false) => None,
    };
    let mut create = Validator::new(release)
        .zero_limited_shares(args.gates.feature_gates.iter().any(|(_, open)| *open))
        .field_validation(args.field_validation.into());
    if args.only_these {
        create = create.without_built_in_objects();
    }
    if args.export.strip_server_fields {
        create = create.strip_server_fields();
    }
    let existing = existing.filter(|_| is_live && args.subresource.is_none());
    let mut validator = create.clone();
    if let Some(old) = old {
        validator = validator.update_of(old);
    }
    if args.subresource.is_some() {
        validator = validator.status();
    }
    if is_live {
        // The cluster has the built-in objects, or else they can be created.
        create = create.without_built_in_objects();
    }
    let json = args.output == Output::Json;
    let mut report = Report::new(json, args.export.strip_server_fields, release);
    for source in args.files.sources()? {
        let found = match source {
            Ok(source) => documents(source),
            Err(failure) => {
                // The other files are still validated.
                failure.report(streams);
                report.unreadable_file();
                continue;
            }
        };
        for document in &found.documents {
            let is_new = existing.as_ref().is_some_and(|existing| {
                let name = document.name().unwrap_or_default().to_owned();
                !existing.contains(&(document.kind(), name))
            });
            let validator = if is_new { &create } else { &validator };
            report.verdict(document, &validator.verdict(document), streams)?;
        }
        report.skip(&found, streams)?;
    }
    report.finish(streams)
}

/// The kinds and names of objects.
fn names(objects: &Objects) -> HashSet<(Kind, String)> {
    let schemas = objects.flow_schemas.iter();
    let schemas = schemas.map(|object| (Kind::FlowSchema, object.name().to_owned()));
    let levels = objects.levels.iter();
    let levels = levels.map(|object| (Kind::PriorityLevelConfiguration, object.name().to_owned()));
    schemas.chain(levels).collect()
}
