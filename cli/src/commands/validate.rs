//! `validate`: the response of a server to objects, without a server, or as dry runs of a server.

mod answer;
mod dry_run;
mod old;
mod report;

use crate::cluster::{ClusterArgs, block_on};
use crate::command::{BOTH, Command, Declared, Group, Needs, RELEASE, SERVED, on};
use crate::documents::{ExportArgs, FileArgs, documents};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::feature_gates::setting;
use crate::kubernetes_arg::KubernetesArg;
use crate::output::Streams;
use answer::Answer;
use clap::ValueEnum;
use dry_run::DryRuns;
use k8s_flowcontrol::FieldValidation;
use k8s_flowcontrol_manifests::Validator;
use old::read_old;
use report::Report;
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

    /// Feature gates of the server; only ZeroLimitedNominalConcurrencyShares of 1.29 changes the validation
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = gate)]
    feature_gates: Vec<(String, bool)>,

    /// Validate updates of the objects in this file, found by kind and name; a single object is the old object of every input
    #[arg(long, value_name = "FILE")]
    update_of: Option<PathBuf>,

    /// Ask a cluster, which stores nothing: an update of an object that exists, else its creation; naming a cluster, as with
    /// `--context`, does the same
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

const EXAMPLES: &str = "\
Examples:
  # Validate manifests for Kubernetes 1.32
  kubectl flowcontrol validate -f manifests/ -R --kubernetes 1.32

  # Validate the output of another tool in a script
  helm template chart | kubectl flowcontrol validate -f - -o json

  # Ask a cluster: dry runs that update the objects that exist, and create the others
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
    match setting(text)? {
        gate if gate.0 == "ZeroLimitedNominalConcurrencyShares" => Ok(gate),
        _ => Err("this feature gate does not change the validation".into()),
    }
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "validate";
    const GROUP: Group = Group::Check;
    const PLACE: u8 = 1;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE], &[on(BOTH, &["create", "update"])]);
    const EXITS: &'static [(Exit, &'static str)] = &[(Exit::Findings, "an object is invalid")];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let is_json = self.output == Output::Json;
        let report = |release| Report::new(is_json, self.export.strip_server_fields, release);
        if !self.live && !self.cluster.is_named() {
            let validator = self.validator(streams)?;
            let mut report = report(self.kubernetes.release());
            for source in self.files.sources()? {
                report.file(
                    source.map(documents),
                    |document| Answer::of(&validator.verdict(document)),
                    streams,
                )?;
            }
            return report.finish(&self.files, streams);
        }
        if let Some(flag) = self.offline_flag() {
            return Err(
                Failure::usage(format!("`{flag}` and a cluster exclude each other")).hint(format!(
                    "remove `{flag}`, because a cluster answers by its own release and objects; or remove `--live` and the flags that name a cluster or a user"
                )),
            );
        }
        let files: Vec<_> = self
            .files
            .sources()?
            .map(|file| file.map(documents))
            .collect();
        let (cluster, answers) = block_on(async {
            let cluster = DryRuns::connect(self).await?;
            let mut answers = Vec::new();
            for document in files.iter().flatten().flat_map(|found| &found.documents) {
                answers.push(cluster.answer(document).await?);
            }
            Ok((cluster, answers))
        })?;
        let mut report = report(cluster.release).of_cluster(&cluster.live.served);
        let mut answers = answers.into_iter();
        for file in files {
            // Each document has its answer.
            report.file(file, |_| answers.next().unwrap_or_default(), streams)?;
        }
        report.finish(&self.files, streams)
    }
}

impl Args {
    /// The given flag that only applies without a cluster.
    fn offline_flag(&self) -> Option<&'static str> {
        let flags = [
            (self.kubernetes.given().is_some(), "--kubernetes"),
            (self.update_of.is_some(), "--update-of"),
            (self.only_these, "--only-these"),
            (!self.feature_gates.is_empty(), "--feature-gates"),
        ];
        let mut given = flags.into_iter().filter(|(is_given, _)| *is_given);
        given.next().map(|(_, flag)| flag)
    }

    /// The validation without a cluster.
    fn validator(&self, streams: &mut Streams) -> Result<Validator, Failure> {
        let release = self.kubernetes.release();
        let gates = &self.feature_gates;
        let mut validator = Validator::new(release)
            .zero_limited_shares(gates.iter().any(|(_, open)| *open))
            .field_validation(self.field_validation.into());
        if self.only_these {
            validator = validator.without_built_in_objects();
        }
        if self.export.strip_server_fields {
            validator = validator.strip_server_fields();
        }
        match (&self.update_of, self.subresource) {
            (None, Some(_)) => Err(Failure::usage("`--subresource` needs an object to update")
                .hint("name the old objects with `--update-of FILE`, or a cluster with `--live`")),
            (None, None) => Ok(validator),
            (Some(file), subresource) => {
                let validator = validator.update_of(read_old(file, release, streams)?);
                Ok(match subresource {
                    Some(Subresource::Status) => validator.status(),
                    None => validator,
                })
            }
        }
    }
}
