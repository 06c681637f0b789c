//! The stored objects of every resource, from the metrics of a server.

use super::text::samples;
use k8s_flowcontrol_rules::seats::Stored;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The stored objects of every resource, from the metrics of a server.
///
/// An unknown resource counts as not counted, so that its lists take one seat. [`Default`] knows no resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredObjects(BTreeMap<String, Resource>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Resource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objects: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<f64>,
}

impl StoredObjects {
    /// Reads the text of `/metrics`, or the field `storedObjects` of a report that was made with them.
    pub fn parse(metrics: &str) -> Self {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Report {
            stored_objects: StoredObjects,
        }
        if metrics.trim_start().starts_with('{')
            && let Ok(report) = serde_json::from_str::<Report>(metrics)
        {
            return report.stored_objects;
        }
        let mut resources = BTreeMap::<String, Resource>::new();
        for sample in samples(metrics) {
            let Some(resource) = sample.label("resource") else {
                continue;
            };
            let joined = || match sample.label("group") {
                None | Some("") => resource.to_owned(),
                Some(group) => format!("{resource}.{group}"),
            };
            match sample.name {
                // The older and the newer name of the same number.
                "apiserver_storage_objects" => {
                    let found = resources.entry(resource.to_owned()).or_default();
                    found.objects = found.objects.or(Some(sample.value));
                }
                "apiserver_resource_objects" => {
                    resources.entry(joined()).or_default().objects = Some(sample.value);
                }
                "apiserver_resource_size_estimate_bytes" => {
                    resources.entry(joined()).or_default().bytes = Some(sample.value);
                }
                _ => {}
            }
        }
        Self(resources)
    }

    /// The stored objects of a resource; `group` is empty for the core group.
    pub fn of(&self, group: &str, resource: &str) -> Stored {
        let found = match group.is_empty() {
            true => self.0.get(resource),
            false => self.0.get(&format!("{resource}.{group}")),
        };
        let Some(objects) = found.and_then(|found| found.objects) else {
            return Stored::NotFound;
        };
        // A negative number stands for an error of the last count.
        if objects < 0.0 {
            return Stored::Stale;
        }
        let bytes = found.and_then(|found| found.bytes).unwrap_or_default();
        Stored::Known {
            objects: objects as u64,
            average_bytes: (bytes.max(0.0) / objects.max(1.0)) as u64,
        }
    }
}
