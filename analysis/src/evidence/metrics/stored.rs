//! The stored objects of every resource, from the metrics of a server.

use super::text::samples;
use crate::api_resources::with_group;
use k8s_flowcontrol_rules::seats::Stored;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The most resources that are read from JSON, many more than a server has. Their texts can be short, and would take many times their memory.
const MOST_RESOURCES: usize = 1 << 16;

/// The stored objects of every resource, from the metrics of a server.
///
/// An unknown resource counts as not counted, so that its lists take one seat. [`Default`] knows no resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StoredObjects(#[serde(deserialize_with = "bounded")] BTreeMap<String, Resource>);

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Resource {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    objects: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<f64>,
}

fn bounded<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Resource>, D::Error> {
    struct Bounded;
    impl<'de> Visitor<'de> for Bounded {
        type Value = BTreeMap<String, Resource>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(
                f,
                "the stored objects of at most {MOST_RESOURCES} resources"
            )
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut resources = BTreeMap::new();
            while let Some((name, resource)) = map.next_entry()? {
                if resources.len() == MOST_RESOURCES {
                    return Err(A::Error::invalid_length(MOST_RESOURCES + 1, &self));
                }
                resources.insert(name, resource);
            }
            Ok(resources)
        }
    }
    deserializer.deserialize_map(Bounded)
}

impl StoredObjects {
    /// Reads the text of `/metrics`, or the field `storedObjects` of a report that was made with them.
    pub fn parse(metrics: &str) -> Self {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Report {
            stored_objects: Option<StoredObjects>,
        }
        if metrics.trim_start().starts_with('{')
            && let Ok(report) = serde_json::from_str::<Report>(metrics)
        {
            return report.stored_objects.unwrap_or_default();
        }
        let mut resources = BTreeMap::<String, Resource>::new();
        for sample in samples(metrics) {
            let Some(resource) = sample.label("resource") else {
                continue;
            };
            let joined = || with_group(resource, sample.label("group").unwrap_or_default());
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
