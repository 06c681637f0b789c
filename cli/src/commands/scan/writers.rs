//! The traces that writes in old versions leave on objects: entries of managedFields, and what `kubectl apply` wrote
//! down.

use super::refusal::refused_from;
use k8s_flowcontrol::meta::Time;
use k8s_flowcontrol::{GROUP, Release};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::SystemTime;

const CLIENT_SIDE: &str = "kubectl-client-side-apply";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Traces of one manager in one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Stamp {
    pub(crate) manager: String,
    pub(crate) version: String,
    pub(crate) evidence: Evidence,
    /// How many objects bear it.
    pub(crate) objects: usize,
    /// The time of the latest one, where it is known.
    pub(crate) last: Option<String>,
    /// The minor release that refuses such a write.
    #[serde(serialize_with = "super::refusal::as_release")]
    pub(crate) refused_from: u32,
}

/// Where a trace was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum Evidence {
    #[serde(rename = "managedFields")]
    ManagedFields,
    #[serde(rename = "last-applied")]
    LastApplied,
}

/// The traces on objects, one for each manager, version and place.
#[derive(Debug, Default)]
pub(super) struct Stamps(BTreeMap<(String, String, Evidence), Stamp>);

impl Stamps {
    /// Adds those of an object.
    pub(super) fn add(&mut self, object: &Value, target: Release) {
        let metadata = &object["metadata"];
        let entries = metadata["managedFields"].as_array();
        let mut own = BTreeMap::new();
        let mut client_side = None;
        for entry in entries.into_iter().flatten() {
            let word = |member: &str| entry[member].as_str().map(str::to_owned);
            let (manager, time) = (word("manager").unwrap_or_default(), word("time"));
            if manager == CLIENT_SIDE {
                client_side.clone_from(&time);
            }
            if let Some(version) = version_of(entry) {
                let last: &mut Option<String> = own
                    .entry((manager, version, Evidence::ManagedFields))
                    .or_default();
                // As text: all are in UTC and of one form.
                if time > *last {
                    *last = time;
                }
            }
        }
        let applied = metadata["annotations"][LAST_APPLIED].as_str();
        let applied = applied.and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(version) = applied.as_ref().and_then(version_of) {
            let key = (CLIENT_SIDE.to_owned(), version, Evidence::LastApplied);
            own.insert(key, client_side);
        }
        for (key, time) in own {
            self.count(key, time, target);
        }
    }

    fn count(&mut self, key: (String, String, Evidence), time: Option<String>, target: Release) {
        let Some(refused_from) = refused_from(&key.1, target) else {
            return;
        };
        let (manager, version, evidence) = key.clone();
        let stamp = self.0.entry(key).or_insert_with(|| Stamp {
            manager,
            version,
            evidence,
            objects: 0,
            last: None,
            refused_from,
        });
        stamp.objects += 1;
        if time > stamp.last {
            stamp.last = time;
        }
    }

    /// Tells those who still write from history. A trace alone may be years old and its manager long changed;
    /// it is of today when it was left after the server started, and the server has been asked for that version since.
    pub(super) fn told_apart(
        self,
        requested: impl Fn(&str) -> bool,
        started: Option<SystemTime>,
    ) -> (Vec<Stamp>, Vec<Stamp>) {
        let is_of_today = |stamp: &Stamp| {
            let last = stamp.last.as_deref().map(Time::from);
            let last = last.and_then(|time| time.system_time().ok());
            stamp.evidence == Evidence::ManagedFields
                && requested(&stamp.version)
                && started
                    .zip(last)
                    .is_some_and(|(started, last)| last >= started)
        };
        self.0.into_values().partition(is_of_today)
    }
}

fn version_of(value: &Value) -> Option<String> {
    let (group, version) = value["apiVersion"].as_str()?.split_once('/')?;
    (group == GROUP).then(|| version.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::Duration;

    fn object(manager: &str, version: &str, time: &str) -> Value {
        let entry =
            json!({"manager": manager, "apiVersion": format!("{GROUP}/{version}"), "time": time});
        json!({"metadata": {"managedFields": [entry]}})
    }

    #[test]
    fn a_trace_is_history_unless_the_server_was_asked_since() {
        let stamps = || {
            let mut stamps = Stamps::default();
            for (manager, time) in [
                ("old", "2024-01-01T00:00:00Z"),
                ("busy", "2024-01-01T00:00:00Z"),
                ("busy", "2026-01-01T00:00:00Z"),
            ] {
                stamps.add(&object(manager, "v1beta3", time), Release::NEWEST);
            }
            stamps.add(
                &object("new", "v1", "2026-01-01T00:00:00Z"),
                Release::NEWEST,
            );
            stamps
        };
        // The middle of 2025.
        let started = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1_750_000_000));
        let (writers, history) = stamps().told_apart(|version| version == "v1beta3", started);
        let names = |stamps: &[Stamp]| -> Vec<_> {
            let name = |stamp: &Stamp| (stamp.manager.clone(), stamp.objects);
            stamps.iter().map(name).collect()
        };
        assert_eq!(names(&writers), [("busy".to_owned(), 2)]);
        assert_eq!(writers[0].last.as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(names(&history), [("old".to_owned(), 1)]);
        // Without either the metric or the time of the start, nothing is known of today.
        assert_eq!(stamps().told_apart(|_| false, started).0, []);
        assert_eq!(stamps().told_apart(|_| true, None).0, []);
    }

    #[test]
    fn what_kubectl_wrote_down_is_history() {
        let mut object = object(CLIENT_SIDE, "v1", "2026-01-01T00:00:00Z");
        let applied = json!({"apiVersion": format!("{GROUP}/v1beta2")}).to_string();
        object["metadata"]["annotations"] = json!({LAST_APPLIED: applied});
        let mut stamps = Stamps::default();
        stamps.add(&object, Release::NEWEST);
        let (writers, history) = stamps.told_apart(|_| true, Some(SystemTime::UNIX_EPOCH));
        assert_eq!(writers, []);
        assert_eq!(history[0].evidence, Evidence::LastApplied);
        assert_eq!(history[0].last.as_deref(), Some("2026-01-01T00:00:00Z"));
    }
}
