//! The versions in use that a release removes.

use super::callers::LogCallers;
use super::cluster::ClusterScan;
use super::helm::Fails;
use super::requested::as_release;
use crate::api_resources::with_subresource;
use serde::Serialize;
use std::collections::BTreeMap;

/// A version that a release no longer serves, and its remaining clients.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Refusal {
    /// The first minor release that does not serve the version.
    #[serde(serialize_with = "as_release")]
    pub release: u32,
    /// The API version.
    pub version: String,
    /// The clients, for people.
    pub affected: Vec<String>,
}

/// The versions in use by the release that removes them, the oldest first. History does not count.
///
/// `logs` are audit logs with their names.
pub fn refusals(clusters: &[ClusterScan], logs: &[(String, LogCallers)]) -> Vec<Refusal> {
    let mut all = BTreeMap::<(u32, String), Vec<String>>::new();
    let mut add = |release: u32, version: &str, client: String| {
        let affected = all.entry((release, version.to_owned())).or_default();
        if !affected.contains(&client) {
            affected.push(client);
        }
    };
    for cluster in clusters {
        let title = cluster.title();
        for sample in &cluster.requested {
            let client = format!(
                "{title}: requests for {}",
                with_subresource(&sample.resource, &sample.subresource)
            );
            add(sample.refused_from, &sample.version, client);
        }
        for stamp in &cluster.writers {
            let client = format!("{title}: writes of {}", stamp.manager);
            add(stamp.refused_from, &stamp.version, client);
        }
        for revision in cluster
            .helm
            .iter()
            .filter(|kept| kept.fails == Fails::Upgrade)
        {
            for object in &revision.objects {
                let client = format!(
                    "{title}: `helm upgrade` of {}/{}",
                    revision.namespace, revision.release
                );
                add(object.refused_from, &object.version, client);
            }
        }
    }
    for (name, log) in logs {
        for caller in log.callers() {
            let client = format!("{name}: {} ({})", caller.user, caller.user_agent);
            add(caller.refused_from, &caller.version, client);
        }
    }
    let refusal = |((release, version), affected)| Refusal {
        release,
        version,
        affected,
    };
    all.into_iter().map(refusal).collect()
}
