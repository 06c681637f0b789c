//! The load of an intent.

use crate::fields::Problems;
use crate::fields::{Mapping, number, shown, time};
use crate::simulation::Arrivals;
use crate::size::intents::{AtLoad, Generated};
use k8s_flowcontrol_text::Node;
use std::time::Duration;

const KNOWN: [&str; 13] = [
    "fromLog",
    "times",
    "concurrent",
    "perSecond",
    "meanSeconds",
    "thinkSeconds",
    "constant",
    "seats",
    "users",
    "verb",
    "resource",
    "apiGroup",
    "namespace",
];
/// Most generated clients or requests a second, most times.
const MOST: f64 = 1e5;

/// The load of an intent; the requests of the logs by default.
pub(super) fn at_load(intent: &Mapping<'_>, problems: &mut Problems<'_>) -> Option<AtLoad> {
    let Some(node) = intent.get("atLoad") else {
        return Some(AtLoad::FromLog { times: 1.0 });
    };
    let path = intent.path_of("atLoad");
    let fields = Mapping::read(node, &path, &KNOWN, problems)?;
    let has = |name: &str| fields.get(name).is_some();
    let from_log = fields.flag("fromLog", problems);
    let kinds = [
        has("fromLog") || has("times"),
        has("concurrent"),
        has("perSecond"),
    ];
    if kinds.iter().filter(|kind| **kind).count() != 1 || from_log == Some(false) {
        let message = "give exactly one of fromLog: true, concurrent and perSecond";
        problems.add(fields.offset, &path, message);
        return None;
    }
    if kinds[0] {
        for (name, _) in fields.iter() {
            if !["fromLog", "times"].contains(&name) && KNOWN.contains(&name) {
                let message = format!("{name} is for generated requests, not for those of logs");
                problems.add(fields.offset, &path, message);
            }
        }
        let times = match has("times") {
            true => fields.number("times", (0.0, 100.0), problems)?,
            false => 1.0,
        };
        return Some(AtLoad::FromLog { times });
    }
    generated(&fields, problems).map(AtLoad::Generated)
}

fn generated(fields: &Mapping<'_>, problems: &mut Problems<'_>) -> Option<Generated> {
    let path = fields.path.clone();
    let mean = fields.read_with("meanSeconds", problems, seconds);
    if fields.get("meanSeconds").is_none() {
        let message = "lacks meanSeconds: how long a request executes on average";
        problems.add(fields.offset, &path, message);
    }
    let think = fields.read_with("thinkSeconds", problems, seconds);
    if think.is_some() && fields.get("concurrent").is_none() {
        let message = "thinkSeconds is the pause of concurrent clients; give concurrent, too";
        problems.add(fields.offset, &path, message);
    }
    let clients = fields.whole("concurrent", 1..=MOST as u32, problems);
    let per_second = fields.number("perSecond", (0.0, MOST), problems);
    let arrivals = match (clients, per_second) {
        (Some(clients), _) => Arrivals::Closed {
            clients,
            think: think.unwrap_or_default(),
        },
        (None, Some(per_second)) => Arrivals::Open { per_second },
        (None, None) => return None,
    };
    let text = |name: &str, default: &str, problems: &mut Problems<'_>| {
        let given = fields.text(name, problems);
        given.unwrap_or_else(|| default.to_owned())
    };
    Some(Generated {
        arrivals,
        mean: mean?,
        constant: fields.flag("constant", problems).unwrap_or(false),
        seats: fields.whole("seats", 1..=1000, problems).unwrap_or(1),
        users: fields.whole("users", 1..=10_000, problems).unwrap_or(1),
        verb: text("verb", "get", problems),
        resource: text("resource", "pods", problems),
        api_group: text("apiGroup", "", problems),
        namespace: text("namespace", "", problems),
    })
}

/// Seconds as a number, or a time such as 200ms.
fn seconds(node: Node<'_>) -> Result<Duration, String> {
    let longest = Duration::from_secs(3600);
    let found = match number(node) {
        Some(seconds) => Duration::try_from_secs_f64(seconds).ok(),
        None => Some(time(node)?),
    };
    found
        .filter(|time| *time <= longest)
        .ok_or_else(|| format!("expected seconds from 0 to 3600, not {}", shown(node)))
}
