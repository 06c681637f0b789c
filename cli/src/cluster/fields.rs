//! Objects as JSON trees: their names, and their values as tables and descriptions show them.

use k8s_flowcontrol::Kind;
use k8s_flowcontrol::meta::Time;
use serde_json::Value;
use std::time::SystemTime;

/// The field of a level's spec that holds its settings.
pub(crate) fn stanza(spec: &Value) -> &'static str {
    match spec["type"] == "Exempt" {
        true => "exempt",
        false => "limited",
    }
}

/// The shares of a level in any version.
pub(crate) fn shares(spec: &Value) -> Option<i64> {
    let part = &spec[stanza(spec)];
    let shares = part
        .get("nominalConcurrencyShares")
        .or_else(|| part.get("assuredConcurrencyShares"));
    shares?.as_i64()
}

/// The status of a flow schema's condition Dangling, which is True if its priority level is missing.
pub(crate) fn dangling(object: &Value) -> Option<&str> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions
        .iter()
        .find(|condition| condition["type"] == "Dangling")?["status"]
        .as_str()
}

/// A value in a table, as kubectl prints it.
pub(crate) fn word(value: &Value) -> String {
    match value {
        Value::Null => "<none>".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The age of the object in kubectl's short form.
pub(crate) fn age(object: &Value) -> String {
    let created = object["metadata"]["creationTimestamp"]
        .as_str()
        .map(Time::from);
    let seconds = created.and_then(|created| {
        let since = SystemTime::now().duration_since(created.system_time().ok()?);
        // A creation time in the future comes from another clock; the age is then 0.
        i64::try_from(since.unwrap_or_default().as_secs()).ok()
    });
    seconds.map_or_else(|| "<unknown>".to_owned(), short)
}

/// Seconds in kubectl's short form: two units while the numbers are small, one after that.
fn short(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    let two = |big: i64, unit: &str, rest: i64, small: &str| match rest {
        0 => format!("{big}{unit}"),
        rest => format!("{big}{unit}{rest}{small}"),
    };
    if seconds < 120 {
        format!("{seconds}s")
    } else if minutes < 10 {
        two(minutes, "m", seconds % 60, "s")
    } else if hours < 3 {
        format!("{minutes}m")
    } else if hours < 8 {
        two(hours, "h", minutes % 60, "m")
    } else if hours < 48 {
        format!("{hours}h")
    } else if hours < 192 {
        two(days, "d", hours % 24, "h")
    } else if days < 730 {
        format!("{days}d")
    } else if days < 8 * 365 {
        two(days / 365, "y", days % 365, "d")
    } else {
        format!("{}y", days / 365)
    }
}

/// The object's name.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// An object as kubectl names it in its output: `flowschema/probes`.
pub(crate) fn title(kind: Kind, name: &str) -> String {
    format!("{}/{name}", kind.as_str().to_ascii_lowercase())
}
