//! `lint`: what a server accepts and a person regrets.

mod sarif;

use crate::args::KubernetesArg;
use crate::cluster::ClusterArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{FileArgs, Objects};
use crate::output::{Diagnostic, Level, Streams, plural};
use clap::ValueEnum;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::lint::{Configuration, Finding, Severity, lint, rules};
use k8s_flowcontrol_text::Position;
use serde_json::{Value, json};
use std::io::Write;

/// Find what a server accepts and a person regrets
///
/// Looks for flow schemas that never match, levels that starve or that nobody uses, rules that do not cover what they
/// seem to, edits that the server takes back, and more; `--rules` lists it. Objects of files are taken to come to what
/// every server has by itself. What a server refuses is for `validate` to tell.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FileArgs,

    /// Look at the objects of a cluster
    #[arg(long, conflicts_with = "files")]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    /// The server's seats: --max-requests-inflight plus --max-mutating-requests-inflight
    #[arg(long, value_name = "SEATS", default_value_t = 600)]
    server_seats: u32,

    /// The least severity that counts as a failure
    #[arg(long, value_name = "SEVERITY", default_value = "warning")]
    fail_on: FailOn,

    /// List the rules instead
    #[arg(long)]
    rules: bool,

    /// How to print
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
  kubectl flowcontrol lint --live --context production

Exit code 1 when there is a finding of the severity of `--fail-on` or above.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// For people: each finding with the line that it is about
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

/// A finding, and the object's text if it has one.
struct Placed<'a> {
    finding: &'a Finding,
    place: Option<Place>,
}

struct Place {
    source: std::sync::Arc<crate::input::Source>,
    span: k8s_flowcontrol_text::Span,
    position: Position,
}

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    if args.rules {
        for rule in rules() {
            writeln!(
                streams.out,
                "{} ({}): {}",
                rule.id(),
                rule.severity(),
                rule.summary()
            )?;
        }
        return Ok(Exit::Success);
    }
    let objects = match args.live {
        true => Objects::live(&args.cluster)?,
        false => Objects::read(&args.files, args.kubernetes.release(), streams)?,
    };
    let release = args.kubernetes.release_or(objects.live);
    let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
    let configuration = match args.live {
        true => Configuration::cluster(schemas, levels, release),
        false => Configuration::files(schemas, levels, release),
    };
    let findings = lint(&configuration.concurrency_limit(args.server_seats));
    let placed: Vec<_> = findings
        .iter()
        .map(|finding| place(finding, &objects))
        .collect();
    match args.output {
        Output::Table => {
            for placed in &placed {
                write!(streams.out, "{}", diagnose(placed).render())?;
            }
        }
        Output::Json => writeln!(streams.out, "{:#}", document(release, &placed))?,
        Output::Sarif => writeln!(streams.out, "{:#}", sarif::log(&placed))?,
    }
    streams.out.flush()?;
    let count = |severity| {
        findings
            .iter()
            .filter(|finding| finding.severity == severity)
            .count()
    };
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
        .any(|finding| args.fail_on.counts(finding.severity));
    Ok(match fails {
        true => Exit::Findings,
        false => Exit::Success,
    })
}

fn place<'a>(finding: &'a Finding, objects: &Objects) -> Placed<'a> {
    let place = objects
        .document(finding.kind.as_str(), &finding.name)
        .map(|document| {
            let span = document.locate(&finding.path);
            Place {
                source: std::sync::Arc::clone(&document.source),
                span,
                position: Position::of(&document.source.text, span.start),
            }
        });
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
    let level = match severity {
        Severity::Error => Level::Error,
        Severity::Warning => Level::Warning,
        _ => Level::Note,
    };
    let diagnostic = Diagnostic::new(level, format!("{kind} \"{name}\", {path}: {message}"))
        .id(*rule)
        .help(help.as_str());
    match &placed.place {
        Some(place) => diagnostic.at(&place.source, place.span),
        None => diagnostic,
    }
}

fn document(release: Release, findings: &[Placed<'_>]) -> Value {
    let findings: Vec<_> = findings
        .iter()
        .map(|Placed { finding, place }| {
            json!({
                "rule": finding.rule,
                "severity": finding.severity.to_string(),
                "kind": finding.kind.as_str(),
                "name": finding.name,
                "path": finding.path,
                "message": finding.message,
                "help": finding.help,
                "source": place.as_ref().map(|place| place.source.name.as_str()),
                "line": place.as_ref().map(|place| place.position.line),
                "column": place.as_ref().map(|place| place.position.column),
            })
        })
        .collect();
    json!({
        "schemaVersion": 1,
        "kubernetes": release.to_string(),
        "findings": findings,
    })
}
