//! `migrate`: bringing manifests to another API version in place.

mod backup;

use crate::command::{Command, Declared, Group, LOSS};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::served_version;
use crate::migrate::{
    Groups, Helm, SelectionArgs, Summary, json, render_charts, skipped_files, write_details,
    write_file_diff, write_log, write_patch, write_single, write_skipped,
};
use crate::output::{Streams, clear_progress, show_progress, write_report};
use crate::signals::Interrupt;
use backup::working_directory;
use clap::ValueEnum;
use k8s_flowcontrol::{ApiVersion, Release};
use k8s_flowcontrol_manifests::files::{
    Candidates, Examined, SkipReason, Status, collect, examine_all, keep_dirty, write_all,
};
use k8s_flowcontrol_manifests::{
    self as manifests, Finding, ForeignFieldPolicy, Rule, Settings, Severity,
};
use std::io::Write;
use std::path::PathBuf;

/// The modes in which nothing is written. clap drops a requirement that conflicts with one of them.
const WRITE_NOTHING: [&str; 3] = ["diff", "patch", "check"];

/// The number of files from which progress is shown.
const MANY_FILES: usize = 500;

/// Migrate manifests in place to another API version, keeping comments and layout
///
/// Finds FlowSchemas and PriorityLevelConfigurations in files and folders: in YAML, JSON, lists, Helm templates, kustomize
/// patches and Argo CD applications. Only apiVersion, renamed fields and version-bound annotations change. Comments, order,
/// quotes and anchors stay. Without --write the changes are shown as a diff and nothing is written.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files and folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// The API version to migrate to, newer or older
    #[arg(long, alias = "to", value_name = "VERSION", default_value = "v1")]
    to_version: ApiVersion,

    /// The Kubernetes release that will read the files, such as 1.29; it must serve the version
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<Release>,

    /// Show the changes without writing them (the default)
    #[arg(long, alias = "dry-run", conflicts_with_all = ["write", "check"])]
    diff: bool,

    /// Show the changes as a patch for `git apply`, relative to the working directory
    #[arg(long, conflicts_with_all = ["write", "check", "diff", "output"])]
    patch: bool,

    /// Write the changes to the files
    #[arg(long, conflicts_with = "check")]
    write: bool,

    /// Also write files with changes that are not committed to git
    #[arg(long, requires = "write", conflicts_with_all = WRITE_NOTHING)]
    allow_dirty: bool,

    /// Write nothing, and list the files that are not up to date; exit code 1 if there are any
    #[arg(long)]
    check: bool,

    #[command(flatten)]
    selection: SelectionArgs,

    /// Save the old files in this folder
    #[arg(long, value_name = "PATH", requires = "write", conflicts_with_all = WRITE_NOTHING)]
    backup: Option<PathBuf>,

    /// Resolve fields of another version, which servers ignore
    #[arg(long, value_name = "WHICH")]
    foreign_fields: Option<ForeignFields>,

    /// Accept losses and changes of meaning
    #[arg(long)]
    allow_loss: bool,

    /// Also rename the metrics that Kubernetes 1.37 removed, in rules, dashboards and queries
    #[arg(long)]
    rename_metrics: bool,

    /// Also migrate the manifests in documentation: in the code blocks of Markdown, AsciiDoc, reStructuredText and Org
    #[arg(long)]
    docs: bool,

    /// Render the charts with `helm template` before and after the migration, and check the results
    #[arg(long)]
    render: bool,

    /// A file with values for --render; can be repeated
    #[arg(long, value_name = "FILE", requires = "render")]
    values: Vec<PathBuf>,

    /// The output format; defaults to a diff, or to file names with --write and --check
    #[arg(short, long, value_name = "FORMAT")]
    output: Option<Format>,

    /// Show every finding with its line and advice, and also notes, such as old versions in comments
    #[arg(short, long)]
    verbose: bool,
}

/// The meaning to keep for a field that a server ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ForeignFields {
    /// Write the values that servers use now
    Live,
    /// Write the values that the file intends
    File,
}

impl From<ForeignFields> for ForeignFieldPolicy {
    fn from(which: ForeignFields) -> Self {
        match which {
            ForeignFields::Live => Self::Live,
            ForeignFields::File => Self::File,
        }
    }
}

/// An output format for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

const EXAMPLES: &str = "\
Examples:
  # Show the changes for v1
  kubectl flowcontrol migrate manifests/

  # Write the changes, and save the old files
  kubectl flowcontrol migrate manifests/ --write --backup old/

  # In CI: fail if a manifest is outdated
  kubectl flowcontrol migrate . --check

  # Only the files that no glob excludes; a comment `# flowcontrol: keep` keeps a single object
  kubectl flowcontrol migrate . --exclude 'tests/**' --exclude '*.golden.yaml'

  # A patch for review
  kubectl flowcontrol migrate manifests/ --patch > v1.patch && git apply v1.patch

  # Render the charts with Helm, and check the result
  kubectl flowcontrol migrate charts/ --render --check

  # Go back to a version that Kubernetes 1.28 serves
  kubectl flowcontrol migrate manifests/ --to-version v1beta3 --kubernetes 1.28 --write

  # Servers ignore assuredConcurrencyShares in v1beta3: keep the 30 shares that they use
  kubectl flowcontrol migrate manifests/ --foreign-fields live";

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "migrate";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 1;
    const EXITS: &'static [(Exit, &'static str)] = &[
        (
            Exit::Findings,
            "a file is outdated (with --check), or a place is to be changed by hand",
        ),
        LOSS,
    ];

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        if let Some(release) = self.kubernetes {
            served_version(Some(self.to_version), release)?;
        }
        backup::check_folder(&self.paths, self.backup.as_deref())?;
        let settings = Settings {
            to: self.to_version,
            release: self.kubernetes,
            foreign_fields: self.foreign_fields.map(ForeignFieldPolicy::from),
            allow_loss: self.allow_loss,
            metrics: match self.rename_metrics {
                true => manifests::Metrics::Rename,
                false => manifests::Metrics::Note,
            },
        };
        let selection = self.selection.selection()?;
        let backup_folder = self.backup.as_deref();
        let helm = helm(self)?;
        let found = collect(&self.paths, backup_folder, &selection).map_err(|error| {
            let failure = Failure::input(format!("{error}: {}", error.error));
            match error.path.as_os_str() == "-" {
                true => failure.hint("`kubectl flowcontrol convert -f -` reads the standard input"),
                false => failure,
            }
        })?;
        let Candidates {
            files, mut skipped, ..
        } = found;
        let interrupt = Interrupt::listen();
        let total = files.len();
        let mut files = examine_all(files, settings, self.docs, progress("checked", total));
        if let Some(helm) = &helm {
            render_charts(&mut files, helm, settings);
        }
        if self.write && !self.allow_dirty {
            keep_dirty(&mut files);
        }
        if self.write && !interrupt.came() {
            let backups = backup::backups(backup_folder, &files)?;
            files = write_all(
                files,
                backups.as_ref(),
                &interrupt.flag,
                progress("written", total),
            );
        }
        clear_progress();
        skipped.extend(skipped_files(&files));
        let summary = Summary::of(&files);
        match self.output {
            Some(format) => match format {
                Format::Json => {
                    write_report(
                        &mut streams.out,
                        json(&files, &skipped, summary, self.verbose, settings),
                    )?;
                }
                Format::Sarif => write_log(&files, settings, &mut streams.out)?,
            },
            None => print(self, &files, streams)?,
        }
        write_skipped(&skipped, self.verbose, &mut streams.err)?;
        write!(streams.err, "{summary}")?;
        if summary.notes > 0 && !self.verbose {
            write!(streams.err, " (--verbose shows notes)")?;
        }
        writeln!(streams.err)?;
        if interrupt.came() {
            let left = summary.outdated;
            let message = format!(
                "interrupted: {} files are changed, {left} are not; no file is changed in part",
                summary.changed
            );
            return Err(Failure::new(Exit::Interrupted, message));
        }
        Ok(exit(
            self,
            summary,
            skipped.iter().any(|skipped| skipped.is_error),
        ))
    }
}

/// Shows the number of files so far, if they are many.
fn progress(what: &'static str, total: usize) -> impl FnMut(usize) {
    move |done| {
        if total >= MANY_FILES {
            show_progress(format_args!("{done} of {total} files {what}"));
        }
    }
}

/// The program `helm`, for `--render`.
fn helm(args: &Args) -> Result<Option<Helm>, Failure> {
    if !args.render {
        return Ok(None);
    }
    let helm = Helm::find(args.to_version, args.kubernetes, &args.values);
    let missing = || {
        Failure::input("--render needs the program helm, which is not in the PATH").hint(
            "install Helm, or check the result of `helm template CHART > FILE` from another machine: \
             `kubectl flowcontrol migrate FILE --check`",
        )
    };
    helm.ok_or_else(missing).map(Some)
}

/// Prints the changes to the standard output and the findings to the standard error.
fn print(args: &Args, files: &[Examined], streams: &mut Streams) -> Result<(), Failure> {
    let here = working_directory()?;
    let is_listed = |file: &Examined, finding: &Finding| {
        let is_important = finding.severity > Severity::Note || finding.rule == Rule::Loss;
        args.verbose || file.skipped == Some(SkipReason::TooLong) || is_important
    };
    let groups = match args.verbose {
        true => Groups::default(),
        false => Groups::of(files, is_listed),
    };
    for file in files {
        let path = file.candidate.path.display();
        match file.status {
            Status::Changed => writeln!(streams.out, "{path}")?,
            Status::Outdated | Status::Manual | Status::Refused if args.check => {
                writeln!(streams.out, "{path}")?;
            }
            Status::Outdated if args.patch => write_patch(file, &here, &mut streams.out)?,
            Status::Outdated if !args.write => write_file_diff(file, &mut streams.out)?,
            Status::Outdated | Status::Manual | Status::Current | Status::Refused => {}
        }
        let findings = file.outcome.findings.iter();
        let findings: Vec<_> = findings
            .filter(|finding| is_listed(file, finding))
            .collect();
        if findings.is_empty() {
            continue;
        }
        // Findings follow the diff of their file.
        streams.out.flush()?;
        match args.verbose {
            true => write_details(&file.source, &findings, &mut streams.err)?,
            false => write_single(file, &findings, &mut streams.err)?,
        }
    }
    groups.write(&mut streams.err)?;
    Ok(())
}

fn exit(args: &Args, summary: Summary, has_unread: bool) -> Exit {
    if has_unread || summary.errors > summary.losses {
        Exit::Input
    } else if summary.losses > 0 {
        Exit::Loss
    } else if summary.manual > 0 || args.check && summary.is_outdated() {
        Exit::Findings
    } else {
        Exit::Success
    }
}
