//! Evidence in files: the objects of a cluster, and the metrics and debug dumps of its API servers.

use super::gather::Gathered;
use super::server_files::ServerFiles;
use super::{Args, Read};
use crate::documents::FileArgs;
use crate::failure::Failure;
use crate::objects::Objects;
use crate::output::Streams;
use k8s_flowcontrol_analysis::diagnosis::Gap;
use k8s_flowcontrol_analysis::metrics::StoredObjects;
use k8s_flowcontrol_analysis::redact::Redactor;
use std::path::PathBuf;
use std::time::Duration;

/// The options for evidence in files.
#[derive(Debug, clap::Args)]
pub(super) struct SavedArgs {
    #[command(flatten)]
    files: FileArgs,

    /// A file with the metrics of an API server (`kubectl get --raw /metrics`). The files of several servers are in one folder for each server
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "files")]
    metrics: Vec<PathBuf>,

    /// A file with the metrics of the same server, `--interval` seconds earlier
    #[arg(long, value_name = "FILE", num_args = 1.., requires_all = ["metrics", "interval"])]
    metrics_before: Vec<PathBuf>,

    /// Files with debug dumps of the same server: dump_priority_levels, dump_queues, dump_requests
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "files")]
    dump: Vec<PathBuf>,
}

impl SavedArgs {
    /// Whether the evidence is in files.
    pub(super) fn is_given(&self) -> bool {
        !self.files.is_empty()
    }

    /// Reads the evidence. The release is the given one, or the oldest of the metrics, or the newest.
    pub(super) fn read(
        &self,
        args: &Args,
        redactor: &Redactor,
        streams: &mut Streams,
    ) -> Result<Read, Failure> {
        if self.metrics.is_empty() && self.dump.is_empty() && args.audit_log.is_empty() {
            return Err(Failure::usage("nothing shows the load of the server").hint(
                "give `--metrics`, `--dump` or `--audit-log`; `lint` checks the objects alone",
            ));
        }
        if args.interval.is_some() && self.metrics_before.is_empty() {
            return Err(
                Failure::usage("`--interval` with files needs `--metrics-before`").hint(
                    "without earlier metrics, the counters are totals since the server started",
                ),
            );
        }
        let interval = Duration::from_secs(args.interval.unwrap_or_default());
        let (mut servers, mut gaps) = (Vec::new(), Vec::new());
        let mut stored = StoredObjects::default();
        for files in ServerFiles::of_each(&self.metrics, &self.metrics_before, &self.dump)? {
            let (server, own, missing) = files.read(interval, redactor)?;
            servers.push(server);
            // All servers count the objects of one store.
            if stored == StoredObjects::default() {
                stored = own;
            }
            gaps.extend(missing);
        }
        let why = match servers.len() {
            1 => "the files are of one server".to_owned(),
            number => format!("the files are of {number} servers"),
        };
        gaps.push(Gap::new("other API servers", why));

        let given = args.kubernetes.given();
        let releases = servers.iter().filter_map(|server| server.process.release);
        let (oldest, newest) = (releases.clone().min(), releases.max());
        let release = args.kubernetes.release_or(oldest);
        let why = match (given.or(oldest), oldest == newest) {
            (None, _) => Some(format!(
                "its metrics do not have it (kubernetes_build_info); `--kubernetes` names another than {release}"
            )),
            (Some(_), false) if given.is_none() => Some(format!(
                "the servers have several; the rules of {release}, the oldest, apply to all"
            )),
            _ => None,
        };
        gaps.extend(why.map(|why| Gap::new("the release of the server", why)));
        let mut objects = Objects::read(&self.files, release, streams)?;
        objects.add_bootstrap(release);
        objects.live = Some(release);
        args.check_level(&objects)?;
        Ok(Read {
            objects,
            gathered: Gathered {
                reached_by: vec!["files"; servers.len()],
                servers,
                is_forbidden: false,
                gaps,
            },
            own: None,
            stored,
        })
    }
}
