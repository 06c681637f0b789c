//! A file with the metrics of a server, and the stored objects that it reports.

use crate::cluster::{ClusterArgs, block_on};
use crate::documents::read;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::name;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::api::v1::PriorityLevelConfiguration;
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, ObservedLimits, StoredObjects};
use serde_json::Value;
use std::path::Path;

/// A file with the metrics of a server, which is read once.
#[derive(Debug)]
pub(crate) struct MetricsFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl MetricsFile {
    /// The text of a file, if there is one.
    pub(crate) fn read(file: Option<&Path>) -> Result<Option<Self>, Failure> {
        file.map(Self::read_file).transpose()
    }

    /// The text of a file. Several samples are an error.
    pub(crate) fn read_file(file: &Path) -> Result<Self, Failure> {
        let text = read(file, true)?.text;
        let (name, text) = (name(file), String::from_utf8_lossy(&text).into_owned());
        match FlowMetrics::parse(&text).samples() {
            samples @ 2.. => Err(Failure::input(format!(
                "{name} has {samples} samples of the same metrics: of several servers or times"
            ))
            .hint("give one sample of one server: sums over several fit none of them")),
            _ => Ok(Self { name, text }),
        }
    }

    /// The seats of the server; none if the file does not have the limits of these levels.
    pub(crate) fn server_seats(
        &self,
        levels: &[PriorityLevelConfiguration],
        release: Release,
    ) -> Option<u32> {
        ObservedLimits::parse(&self.text).server_seats(levels, release)
    }
}

/// The stored objects of every resource: from a file with metrics, else from a cluster, else none.
pub(crate) fn stored_objects(
    metrics: Option<&MetricsFile>,
    cluster: Option<&ClusterArgs>,
) -> Result<StoredObjects, Failure> {
    match (metrics, cluster) {
        (Some(MetricsFile { name, text }), _) => {
            let stored = StoredObjects::parse(text);
            if stored != StoredObjects::default() {
                return Ok(stored);
            }
            let report: Value = serde_json::from_str(text).unwrap_or_default();
            match report.get("storedObjects") {
                // A report that was made without metrics does not have numbers, and has the same seats without them.
                Some(Value::Object(_)) => Ok(stored),
                Some(Value::Null) => Err(Failure::input(format!(
                    "{name} does not have numbers of stored objects: the partial results of this report have different ones"
                ))
                .hint("give the metrics of one of them, or the report of its logs alone")),
                _ => Err(Failure::input(format!("{name} does not have numbers of stored objects")).hint(
                    "expected the output of `kubectl get --raw /metrics`, with apiserver_resource_objects or apiserver_storage_objects, or the JSON of an earlier report",
                )),
            }
        }
        (None, Some(cluster)) => inventory(cluster, "`--metrics FILE`"),
        (None, None) => Ok(StoredObjects::default()),
    }
}

/// The stored objects of every resource in a cluster. The error for unreadable metrics names the options to use `instead`.
pub(crate) fn inventory(cluster: &ClusterArgs, instead: &str) -> Result<StoredObjects, Failure> {
    block_on(async {
        let client = cluster.client().await?;
        let text = client.get_raw("/metrics").accept("text/plain").await;
        let text = text.map_err(|error| {
            let message = format!("the number of stored objects is unknown: {error}");
            Failure::new(Exit::Cluster, message)
                .hint(format!("give {instead}"))
                .forbidden(error.is_forbidden())
        })?;
        Ok(StoredObjects::parse(&String::from_utf8_lossy(&text)))
    })
}
