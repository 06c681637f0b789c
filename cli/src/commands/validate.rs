//! `validate`: what a server says of objects, without a server.

mod judge;
mod report;

use crate::cluster::ClusterArgs;
use crate::documents::{ExportArgs, FileArgs, documents};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::Streams;
use clap::ValueEnum;
use judge::{Judge, Old};
use k8s_flowcontrol::FieldValidation;
use report::Report;
use std::path::PathBuf;

/// Say what a Kubernetes API server would answer to creating each object, without a server
///
/// The verdict has the server's own words: members that are unknown, repeated or of a wrong type (field validation
/// is strict unless told otherwise), and every rule of the API group, as the given release has them. Every object is
/// judged by itself, as with `--dry-run=server`.
///
/// Objects named like those that every server makes by itself, such as workload-low, exist already (409); what an
/// update of them is answered says `--update-of`, and `--no-bootstrap` takes the names for free.
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

    /// Judge updates: of the objects in this file, found by kind and name; one single object is what every input is to
    /// replace
    #[arg(long, value_name = "FILE", conflicts_with = "live")]
    update_of: Option<PathBuf>,

    /// Judge updates of the objects that a cluster has
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    /// Judge updates of a subresource
    #[arg(long, value_name = "NAME")]
    subresource: Option<Subresource>,

    /// What happens to unknown and repeated members
    #[arg(long, value_name = "MODE", default_value = "strict")]
    field_validation: Strictness,

    /// Take the names of the objects that a server makes by itself for free
    #[arg(long)]
    no_bootstrap: bool,

    /// How to answer; json is one object a line for each input, in order: source, kind, name, apiVersion, valid and
    /// status, the Status that the server would answer, or null
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

/// Feature gates that change a verdict.
#[derive(Debug, clap::Args)]
struct Gates {
    /// The server's feature gates; of these a verdict depends on ZeroLimitedNominalConcurrencyShares, which 1.29 has
    #[arg(long, value_name = "NAME=BOOL,…", value_delimiter = ',', value_parser = gate)]
    feature_gates: Vec<(String, bool)>,
}

const EXAMPLES: &str = "\
Examples:
  # Would Kubernetes 1.32 take these objects?
  kubectl flowcontrol validate -f manifests/ -R --kubernetes 1.32

  # In a pipe, for a script
  helm template chart | kubectl flowcontrol validate -f - -o json

  # What would replacing the objects of the cluster be answered?
  kubectl flowcontrol validate -f manifests/ --live

Exit code 1 when an object is not valid.";

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
    /// Nothing is said
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
        return Err("no verdict depends on this gate".into());
    }
    let value = value.parse().map_err(|_| "expected true or false")?;
    Ok((name.into(), value))
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    let mut release = args.kubernetes.release();
    let old = match (&args.update_of, args.live) {
        (Some(file), _) => Some(Old::read(file, release, streams)?),
        (None, true) => {
            let objects = Objects::live(&args.cluster)?;
            release = args.kubernetes.release_or(objects.live);
            Some(Old::live(&objects))
        }
        (None, false) if args.subresource.is_some() => {
            return Err(Failure::usage(
                "`--subresource` is about updates, and there is nothing to update",
            )
            .hint("name what is updated with `--update-of FILE` or `--live`"));
        }
        (None, false) => None,
    };
    let judge = Judge::new(
        release,
        args.gates.feature_gates.iter().any(|(_, open)| *open),
        args.field_validation.into(),
        args.no_bootstrap,
        args.export.strip_server_fields,
        old,
        args.subresource.is_some(),
    );
    let json = args.output == Output::Json;
    let mut report = Report::new(json, args.export.strip_server_fields, release);
    for source in args.files.sources()? {
        let found = match source {
            Ok(source) => documents(source),
            Err(failure) => {
                // The others are judged all the same.
                failure.report(streams);
                report.unreadable_file();
                continue;
            }
        };
        for document in &found.documents {
            report.verdict(document, &judge.judge(document), streams)?;
        }
        report.passed_over(&found, streams)?;
    }
    report.finish(streams)
}
