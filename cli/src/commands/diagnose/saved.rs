//! Evidence in files: the objects of a cluster, and the metrics and debug dumps of an API server.

use super::gather::{Gathered, of_problems};
use super::{Args, Read};
use crate::documents::{FileArgs, read};
use crate::failure::Failure;
use crate::input::name;
use crate::objects::Objects;
use crate::output::Streams;
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol_analysis::diagnosis::{Gap, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::AnyDump;
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, StoredObjects};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The name of the server, whose address no file has.
const SERVER: &str = "the server";

/// The options for evidence in files.
#[derive(Debug, clap::Args)]
pub(super) struct SavedArgs {
    #[command(flatten)]
    files: FileArgs,

    /// A file with the metrics of one API server (`kubectl get --raw /metrics`)
    #[arg(long, value_name = "FILE", requires = "files")]
    metrics: Option<PathBuf>,

    /// A file with the metrics of the same server, `--interval` seconds earlier
    #[arg(long, value_name = "FILE", requires_all = ["metrics", "interval"])]
    metrics_before: Option<PathBuf>,

    /// Files with debug dumps of the same server: dump_priority_levels, dump_queues, dump_requests
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "files")]
    dump: Vec<PathBuf>,
}

impl SavedArgs {
    /// Whether the evidence is in files.
    pub(super) fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

    /// Reads the evidence. The release is the given one, or that of the metrics, or the newest.
    pub(super) fn read(&self, args: &Args, streams: &mut Streams) -> Result<Read, Failure> {
        if self.metrics.is_none() && self.dump.is_empty() && args.audit_log.is_empty() {
            return Err(Failure::usage("nothing shows the load of the server").hint(
                "give `--metrics`, `--dump` or `--audit-log`; `lint` checks the objects alone",
            ));
        }
        if args.interval.is_some() && self.metrics_before.is_none() {
            return Err(
                Failure::usage("`--interval` with files needs `--metrics-before`").hint(
                    "without earlier metrics, the counters are totals since the server started",
                ),
            );
        }
        let mut server = ServerEvidence::new(SERVER);
        server.dumps_are_apart = true;
        let mut stored = StoredObjects::default();
        let mut gaps = Vec::new();
        match &self.metrics {
            Some(file) => {
                let after = metrics(file)?;
                server.set_metrics(&after);
                stored = StoredObjects::parse(&after);
                if let Some(before) = &self.metrics_before {
                    let seconds = Duration::from_secs(args.interval.unwrap_or_default());
                    earlier(&mut server, before, (file, &after), seconds)?;
                }
            }
            None => gaps.push(Gap::new("the metrics", "no file was given")),
        }
        for file in &self.dump {
            gaps.extend(dump(&mut server, file)?);
        }
        let dumps = [
            ("dump_priority_levels", server.priority_levels.is_some()),
            ("dump_queues", server.queues.is_some()),
            ("dump_requests", server.requests.is_some()),
        ];
        let missing = dumps.into_iter().filter(|(_, is_given)| !is_given);
        gaps.extend(missing.map(|(name, _)| Gap::new(name, "no file was given")));
        gaps.push(Gap::new("other API servers", "the files are of one server"));

        let release = args.kubernetes.release_or(server.process.release);
        if args.kubernetes.given().or(server.process.release).is_none() {
            let why = format!(
                "its metrics do not have it (kubernetes_build_info); `--kubernetes` names another than {release}"
            );
            gaps.push(Gap::new("the release of the server", why));
        }
        let mut objects = Objects::read(&self.files, release, streams)?;
        objects.add_bootstrap(release);
        objects.live = Some(release);
        args.check_level(&objects)?;
        Ok(Read {
            objects,
            gathered: Gathered {
                servers: vec![server],
                is_forbidden: false,
                reached_by: vec!["files"],
                gaps,
            },
            own: None,
            stored,
        })
    }
}

/// Adds the earlier metrics.
fn earlier(
    server: &mut ServerEvidence,
    before: &Path,
    (after, after_text): (&Path, &str),
    interval: Duration,
) -> Result<(), Failure> {
    let (before_name, after_name) = (name(before), name(after));
    if interval.is_zero() {
        return Err(
            Failure::usage("`--interval 0` and `--metrics-before` exclude each other")
                .hint("give the seconds between the two files"),
        );
    }
    const HINT: &str = "read both files from one API server, the file for `--metrics-before` first, or leave it out";
    let wrong = |problem: &dyn Display| {
        Failure::input(format!("{before_name} and {after_name}: {problem}")).hint(HINT)
    };
    let text = metrics(before)?;
    // A server counts the request for its metrics, too.
    if text == after_text {
        return Err(wrong(&"both are the same sample"));
    }
    server
        .set_earlier_metrics(&text, interval)
        .map_err(|error| wrong(&error))
}

/// Adds a dump, and returns what of it cannot be read.
fn dump(server: &mut ServerEvidence, file: &Path) -> Result<Option<Gap>, Failure> {
    let name = file.display();
    let dump =
        AnyDump::parse(&text(file)?).map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let is_second = match &dump {
        AnyDump::PriorityLevels(_) => server.priority_levels.is_some(),
        AnyDump::Queues(_) => server.queues.is_some(),
        _ => server.requests.is_some(),
    };
    if is_second {
        let message = format!("{name} is a second {}", dump.name());
        return Err(Failure::input(message).hint("give the dumps of one server at one time"));
    }
    let gap = of_problems(&dump, dump.name());
    server.set_dump(dump);
    Ok(gap)
}

/// The text of a file with metrics of flow control.
fn metrics(file: &Path) -> Result<String, Failure> {
    let MetricsFile { name, text } = MetricsFile::read_file(file)?;
    match FlowMetrics::parse(&text).is_empty() {
        false => Ok(text),
        true => {
            let message = format!("{name} lacks the metrics of priority levels");
            Err(Failure::input(message).hint("save them with `kubectl get --raw /metrics`"))
        }
    }
}

fn text(file: &Path) -> Result<String, Failure> {
    let source = read(file, true)?;
    Ok(String::from_utf8_lossy(&source.text).into_owned())
}
