//! The configuration that a command looks at: objects of files or of a cluster, and the release of their server.

use crate::cluster::{ClusterArgs, LiveOrFiles, SeatsArg, ServerSeats};
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::objects::Objects;
use crate::output::Streams;
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

    /// Add the built-in objects that the input lacks
    #[arg(long)]
    with_bootstrap: bool,
}

/// The objects and the release of a server.
pub(crate) struct Configuration<'a> {
    pub(crate) objects: Objects,
    pub(crate) release: Release,
    /// The cluster from which the objects come.
    pub(crate) cluster: Option<&'a ClusterArgs>,
    /// The number of levels before the built-in ones were added.
    own_levels: usize,
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
    ///
    /// # Errors
    /// If files are named, too.
    pub(crate) fn cluster(&self) -> Result<Option<&ClusterArgs>, Failure> {
        self.input.cluster()
    }

    /// Reads the files or the cluster. It is an error to name neither, unless the built-in objects are wanted.
    pub(crate) fn read(&self, streams: &mut Streams) -> Result<Configuration<'_>, Failure> {
        self.read_with(self.with_bootstrap, streams)
    }

    /// As [`read`](Self::read), and the built-in objects if neither files nor a cluster are named.
    pub(crate) fn read_or_bootstrap(
        &self,
        streams: &mut Streams,
    ) -> Result<Configuration<'_>, Failure> {
        let has_input = self.cluster()?.is_some() || !self.input.files.is_empty();
        self.read_with(self.with_bootstrap || !has_input, streams)
    }

    fn read_with(
        &self,
        bootstrap: bool,
        streams: &mut Streams,
    ) -> Result<Configuration<'_>, Failure> {
        let (files, cluster) = (&self.input.files, self.cluster()?);
        let mut objects = match cluster {
            Some(cluster) => Objects::live(cluster)?,
            None if bootstrap && files.is_empty() => Objects::default(),
            None if files.is_empty() => {
                return Err(Failure::usage("no input").hint(
                    "name files with `-f FILE`, a cluster with `--live`, or the built-in objects with `--with-bootstrap`",
                ));
            }
            None => {
                let objects = Objects::read(files, self.kubernetes.release(), streams)?;
                if objects.documents.is_empty() && !bootstrap {
                    let message = "the files contain no flow-control objects";
                    return Err(Failure::input(message));
                }
                objects
            }
        };
        let release = self.kubernetes.release_or(objects.live);
        let own_levels = objects.levels.len();
        if bootstrap {
            objects.add_bootstrap(release);
        }
        Ok(Configuration {
            objects,
            release,
            cluster,
            own_levels,
        })
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
        (&self.objects.levels[..self.own_levels], release)
    }
}
