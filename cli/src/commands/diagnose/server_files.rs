//! The files of each API server: its metrics and debug dumps.

use super::gather::of_problems;
use crate::documents::read;
use crate::failure::Failure;
use crate::input::name;
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol_analysis::diagnosis::{Gap, ServerEvidence};
use k8s_flowcontrol_analysis::dumps::AnyDump;
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, StoredObjects};
use k8s_flowcontrol_analysis::redact::Redactor;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::{Path, PathBuf, absolute};
use std::time::Duration;

/// The name of a single server, whose address no file has.
const SERVER: &str = "the server";

/// The files of one API server.
#[derive(Default)]
pub(super) struct ServerFiles {
    /// None if the files are of one server, wherever they are.
    folder: Option<PathBuf>,
    metrics: Option<PathBuf>,
    before: Option<PathBuf>,
    dumps: Vec<AnyDump>,
}

impl ServerFiles {
    /// Reads the dumps, and finds the files of each server. Files of one server may be anywhere; files of several servers, of which one kind is
    /// given twice, are in one folder for each server.
    pub(super) fn of_each(
        metrics: &[PathBuf],
        before: &[PathBuf],
        dumps: &[PathBuf],
    ) -> Result<Vec<Self>, Failure> {
        let dumps: Vec<_> = dumps
            .iter()
            .map(|file| dump(file))
            .collect::<Result<_, _>>()?;
        let names: BTreeSet<_> = dumps.iter().map(|(_, dump)| dump.name()).collect();
        let is_one = names.len() == dumps.len() && metrics.len() <= 1 && before.len() <= 1;
        let mut servers = Vec::new();
        for file in metrics {
            let own = &mut of_folder(&mut servers, file, is_one).metrics;
            set(own, file, "file with metrics")?;
        }
        for file in before {
            let own = &mut of_folder(&mut servers, file, is_one).before;
            set(own, file, "file with earlier metrics")?;
        }
        for (file, dump) in dumps {
            let own = &mut of_folder(&mut servers, &file, is_one).dumps;
            if own.iter().any(|known| known.name() == dump.name()) {
                return Err(second(&file, dump.name()));
            }
            own.push(dump);
        }
        if servers.is_empty() {
            servers.push(Self::default());
        }
        Ok(servers)
    }

    /// The evidence of the server, its stored objects, and what is missing.
    pub(super) fn read(
        self,
        interval: Duration,
        redactor: &Redactor,
    ) -> Result<(ServerEvidence, StoredObjects, Vec<Gap>), Failure> {
        let (own_name, of_name) = match &self.folder {
            None => (SERVER.to_owned(), String::new()),
            Some(folder) => {
                let name = redactor.server(&folder.to_string_lossy());
                let of_name = format!(" of {name}");
                (name, of_name)
            }
        };
        let mut server = ServerEvidence::new(own_name);
        server.dumps_are_apart = true;
        let mut stored = StoredObjects::default();
        let mut gaps = Vec::new();
        let missing = |what: &str| Gap::new(format!("{what}{of_name}"), "no file was given");
        match (&self.metrics, &self.before) {
            (Some(file), before) => {
                let after = metrics(file)?;
                server.set_metrics(&after);
                stored = StoredObjects::parse(&after);
                if let Some(before) = before {
                    earlier(&mut server, before, (file, &after), interval)?;
                }
            }
            (None, Some(before)) => {
                let message = format!(
                    "{}: the later metrics of its server are missing",
                    name(before)
                );
                return Err(
                    Failure::input(message).hint("give a file in its folder with `--metrics`")
                );
            }
            (None, None) => gaps.push(missing("the metrics")),
        }
        for dump in self.dumps {
            let what = format!("{}{of_name}", dump.name());
            gaps.extend(of_problems(&dump, &what));
            server.set_dump(dump);
        }
        let dumps = [
            ("dump_priority_levels", server.priority_levels.is_some()),
            ("dump_queues", server.queues.is_some()),
            ("dump_requests", server.requests.is_some()),
        ];
        let lacking = dumps.into_iter().filter(|(_, is_given)| !is_given);
        gaps.extend(lacking.map(|(dump, _)| missing(dump)));
        Ok((server, stored, gaps))
    }
}

/// The files of the server of this file.
fn of_folder<'a>(
    servers: &'a mut Vec<ServerFiles>,
    file: &Path,
    is_one: bool,
) -> &'a mut ServerFiles {
    let folder = file.parent().filter(|_| !is_one);
    let folder = folder.map(|folder| match folder.as_os_str().is_empty() {
        true => Path::new("."),
        false => folder,
    });
    // `a` and `./a` are the same.
    let whole = |folder: &Path| absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let known = servers
        .iter()
        .position(|files| files.folder.as_deref().map(whole) == folder.map(whole));
    let index = known.unwrap_or(servers.len());
    if known.is_none() {
        servers.push(ServerFiles {
            folder: folder.map(Path::to_owned),
            ..ServerFiles::default()
        });
    }
    &mut servers[index]
}

fn set(own: &mut Option<PathBuf>, file: &Path, what: &str) -> Result<(), Failure> {
    match own.replace(file.to_owned()) {
        None => Ok(()),
        Some(_) => Err(second(file, what)),
    }
}

fn second(file: &Path, what: &str) -> Failure {
    let message = format!("{} is a second {what}", name(file));
    Failure::input(message).hint(
        "give the files of one server at one time, or the files of several servers in a folder for each server",
    )
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

fn dump(file: &Path) -> Result<(PathBuf, AnyDump), Failure> {
    let text = read(file, true)?.text;
    let dump = AnyDump::parse(&String::from_utf8_lossy(&text))
        .map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
    Ok((file.to_owned(), dump))
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
