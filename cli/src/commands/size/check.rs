//! A check as JSON, in all outputs.

use k8s_flowcontrol_analysis::size::Check;
use serde_json::{Value, json};

pub(super) fn check_json(check: &Check) -> Value {
    json!({
        "intent": check.name,
        "isMet": check.is_met(),
        "requests": check.requests,
        "found": check.to_string(),
        "marginPercent": check.margin_percent(),
    })
}
