//! Alerts: the names that exceed a threshold, since when, and when they no longer do.

use super::threshold::Threshold;
use super::windows::Total;
use crate::saved::numbers::Time;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A change of an alert.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Alert {
    /// The threshold.
    pub threshold: String,
    /// The caller, priority level or flow schema; empty for all requests.
    pub name: String,
    /// Whether the threshold is exceeded from now on, or no longer.
    pub is_active: bool,
    /// The value, in the unit of the threshold; `None` if it is no longer exceeded.
    pub value: Option<f64>,
}

/// The active alerts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Alerts {
    pub(super) active: Vec<Active>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Active {
    pub(super) threshold: String,
    pub(super) name: String,
    /// In microseconds since 1970.
    pub(super) since_us: Time<1>,
}

impl Alerts {
    /// Compares a window with the thresholds, and returns the changes.
    pub(super) fn check(
        &mut self,
        thresholds: &[Threshold],
        total: &Total,
        seconds: f64,
        now_us: i64,
    ) -> Vec<Alert> {
        let mut exceeded = BTreeMap::new();
        for threshold in thresholds {
            for (name, value) in threshold.exceeded(total, seconds) {
                exceeded.insert((threshold.to_string(), name.to_owned()), value);
            }
        }
        let mut changes = Vec::new();
        self.active.retain(|alert| {
            let key = (alert.threshold.clone(), alert.name.clone());
            let is_active = exceeded.remove(&key).is_some();
            if !is_active {
                changes.push(Alert {
                    threshold: key.0,
                    name: key.1,
                    is_active,
                    value: None,
                });
            }
            is_active
        });
        for ((threshold, name), value) in exceeded {
            self.active.push(Active {
                threshold: threshold.clone(),
                name: name.clone(),
                since_us: Time(now_us),
            });
            changes.push(Alert {
                threshold,
                name,
                is_active: true,
                value: Some(value),
            });
        }
        changes
    }
}
