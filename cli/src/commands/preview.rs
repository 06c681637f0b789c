//! `preview`: the changes between two releases.

use crate::audit_logs::{no_requests, read_logs};
use crate::cluster::{ClusterArgs, SeatsArg};
use crate::command::{BOTH, Command, Declared, Group, METRICS, Needs, RELEASE, SERVED, on};
use crate::documents::{FileArgs, read};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::{Comment, CommentArg, Streams, plural, write_report};
use crate::stored_objects::{MetricsFile, stored_objects};
use clap::ValueEnum;
use k8s_flowcontrol::meta::ObjectMeta;
use k8s_flowcontrol::{Kind, Release, Resource};
use k8s_flowcontrol_analysis::preview::{Change, Preview, Requests};
use k8s_flowcontrol_analysis::upgrade::Plan;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;

/// Show the changes of a release: served versions, validation, built-in objects, seats, metrics and behaviour
///
/// Compares two releases: for objects of files or of a cluster the server's verdict and the seats of each level, for Prometheus rules
/// and dashboards the metrics that they name, for audit logs the seats of requests and the clients that may not read compressed
/// watches. Each change has its source.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The release after the upgrade; defaults to the newest known release
    #[arg(value_name = "RELEASE")]
    release: Option<Release>,

    /// Files and folders with objects, as with `-f`
    #[arg(value_name = "FILE", conflicts_with = "files")]
    paths: Vec<PathBuf>,

    /// The release after the upgrade, as RELEASE
    #[arg(long, value_name = "RELEASE", conflicts_with = "release")]
    to_release: Option<Release>,

    #[command(flatten)]
    files: FileArgs,

    /// The release before the upgrade; with --live, defaults to the release of the cluster
    #[arg(long, value_name = "RELEASE", alias = "from")]
    from_release: Option<Release>,

    /// A file with Prometheus rules, a dashboard or any other text that names metrics; can be repeated
    #[arg(long, value_name = "FILE")]
    monitoring: Vec<PathBuf>,

    /// An audit log, for the seats of its requests and the user agents of its watches; can be repeated
    #[arg(long, value_name = "LOG", num_args = 1..)]
    audit_log: Vec<PathBuf>,

    /// A file with the metrics of a server (`kubectl get --raw /metrics`), for the number and size of stored objects, on which the seats
    /// of lists depend
    #[arg(long, value_name = "FILE", requires = "audit_log")]
    metrics: Option<PathBuf>,

    /// Use the objects of a cluster; naming one, as with `--context`, does the same
    #[arg(long)]
    live: bool,

    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    seats: SeatsArg,

    #[command(flatten)]
    comment: CommentArg,

    /// The output format
    #[arg(short, long, value_name = "FORMAT", default_value = "text")]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  # The changes for the manifests of a repository
  kubectl flowcontrol preview 1.37 --from-release 1.31 manifests/

  # The changes for a cluster, and for the alerts about it
  kubectl flowcontrol preview 1.37 --live --monitoring alerts.yaml

  # The changes for the clients of a cluster
  kubectl flowcontrol preview 1.37 --live --audit-log audit.log";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Output {
    /// The changes of each area, with the places that they are known from
    Text,
    /// {"schemaVersion": 1, "from", "to", "changes": [{"area", "subject", "summary", "source"}]}
    Json,
}

inventory::submit!(Declared::of::<Args>());

impl Command for Args {
    const NAME: &'static str = "preview";
    const GROUP: Group = Group::Migrate;
    const PLACE: u8 = 3;
    const NEEDS: Needs = Needs::new(&[SERVED, RELEASE, METRICS], &[on(BOTH, &["list"])]);

    fn comment(&self) -> Option<Comment> {
        self.comment.of("Changes of the release", "text")
    }

    fn run(&self, streams: &mut Streams) -> Result<Exit, Failure> {
        let to = self.release.or(self.to_release).unwrap_or_default();
        let files = match self.paths.is_empty() {
            true => self.files.clone(),
            false => FileArgs::of(&self.paths),
        };
        let is_live = self.live || self.cluster.is_named();
        if is_live && !files.is_empty() {
            return Err(
                Failure::usage("files and a cluster exclude each other").hint(
                    "remove the files, or `--live` and the flags that name a cluster or a user",
                ),
            );
        }
        let mut objects = match is_live {
            true => Objects::live(&self.cluster, self.from_release)?,
            false => Objects::default(),
        };
        let from = self.from_release.or(objects.live).ok_or_else(|| {
            Failure::usage("the release before the upgrade is missing")
                .hint("name it with `--from-release`, such as `--from-release 1.31`")
        })?;
        if from > to {
            return Err(Failure::usage(format!("{} is older than {from}", to))
                .hint("`--to-release` is the newer release, and `--from-release` the older one"));
        }
        if !files.is_empty() {
            objects = Objects::read(&files, from, streams)?;
        }
        let mut preview = Preview::new(Plan::new(from, to));
        let mut seats = self.seats.offline().seats;
        if is_live {
            add_live(&mut preview, &objects)?;
            seats = self
                .seats
                .of_cluster(&self.cluster, &objects.levels, from)?
                .seats;
            preview.add_levels(&objects.levels, seats);
        } else if !files.is_empty() {
            for document in &objects.documents {
                let object = document.object(from)?;
                let title = format!("{}: {}", document.source.name, document.title());
                preview.add_object(&title, object.kind, object.version, &object.tree);
            }
            objects.add_bootstrap(from);
            preview.add_levels(&objects.levels, seats);
        }
        if !self.audit_log.is_empty() {
            if !is_live {
                objects.add_bootstrap(from);
            }
            self.add_requests(&mut preview, &objects, seats, is_live, streams)?;
        }
        for path in &self.monitoring {
            let source = read(path, true)?;
            preview.add_text(&source.name, &String::from_utf8_lossy(&source.text));
        }
        match self.output {
            Output::Text => text(&preview, streams)?,
            Output::Json => write_report(&mut streams.out, report(&preview))?,
        }
        streams.out.flush()?;
        streams.fact("from", from);
        streams.fact("to", to);
        streams.fact("changes", preview.changes().len());
        let count = plural(preview.changes().len(), "change");
        writeln!(streams.err, "{count} from {from} to {}", to)?;
        Ok(Exit::Success)
    }
}

impl Args {
    /// Adds the requests of the audit logs.
    fn add_requests(
        &self,
        preview: &mut Preview,
        objects: &Objects,
        seats: u32,
        is_live: bool,
        streams: &mut Streams,
    ) -> Result<(), Failure> {
        let cluster = is_live.then_some(&self.cluster);
        let stored = stored_objects(
            MetricsFile::read(self.metrics.as_deref())?.as_ref(),
            cluster,
        )?;
        let (schemas, levels) = (&objects.flow_schemas, &objects.levels);
        let mut requests = Requests::new(preview.plan(), schemas, levels, seats, stored);
        let counts = read_logs(&self.audit_log, streams, |event, _, _| {
            requests.add(event);
            Ok(())
        })?;
        if counts.requests == 0 {
            return Err(no_requests());
        }
        preview.add_requests(&requests);
        Ok(())
    }
}

/// Prints the changes by area. The heading names a source that all changes of an area have.
fn text(preview: &Preview, streams: &mut Streams) -> Result<(), Failure> {
    let out = &mut streams.out;
    let mut changes: Vec<_> = preview.changes().iter().collect();
    changes.sort_by_key(|change| change.area);
    let areas = changes.chunk_by(|one, next| one.area == next.area);
    for (number, changes) in areas.enumerate() {
        let [first, others @ ..] = changes else {
            continue;
        };
        if number > 0 {
            writeln!(out)?;
        }
        let is_common = others.iter().all(|other| other.source == first.source);
        match is_common {
            true => out.paragraph(&format!("{} ({}):", first.area, first.source))?,
            false => out.paragraph(&format!("{}:", first.area))?,
        }
        for change in changes {
            let text = change.to_string();
            let text = text.trim_end_matches('.');
            match is_common {
                true => out.entry(text)?,
                false => out.entry(&format!("{text} ({})", change.source))?,
            }
        }
    }
    Ok(())
}

/// The objects of a cluster, in v1: a server converts them to any version that it serves.
fn add_live(preview: &mut Preview, objects: &Objects) -> Result<(), Failure> {
    let broken = |error: serde_json::Error| Failure::input(error.to_string());
    for schema in &objects.flow_schemas {
        let (title, kind) = (
            format!("FlowSchema \"{}\"", schema.name()),
            Kind::FlowSchema,
        );
        let tree = serde_json::to_value(schema).map_err(broken)?;
        preview.add_stored_object(&title, kind, &tree);
        add_managers(preview, &schema.metadata);
    }
    for level in &objects.levels {
        let kind = Kind::PriorityLevelConfiguration;
        let title = format!("{kind} \"{}\"", level.name());
        let tree = serde_json::to_value(level).map_err(broken)?;
        preview.add_stored_object(&title, kind, &tree);
        add_managers(preview, &level.metadata);
    }
    Ok(())
}

fn add_managers(preview: &mut Preview, metadata: &ObjectMeta) {
    // Managed fields of another form do not name a manager.
    for entry in metadata.managed_fields.entries().unwrap_or_default() {
        preview.add_managers(entry.manager.as_deref());
    }
}

fn report(preview: &Preview) -> Value {
    let changes = preview.changes().iter().map(json_change);
    json!({
        "from": preview.plan().from.to_string(),
        "to": preview.plan().to.to_string(),
        "changes": changes.collect::<Vec<_>>(),
    })
}

/// A change in reports.
pub(crate) fn json_change(change: &Change) -> Value {
    json!({
        "area": change.area.to_string(),
        "subject": change.subject,
        "summary": change.summary,
        "source": change.source,
    })
}
