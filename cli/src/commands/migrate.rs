//! `migrate PATH…`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::migrate::{
    Candidates, Examined, Mend, Settings, Severity, Status, Summary, Writing, collect, diff,
    examine_all, json, write_all, write_log,
};
use crate::output::{Diagnostic, Level, Streams, write_report};
use clap::ValueEnum;
use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_text::Span;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// Bring manifests to another API version, keeping the files as they are written
///
/// Looks through files and folders for FlowSchemas and PriorityLevelConfigurations: in YAML, JSON, lists, Helm templates, kustomize patches and Argo CD
/// applications. Only apiVersion, renamed fields and version-bound annotations change; comments, order, quotes and
/// anchors stay. Without --write nothing is written: the changes are shown as a diff.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The API version to bring them to, newer or older
    #[arg(long, value_name = "VERSION", default_value = "v1")]
    to: ApiVersion,

    /// The release that is to read the files, such as 1.29; a version that it does not serve is refused
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<Release>,

    /// Show what would change (the default)
    #[arg(long, conflicts_with_all = ["write", "check"])]
    diff: bool,

    /// Change the files
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// Change nothing; end with exit code 1 when something is not in the wanted version
    #[arg(long)]
    check: bool,

    /// Keep the old files in this folder
    #[arg(long, value_name = "DIR", requires = "write")]
    backup: Option<PathBuf>,

    /// Which is right where a file has a field of another version, which a server ignores
    #[arg(long, value_name = "WHICH")]
    mend: Option<Mend>,

    /// Accept what is lost or comes to mean something else
    #[arg(long)]
    allow_loss: bool,

    /// How the outcome is printed; without it: a diff, or the names of the files
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<Format>,

    /// Show notes too, such as old versions in comments
    #[arg(short, long)]
    verbose: bool,
}

/// A form for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

const EXAMPLES: &str = "\
Examples:
  # What would change for v1?
  kubectl flowcontrol migrate manifests/

  # Change it, and keep the old files
  kubectl flowcontrol migrate manifests/ --write --backup old/

  # In CI: fail when something is outdated
  kubectl flowcontrol migrate . --check

  # Back to what Kubernetes 1.28 serves
  kubectl flowcontrol migrate manifests/ --to v1beta3 --kubernetes 1.28 --write

  # assuredConcurrencyShares under v1beta3 runs with 30 shares: keep that, or take what the file says
  kubectl flowcontrol migrate manifests/ --mend live";

pub(crate) fn run(args: &Args, streams: &mut Streams) -> Result<Exit, Failure> {
    check_release(args)?;
    let settings = Settings {
        to: args.to,
        release: args.kubernetes,
        mend: args.mend,
        allow_loss: args.allow_loss,
    };
    let Candidates { files, skipped } =
        collect(&args.paths, args.backup.as_deref()).map_err(|(path, error)| {
            Failure::input(format!("cannot read {}: {error}", path.display()))
        })?;
    let interrupt = Interrupt::listen();
    let total = files.len();
    let mut files = examine_all(files, settings, Progress::of("looked at", total));
    if args.write && !interrupt.came() {
        let writing = Writing {
            backup: args.backup.clone(),
            working_directory: working_directory()?,
        };
        files = write_all(
            files,
            &writing,
            interrupt.flag(),
            Progress::of("written", total),
        );
    }
    Progress::clear();
    let summary = Summary::of(&files);
    match args.output {
        Some(format) => match format {
            Format::Json => {
                write_report(&mut streams.out, json(&files, summary, settings))?;
            }
            Format::Sarif => write_log(&files, settings, &mut streams.out)?,
        },
        None => print(args, &files, streams)?,
    }
    for skipped in &skipped {
        if skipped.is_error || args.verbose {
            let message = format!("{}: {}", skipped.path.display(), skipped.why);
            let level = if skipped.is_error {
                Level::Error
            } else {
                Level::Note
            };
            write!(streams.err, "{}", Diagnostic::new(level, message).render())?;
        }
    }
    let passed = skipped.iter().filter(|skipped| !skipped.is_error).count();
    write!(streams.err, "{summary}")?;
    match passed {
        0 => {}
        1 => write!(streams.err, ", 1 link not followed")?,
        more => write!(streams.err, ", {more} links not followed")?,
    }
    if (summary.notes > 0 || passed > 0) && !args.verbose {
        write!(streams.err, " (--verbose shows notes)")?;
    }
    writeln!(streams.err)?;
    if interrupt.came() {
        let left = summary.outdated;
        let message = format!(
            "interrupted: {} files were changed as a whole, {left} were left",
            summary.changed
        );
        return Err(Failure::new(Exit::Interrupted, message));
    }
    Ok(exit(
        args,
        summary,
        skipped.iter().any(|skipped| skipped.is_error),
    ))
}

/// Refuses a version that the release does not serve.
fn check_release(args: &Args) -> Result<(), Failure> {
    let Some(release) = args.kubernetes else {
        return Ok(());
    };
    if args.to.is_served_by(release) {
        return Ok(());
    }
    let served: Vec<_> = release.served().map(ApiVersion::as_str).collect();
    let served = served.join(" and ");
    let message = format!("Kubernetes {release} does not serve {}", args.to);
    Err(Failure::usage(message).hint(format!(
        "it serves {served}: use --to {}",
        release.preferred()
    )))
}

fn working_directory() -> Result<PathBuf, Failure> {
    std::env::current_dir()
        .and_then(std::fs::canonicalize)
        .map_err(|error| Failure::input(format!("cannot tell the working directory: {error}")))
}

/// The data on the standard output, the findings on the standard error.
fn print(args: &Args, files: &[Examined], streams: &mut Streams) -> Result<(), Failure> {
    for file in files {
        let path = file.candidate.path.display();
        match file.status {
            Status::Changed => writeln!(streams.out, "{path}")?,
            Status::Outdated if args.check => writeln!(streams.out, "{path}")?,
            Status::Outdated if !args.write => write!(streams.out, "{}", diff(file))?,
            Status::Outdated | Status::Current | Status::Refused => {}
        }
        let findings = file.outcome.findings.iter();
        let mut findings = findings
            .filter(|finding| args.verbose || finding.severity > Severity::Note)
            .peekable();
        if findings.peek().is_none() {
            continue;
        }
        // What is found stands behind the diff that it belongs to.
        streams.out.flush()?;
        for finding in findings {
            let message = match &finding.path {
                Some(path) => format!("{path}: {}", finding.message),
                None => finding.message.clone(),
            };
            let mut diagnostic = Diagnostic::new(finding.severity.into(), message)
                .id(finding.rule.as_str())
                .at(&file.source, Span::new(finding.offset, finding.offset + 1));
            if let Some(help) = &finding.help {
                diagnostic = diagnostic.help(help.as_str());
            }
            write!(streams.err, "{}", diagnostic.render())?;
        }
    }
    Ok(())
}

fn exit(args: &Args, summary: Summary, has_unread: bool) -> Exit {
    let is_unreadable = has_unread || summary.errors > summary.losses;
    if args.check {
        return match summary.is_outdated() || has_unread {
            true => Exit::Findings,
            false => Exit::Success,
        };
    }
    if is_unreadable {
        Exit::Input
    } else if summary.losses > 0 {
        Exit::Loss
    } else if summary.manual > 0 {
        Exit::Findings
    } else {
        Exit::Success
    }
}

/// A line on the terminal that says how far a long run is.
struct Progress;

impl Progress {
    /// How many files make a run a long one.
    const LONG: usize = 500;

    fn of(what: &'static str, total: usize) -> impl FnMut(usize) {
        let is_shown = total >= Self::LONG && std::io::stderr().is_terminal();
        move |done| {
            if is_shown {
                // A terminal that does not take it is no reason to stop.
                let _ = write!(std::io::stderr(), "\r{done} of {total} files {what}");
            }
        }
    }

    fn clear() {
        if std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}
