//! The configuration that a command looks at: objects of files or of a cluster, and the release of their server.

use crate::cluster::{ClusterArgs, LiveOrFiles, SeatsArg, ServerSeats};
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::{Streams, note, plural};
use crate::stored_objects::MetricsFile;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use std::path::PathBuf;

/// The options for the objects and the release of a server.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ConfigurationArgs {
    #[command(flatten)]
    input: LiveOrFiles,

    #[command(flatten)]
    kubernetes: KubernetesArg,

    /// Do not add the built-in objects that the files lack
    #[arg(long)]
    only_these: bool,
}

/// The objects and the release of a server.
pub(crate) struct Configuration<'a> {
    pub(crate) objects: Objects,
    pub(crate) release: Release,
    /// The cluster from which the objects come.
    pub(crate) cluster: Option<&'a ClusterArgs>,
    /// The levels of the server of the cluster, without the levels of files.
    server_levels: Vec<PriorityLevelConfiguration>,
}

impl ConfigurationArgs {
    /// The files and folders that are named.
    pub(crate) fn files(&self) -> &[PathBuf] {
        self.input.files.paths()
    }

    /// The given release, or else the newest one, for input that no server has.
    pub(crate) fn release_of_files(&self) -> Release {
        self.kubernetes.release()
    }

    /// The cluster, if it is used.
    pub(crate) fn cluster(&self) -> Option<&ClusterArgs> {
        self.input.cluster()
    }

    /// Reads the objects: the objects of the files together with the built-in objects, the objects of a cluster, or both; objects of
    /// the files then replace objects of the cluster. Without files and a cluster the result is the built-in objects alone.
    pub(crate) fn read(&self, streams: &mut Streams) -> Result<Configuration<'_>, Failure> {
        let (configuration, count) = self.read_quietly(streams)?;
        if count > 0 {
            let more = match self.input.files.is_empty() {
                true => "`-f FILE` or `--live` names others",
                false => "`--only-these` leaves them out",
            };
            let built_in = plural(count, "built-in object");
            let release = configuration.release;
            let text = format!("with {built_in} of Kubernetes {release}; {more}");
            note(streams, &text)?;
        }
        Ok(configuration)
    }

    /// As [`read`](Self::read), without a note about the built-in objects; returns their number.
    pub(crate) fn read_quietly(
        &self,
        streams: &mut Streams,
    ) -> Result<(Configuration<'_>, usize), Failure> {
        let (files, cluster) = (&self.input.files, self.cluster());
        if files.is_empty() && cluster.is_none() && self.only_these {
            return Err(Failure::usage("`--only-these` needs files")
                .hint("name them with `-f FILE`, or read the standard input with `-f -`"));
        }
        let mut objects = match cluster {
            Some(cluster) => Objects::live(cluster, self.kubernetes.given())?,
            None => Objects::default(),
        };
        let release = self.kubernetes.release_or(objects.live);
        let server_levels = match cluster {
            Some(_) => objects.levels.clone(),
            None => Vec::new(),
        };
        if !files.is_empty() {
            objects.apply(Objects::read(files, release, streams)?);
        }
        let count = match cluster.is_none() && !self.only_these {
            true => objects.add_bootstrap(release),
            false => 0,
        };
        let configuration = Configuration {
            objects,
            release,
            cluster,
            server_levels,
        };
        Ok((configuration, count))
    }
}

impl Configuration<'_> {
    /// The seats of each server: the given number, or that of the cluster, or the default.
    pub(crate) fn seats(&self, seats: SeatsArg) -> Result<ServerSeats, Failure> {
        let Some(cluster) = self.cluster else {
            return Ok(seats.offline());
        };
        let (levels, release) = self.of_server();
        seats.of_cluster(cluster, levels, release)
    }

    /// As [`seats`](Self::seats); those in a file with metrics, which is of the server of the log, come before those of the cluster.
    pub(crate) fn seats_of_log(
        &self,
        seats: SeatsArg,
        metrics: Option<&MetricsFile>,
    ) -> Result<ServerSeats, Failure> {
        let (levels, release) = match self.cluster {
            Some(_) => self.of_server(),
            None => (self.objects.levels.as_slice(), self.release),
        };
        let of_file = metrics.and_then(|metrics| seats.of_metrics(metrics, levels, release));
        of_file.map_or_else(|| self.seats(seats), Ok)
    }

    /// As [`seats`](Self::seats), of all API servers of the cluster: servers with equal numbers together, the smallest first; and
    /// a note for each server that is missing.
    pub(crate) fn seats_of_all(
        &self,
        seats: SeatsArg,
    ) -> Result<(Vec<ServerSeats>, Vec<String>), Failure> {
        let Some(cluster) = self.cluster else {
            return Ok((vec![seats.offline()], Vec::new()));
        };
        let (levels, release) = self.of_server();
        seats.of_control_plane(cluster, levels, release)
    }

    /// The levels and the release of the server, without the levels that other options add.
    fn of_server(&self) -> (&[PriorityLevelConfiguration], Release) {
        let release = self.objects.live.unwrap_or(self.release);
        (&self.server_levels, release)
    }
}
