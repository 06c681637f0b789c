//! Reading an intents file.

mod load;
mod target;

use super::intents::{AtLoad, Intent, Intents, Keep, ServerSeats, Target, Tier, WaitLimit};
use crate::fields::{InvalidFile, Mapping, Problems, shown, text, time};
use k8s_flowcontrol_text::{Content, Node, Position};
use std::collections::HashMap;
use std::time::Duration;

/// The time for which generated requests arrive by default.
const DURATION: Duration = Duration::from_secs(60);
/// The longest such time.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);
/// The most seats of a server.
pub(super) const MOST_SEATS: u32 = 1_000_000;

impl Intents {
    /// Reads an intents file, in YAML or JSON. The JSON Schema of such a file is [`Intents::SCHEMA`].
    ///
    /// ```
    /// use k8s_flowcontrol_analysis::size::Intents;
    ///
    /// let intents = Intents::read(b"
    /// server: {seats: 600}
    /// intents:
    /// - name: flux
    ///   client: {serviceAccount: flux-system/kustomize-controller}
    ///   waits: {p99: 1s}
    ///   atLoad: {concurrent: 300, meanSeconds: 0.2}
    /// ")?;
    /// assert_eq!(intents.intents[0].name, "flux");
    ///
    /// let error = Intents::read(b"server: {seats: 600}\nintents:\n- client: {user: a}\n  waits: {p99: 1 second}\n").unwrap_err();
    /// assert_eq!(error.problems[0].to_string(),
    ///     "4:16: intents[0].waits.p99: \"1 second\" is not a time such as 250ms, 1.5s or 2m");
    /// # Ok::<(), k8s_flowcontrol_analysis::size::InvalidFile>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidFile`] with every problem, its line and its column.
    pub fn read(text: &[u8]) -> Result<Self, InvalidFile> {
        Problems::read_file(text, "server and intents", read)
    }

    /// The JSON Schema of an intents file.
    pub const SCHEMA: &str = include_str!("../../../schema/intents.schema.json");
}

fn read(root: Node<'_>, problems: &mut Problems<'_>) -> Option<Intents> {
    let fields = Mapping::read(
        root,
        "",
        &["server", "duration", "keep", "intents"],
        problems,
    )?;
    let server = match fields.get("server") {
        Some(node) => server(node, problems),
        None => Some(ServerSeats::Unknown),
    };
    let duration = fields.time("duration", problems).unwrap_or(DURATION);
    if duration.is_zero() || duration > LONGEST {
        problems.add(
            fields.offset,
            "duration",
            "expected a time above 0 and at most 24h",
        );
    }
    let keep = fields.read_with("keep", problems, keep).unwrap_or_default();
    let intents = intents(&fields, problems);
    Some(Intents {
        server: server?,
        duration,
        keep,
        intents: intents?,
    })
}

fn server(node: Node<'_>, problems: &mut Problems<'_>) -> Option<ServerSeats> {
    let fields = Mapping::read(node, "server", &["seats", "tiers"], problems)?;
    match (fields.get("seats"), fields.get("tiers")) {
        (Some(_), Some(_)) => {
            let message = "give either seats or tiers, or neither to find the fewest seats";
            problems.add(fields.offset, "server", message);
            None
        }
        (None, None) => Some(ServerSeats::Unknown),
        (Some(seats), None) if seats.as_str() == Some("unknown") => Some(ServerSeats::Unknown),
        (Some(_), None) => {
            let seats = fields.whole("seats", 1..=MOST_SEATS, problems);
            seats.map(ServerSeats::Known)
        }
        (None, Some(node)) => tiers(node, problems).map(ServerSeats::Tiers),
    }
}

fn tiers(node: Node<'_>, problems: &mut Problems<'_>) -> Option<Vec<Tier>> {
    let Content::Array(items) = node.content() else {
        problems.add(
            node.span().start,
            "server.tiers",
            "expected a list of tiers",
        );
        return None;
    };
    if items.is_empty() || items.len() > Intents::MOST {
        let message = format!("expected 1 to {} tiers", Intents::MOST);
        problems.add(node.span().start, "server.tiers", message);
        return None;
    }
    let mut tiers: Vec<Tier> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("server.tiers[{index}]");
        let fields = Mapping::read(item, &path, &["name", "seats", "price"], problems)?;
        let name = fields.text("name", problems);
        let seats = fields.whole("seats", 1..=MOST_SEATS, problems);
        let price = fields.number("price", (-f64::MIN_POSITIVE, 1e15), problems);
        for required in ["name", "seats", "price"] {
            if fields.get(required).is_none() {
                problems.add(fields.offset, &path, format!("lacks {required}"));
            }
        }
        if let (Some(name), Some(seats), Some(price)) = (name, seats, price) {
            if tiers.iter().any(|tier| tier.name == name) {
                let message = format!("the name {name:?} is used twice");
                problems.add(fields.offset, &path, message);
            }
            tiers.push(Tier { name, seats, price });
        }
    }
    Some(tiers)
}

fn keep(node: Node<'_>) -> Result<Keep, String> {
    let expected = "expected built-in, all, nothing, or a list of names of priority levels";
    match node.content() {
        Content::String("built-in") => Ok(Keep::BuiltIn),
        Content::String("all") => Ok(Keep::All),
        Content::String("nothing") => Ok(Keep::Nothing),
        Content::Array(names) => {
            let names: Result<_, String> = names.iter().map(text).collect();
            names.map(Keep::Levels)
        }
        _ => Err(format!("{expected}, not {}", shown(node))),
    }
}

fn intents(file: &Mapping<'_>, problems: &mut Problems<'_>) -> Option<Vec<Intent>> {
    let Some(node) = file.get("intents") else {
        problems.add(file.offset, "", "lacks intents, a list of what must hold");
        return None;
    };
    let offset = node.span().start;
    let Content::Array(items) = node.content() else {
        problems.add(offset, "intents", "expected a list of intents");
        return None;
    };
    if items.is_empty() {
        problems.add(
            offset,
            "intents",
            "the list is empty; expected at least one intent",
        );
        return None;
    }
    if items.len() > Intents::MOST {
        let message = format!(
            "{} intents; at most {} can be solved together. One intent can stand for many clients: a group, or all service accounts of a namespace",
            items.len(),
            Intents::MOST
        );
        problems.add(offset, "intents", message);
        return None;
    }
    let mut names = HashMap::new();
    let mut intents = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let Some(intent) = intent(item, index, problems) else {
            continue;
        };
        if let Some(line) = names.insert(intent.name.clone(), intent.line) {
            let message = format!("the name {:?} is used on line {line}, too", intent.name);
            problems.add(item.span().start, &format!("intents[{index}]"), message);
        }
        intents.push(intent);
    }
    Some(intents)
}

fn intent(node: Node<'_>, index: usize, problems: &mut Problems<'_>) -> Option<Intent> {
    const KNOWN: [&str; 7] = [
        "name",
        "client",
        "level",
        "waits",
        "neverMoreThan",
        "neverStarvedBy",
        "atLoad",
    ];
    let path = format!("intents[{index}]");
    let fields = Mapping::read(node, &path, &KNOWN, problems)?;
    let target = target::target(&fields, problems);
    let name = fields.text("name", problems);
    let waits = waits(&fields, problems);
    let never_more_than = fields.get("neverMoreThan").and_then(|node| {
        let path = fields.path_of("neverMoreThan");
        let limit = Mapping::read(node, &path, &["seats"], problems)?;
        if limit.get("seats").is_none() {
            problems.add(limit.offset, &path, "lacks seats");
        }
        limit
            .whole("seats", 1..=MOST_SEATS, problems)
            .map(i64::from)
    });
    let never_starved_by = target::clients(&fields, "neverStarvedBy", problems);
    if waits.is_empty() && fields.get("neverMoreThan").is_none() && fields.get("waits").is_none() {
        let message = "says nothing that must hold; expected waits or neverMoreThan";
        problems.add(fields.offset, &path, message);
    }
    if waits.is_empty() && !never_starved_by.is_empty() {
        let message = "neverStarvedBy needs waits, which must hold beside these clients";
        problems.add(fields.offset, &path, message);
    }
    let at_load = load::at_load(&fields, problems);
    let target = target?;
    if let Some(AtLoad::Generated(load)) = &at_load {
        let problem = match &target {
            Target::Level(_) => {
                Some("a level sends no requests; give the load to the clients, or use fromLog")
            }
            Target::Client(client) if load.users > 1 && !client.is_several() => {
                Some("several users need a group or a namespace as client")
            }
            Target::Client(_) => None,
        };
        if let Some(problem) = problem {
            let offset = fields
                .get("atLoad")
                .map_or(fields.offset, |node| node.span().start);
            problems.add(offset, &fields.path_of("atLoad"), problem);
        }
    }
    if matches!(target, Target::Level(_))
        && (never_more_than.is_some() || !never_starved_by.is_empty())
    {
        let message = "neverMoreThan and neverStarvedBy need a client, not a level";
        problems.add(fields.offset, &path, message);
    }
    Some(Intent {
        name: name.unwrap_or_else(|| target.to_string()),
        line: Position::of(problems.text, fields.offset).line,
        target,
        waits,
        never_more_than,
        never_starved_by,
        at_load: at_load?,
    })
}

fn waits(fields: &Mapping<'_>, problems: &mut Problems<'_>) -> Vec<WaitLimit> {
    const KNOWN: [(&str, f64); 6] = [
        ("p50", 50.0),
        ("p90", 90.0),
        ("p95", 95.0),
        ("p99", 99.0),
        ("p99.9", 99.9),
        ("max", 100.0),
    ];
    let Some(node) = fields.get("waits") else {
        return Vec::new();
    };
    let (path, names) = (fields.path_of("waits"), KNOWN.map(|(name, _)| name));
    let Some(limits) = Mapping::read(node, &path, &names, problems) else {
        return Vec::new();
    };
    let mut waits = Vec::new();
    for (name, percent) in KNOWN {
        if let Some(at_most) = limits.read_with(name, problems, time) {
            waits.push(WaitLimit { percent, at_most });
        }
    }
    if limits.iter().next().is_none() {
        problems.add(
            limits.offset,
            &path,
            format!("expected one of {}", names.join(", ")),
        );
    }
    for pair in waits.windows(2) {
        if let [fewer, more] = pair
            && fewer.at_most > more.at_most
        {
            let message = format!(
                "{}% of the requests within {:?}, but {}% of them within {:?}: the greater part cannot be faster",
                fewer.percent, fewer.at_most, more.percent, more.at_most
            );
            problems.add(limits.offset, &path, message);
        }
    }
    waits
}
