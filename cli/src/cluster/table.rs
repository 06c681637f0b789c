//! Tables of objects with the columns of kubectl, and a few more.

use super::owner::owner;
use super::tree::name;
use crate::output::Table;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::meta::Time;
use serde_json::Value;
use std::time::SystemTime;

/// A table of objects of a kind, as `kubectl get` prints it. A wide table has more columns.
pub(crate) fn table(kind: Kind, objects: &[&Value], wide: bool) -> Table {
    match kind {
        Kind::FlowSchema => flow_schemas(objects, wide),
        Kind::PriorityLevelConfiguration => levels(objects, wide),
    }
}

fn flow_schemas(objects: &[&Value], wide: bool) -> Table {
    let mut head = vec![
        "NAME",
        "PRIORITYLEVEL",
        "MATCHINGPRECEDENCE",
        "DISTINGUISHERMETHOD",
        "AGE",
        "MISSINGPL",
    ];
    if wide {
        head.extend(["RULES", "SUBJECTS", "OWNER"]);
    }
    let mut table = Table::with_head(&head);
    for object in objects {
        let spec = &object["spec"];
        let mut row = vec![
            name(object).to_owned(),
            word(&spec["priorityLevelConfiguration"]["name"]),
            word(&spec["matchingPrecedence"]),
            word(&spec["distinguisherMethod"]["type"]),
            age(object),
            dangling(object).unwrap_or("?").to_owned(),
        ];
        if wide {
            let rules = spec["rules"].as_array().map_or(&[][..], Vec::as_slice);
            let subjects = rules
                .iter()
                .filter_map(|rule| Some(rule["subjects"].as_array()?.len()));
            row.extend([
                rules.len().to_string(),
                subjects.sum::<usize>().to_string(),
                owned_by(Kind::FlowSchema, object),
            ]);
        }
        table.add(row);
    }
    table
}

fn levels(objects: &[&Value], wide: bool) -> Table {
    let mut head = vec![
        "NAME",
        "TYPE",
        "NOMINALCONCURRENCYSHARES",
        "QUEUES",
        "HANDSIZE",
        "QUEUELENGTHLIMIT",
        "AGE",
    ];
    if wide {
        head.extend(["LENDABLE%", "BORROWING%", "OWNER"]);
    }
    let mut table = Table::with_head(&head);
    for object in objects {
        let spec = &object["spec"];
        let part = &spec[stanza(spec)];
        let queuing = &part["limitResponse"]["queuing"];
        let mut row = vec![
            name(object).to_owned(),
            word(&spec["type"]),
            shares(spec).map_or_else(|| "<none>".to_owned(), |shares| shares.to_string()),
            word(&queuing["queues"]),
            word(&queuing["handSize"]),
            word(&queuing["queueLengthLimit"]),
            age(object),
        ];
        if wide {
            row.extend([
                word(&part["lendablePercent"]),
                word(&part["borrowingLimitPercent"]),
                owned_by(Kind::PriorityLevelConfiguration, object),
            ]);
        }
        table.add(row);
    }
    table
}

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

fn owned_by(kind: Kind, object: &Value) -> String {
    owner(kind, object).map_or_else(|| "<none>".to_owned(), |owner| owner.name)
}

fn word(value: &Value) -> String {
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

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn ages_as_kubectl_prints_them() {
        let day = 86_400;
        for (seconds, expected) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (150, "2m30s"),
            (599, "9m59s"),
            (600, "10m"),
            (3 * 3600 - 1, "179m"),
            (3 * 3600, "3h"),
            (4 * 3600 + 60, "4h1m"),
            (8 * 3600, "8h"),
            (47 * 3600, "47h"),
            (2 * day, "2d"),
            (2 * day + 3600, "2d1h"),
            (8 * day, "8d"),
            (729 * day, "729d"),
            (730 * day, "2y"),
            (731 * day, "2y1d"),
            (9 * 365 * day, "9y"),
        ] {
            assert_eq!(short(seconds), expected, "{seconds}");
        }
    }
}
