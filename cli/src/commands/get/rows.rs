//! The columns of the tables.

use super::overview::Overview;
use crate::cluster::{age, name, owner, shares, stanza, word};
use crate::output::Table;
use k8s_flowcontrol::Kind;
use serde_json::Value;

/// The value of a cell that is unknown.
const UNKNOWN: &str = "-";

/// An empty table with the columns of a kind.
pub(super) fn table(kind: Kind, overview: &Overview, is_wide: bool) -> Table {
    let mut head = match kind {
        Kind::FlowSchema => vec![
            "NAME",
            "PRIORITYLEVEL",
            "MATCHINGPRECEDENCE",
            "DISTINGUISHERMETHOD",
            "AGE",
            "MISSINGPL",
            "HEALTH",
        ],
        Kind::PriorityLevelConfiguration => {
            vec!["NAME", "TYPE", "SHARES", "NOMINAL", "LENDABLE", "BORROWING"]
        }
    };
    if kind == Kind::PriorityLevelConfiguration {
        if overview.load.is_some() {
            head.extend(["INUSE", "EXECUTING", "WAITING"]);
        }
        head.extend(["AGE", "HEALTH"]);
    }
    if is_wide {
        head.extend(match kind {
            Kind::FlowSchema => ["RULES", "SUBJECTS", "OWNER"].as_slice(),
            Kind::PriorityLevelConfiguration => {
                &["QUEUES", "HANDSIZE", "QUEUELENGTHLIMIT", "OWNER"]
            }
        });
    }
    Table::with_head(&head)
}

/// The cells of an object.
pub(super) fn row(kind: Kind, object: &Value, overview: &Overview, is_wide: bool) -> Vec<String> {
    let mut row = match kind {
        Kind::FlowSchema => flow_schema(object),
        Kind::PriorityLevelConfiguration => level(object, overview),
    };
    row.push(age(object));
    if kind == Kind::FlowSchema {
        row.push(missing_level(object));
    }
    row.push(overview.health(kind, name(object)));
    if is_wide {
        row.extend(match kind {
            Kind::FlowSchema => rules(object),
            Kind::PriorityLevelConfiguration => queues(object),
        });
        let owner = owner(kind, object);
        row.push(owner.map_or_else(|| "<none>".to_owned(), |owner| owner.name));
    }
    row
}

fn flow_schema(object: &Value) -> Vec<String> {
    let spec = &object["spec"];
    vec![
        name(object).to_owned(),
        word(&spec["priorityLevelConfiguration"]["name"]),
        word(&spec["matchingPrecedence"]),
        word(&spec["distinguisherMethod"]["type"]),
    ]
}

/// Whether the priority level is missing, as the server reports it.
fn missing_level(object: &Value) -> String {
    let conditions = object["status"]["conditions"].as_array();
    let mut conditions = conditions.map_or(&[][..], Vec::as_slice).iter();
    let dangling = conditions.find(|condition| condition["type"] == "Dangling");
    dangling.map_or_else(
        || UNKNOWN.to_owned(),
        |condition| word(&condition["status"]),
    )
}

fn level(object: &Value, overview: &Overview) -> Vec<String> {
    let spec = &object["spec"];
    let unknown = || UNKNOWN.to_owned();
    let number = |number: Option<i64>| number.map_or_else(unknown, |number| number.to_string());
    let limits = overview.limits(name(object));
    let borrowing = limits.map(|limits| match limits.borrowing {
        Some(seats) => seats.to_string(),
        None => "no limit".to_owned(),
    });
    let mut row = vec![
        name(object).to_owned(),
        word(&spec["type"]),
        shares(spec).map_or_else(|| "<none>".to_owned(), |shares| shares.to_string()),
        number(limits.map(|limits| limits.nominal)),
        number(limits.map(|limits| limits.lendable)),
        borrowing.unwrap_or_else(unknown),
    ];
    if let Some(load) = &overview.load {
        let level = load.levels.iter().find(|level| level.name == name(object));
        row.extend([
            number(level.and_then(|level| level.seats_in_use)),
            number(level.and_then(|level| level.executing)),
            number(level.and_then(|level| level.waiting)),
        ]);
    }
    row
}

/// The numbers of rules and of their subjects.
fn rules(object: &Value) -> Vec<String> {
    let rules = object["spec"]["rules"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let subjects = rules
        .iter()
        .filter_map(|rule| Some(rule["subjects"].as_array()?.len()));
    vec![rules.len().to_string(), subjects.sum::<usize>().to_string()]
}

fn queues(object: &Value) -> Vec<String> {
    let spec = &object["spec"];
    let queuing = &spec[stanza(spec)]["limitResponse"]["queuing"];
    let fields = ["queues", "handSize", "queueLengthLimit"];
    fields.map(|field| word(&queuing[field])).to_vec()
}
