//! `lint`: likely mistakes in valid objects.

use crate::cluster::{ClusterArgs, LiveOrFiles, SeatsArg};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::{
    Comment, CommentArg, Diagnostic, Level, SarifResult, SarifRule, Stream, Streams, plural,
    write_report, write_sarif,
};
use clap::ValueEnum;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol_analysis::lint::{Configuration, Finding, Severity, lint, rules};
use k8s_flowcontrol_manifests::Source;
use k8s_flowcontrol_text::Span;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Find likely mistakes in flow schemas and priority levels
///
/// Finds flow schemas that never match, priority levels that starve or are unused, rules that match less than intended, changes
/// that the server reverts, and more; `--rules` lists the rules. Objects of files are checked together with the built-in
/// objects. Use `validate` for all errors of an object that a server rejects.
///
/// A file or an object that cannot be read sets exit code 3; the findings of the others are printed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    input: LiveOrFiles,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    #[command(flatten)]
    seats: SeatsArg,

    /// The lowest severity that sets exit code 1
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    fail_on: FailOn,

    /// List the rules and exit
    #[arg(long)]
    rules: bool,

    #[command(flatten)]
    comment: CommentArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "table")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # The manifests of a repository
  kubectl flowcontrol lint -f manifests/ -R

  # For a code scanning service
  kubectl flowcontrol lint -f manifests/ -R -o sarif > flowcontrol.sarif

  # A cluster
  kubectl flowcontrol lint --live --context production";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// Each finding with its line of the file
    Table,
    /// {"schemaVersion": 1, "kubernetes", "findings": [{"rule", "severity", "kind", "name", "path", "message", "help",
    /// "source", "line", "column"}]}
    Json,
    /// SARIF 2.1.0
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Error,
    Warning,
    Note,
}

impl FailOn {
    fn counts(self, severity: Severity) -> bool {
        match self {
            Self::Error => severity <= Severity::Error,
            Self::Warning => severity <= Severity::Warning,
            Self::Note => true,
        }
    }
}

/// A finding, and its place if the object comes from a file.
struct Placed<'a> {
    finding: &'a Finding,
    place: Option<(Arc<Source>, Span)>,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "lint";
    const GROUP: Group = Group::Check;
    const PLACE: u8 = 2;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);
    const EXITS: &'static [(Exit, &'static str)] =
        &[(Exit::Findings, "a finding is as severe as --fail-on")];

    const MANY_CONTEXTS: bool = true;

    fn comment(&self) -> Option<Comment> {
        self.comment
            .of("Likely mistakes in flow-control objects", "text")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        if self.rules {
            for rule in rules() {
                let (severity, in_files) = (rule.severity(), rule.severity_in_files());
                let severity = match severity == in_files {
                    true => severity.to_string(),
                    false => format!("{severity}; in files at least {in_files}"),
                };
                writeln!(
                    streams.out,
                    "{} ({severity}): {}",
                    rule.id(),
                    rule.summary()
                )?;
            }
            return Ok(Exit::Success);
        }
        let cluster = self.input.cluster();
        let mut objects = match cluster {
            Some(cluster) => Objects::live(cluster, self.kubernetes.given())?,
            None => Objects::default(),
        };
        let server_levels = objects.levels.clone();
        let mut unread = Vec::new();
        if cluster.is_none() || !self.input.files.is_empty() {
            let release = self.kubernetes.release_or(objects.live);
            let (of_files, errors) = Objects::readable(&self.input.files, release, streams)?;
            objects.apply(of_files);
            unread = errors;
            if cluster.is_some() {
                // The objects of the cluster with a part of the change are neither the old nor the new configuration.
                Failure::last_of(std::mem::take(&mut unread), streams)?;
            }
        }
        let release = self.kubernetes.release_or(objects.live);
        let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
        let configuration = match cluster {
            Some(_) => Configuration::cluster(schemas, levels, release),
            None => Configuration::files(schemas, levels, release),
        };
        let seats = seats(self.seats, cluster, &server_levels, release, streams)?;
        let faults = objects.faults();
        let findings = lint(&configuration.concurrency_limit(seats).faults(&faults));
        let placed: Vec<_> = findings
            .iter()
            .map(|finding| place(finding, &objects))
            .collect();
        match self.output {
            Output::Table => {
                for placed in &placed {
                    diagnose(placed).write(&mut streams.out)?;
                }
            }
            Output::Json => write_report(&mut streams.out, report(release, &placed))?,
            Output::Sarif => write_log(release, &placed, &mut streams.out)?,
        }
        streams.out.flush()?;
        let count = |severity| {
            findings
                .iter()
                .filter(|finding| finding.severity == severity)
                .count()
        };
        for (name, severity) in [
            ("errors", Severity::Error),
            ("warnings", Severity::Warning),
            ("notes", Severity::Note),
        ] {
            streams.fact(name, count(severity));
        }
        writeln!(
            streams.err,
            "{}: {}, {}, {}",
            plural(schemas.len() + levels.len(), "object"),
            plural(count(Severity::Error), "error"),
            plural(count(Severity::Warning), "warning"),
            plural(count(Severity::Note), "note"),
        )?;
        let fails = findings
            .iter()
            .any(|finding| self.fail_on.counts(finding.severity));
        Failure::last_of(unread, streams)?;
        Ok(Exit::of_findings(fails))
    }
}

/// The seats of a server. Few rules need the number, so a cluster that does not show it is not an error.
fn seats(
    seats: SeatsArg,
    cluster: Option<&ClusterArgs>,
    levels: &[PriorityLevelConfiguration],
    release: Release,
    streams: &mut Streams,
) -> Result<u32, Failure> {
    let offline = seats.offline();
    let Some(cluster) = cluster else {
        return Ok(offline.seats);
    };
    match seats.of_cluster(cluster, levels, release) {
        Ok(live) => Ok(live.seats),
        Err(failure) => {
            let assumed = offline.seats;
            writeln!(
                streams.err,
                "{failure}; assuming {assumed} seats (`--server-seats` sets the number)"
            )?;
            Ok(assumed)
        }
    }
}

fn place<'a>(finding: &'a Finding, objects: &Objects) -> Placed<'a> {
    let document = objects.document(finding.kind, &finding.name);
    let place =
        document.map(|document| (Arc::clone(&document.source), document.locate(&finding.path)));
    Placed { finding, place }
}

fn diagnose(placed: &Placed<'_>) -> Diagnostic {
    let Finding {
        rule,
        severity,
        kind,
        name,
        path,
        message,
        help,
        ..
    } = placed.finding;
    let diagnostic = Diagnostic::new(
        level(*severity),
        format!("{kind} \"{name}\", {path}: {message}"),
    )
    .id(*rule)
    .help(help.as_str());
    match &placed.place {
        Some((source, span)) => diagnostic.at(source, *span),
        None => diagnostic,
    }
}

fn level(severity: Severity) -> Level {
    match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        _ => Level::Note,
    }
}

fn report(release: Release, findings: &[Placed<'_>]) -> Value {
    let findings: Vec<_> = findings
        .iter()
        .map(|Placed { finding, place }| {
            let position = place
                .as_ref()
                .map(|(source, span)| source.position(span.start));
            json!({
                "rule": finding.rule,
                "severity": finding.severity.to_string(),
                "kind": finding.kind.as_str(),
                "name": finding.name,
                "path": finding.path,
                "message": finding.message,
                "help": finding.help,
                "source": place.as_ref().map(|(source, _)| source.name.as_str()),
                "line": position.map(|position| position.line),
                "column": position.map(|position| position.column),
            })
        })
        .collect();
    json!({"kubernetes": release.to_string(), "findings": findings})
}

fn write_log(release: Release, findings: &[Placed<'_>], out: &mut Stream) -> io::Result<()> {
    let rules: Vec<_> = rules()
        .iter()
        .map(|rule| SarifRule {
            id: rule.id(),
            summary: rule.summary(),
            level: Some(level(rule.severity())),
        })
        .collect();
    let result = |Placed { finding, place }: &'_ Placed<'_>| SarifResult {
        rule: finding.rule,
        level: level(finding.severity),
        message: format!("{}; {}", finding.message, finding.help),
        place: place
            .as_ref()
            .map(|(source, span)| (PathBuf::from(&source.name), source.position(span.start))),
        field: Some(format!(
            "{}/{}/{}",
            finding.kind, finding.name, finding.path
        )),
    };
    let results: Vec<_> = findings.iter().map(result).collect();
    let properties = json!({"kubernetes": release.to_string()});
    write_sarif(out, &rules, &results, properties)
}
