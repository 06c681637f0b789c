//! Evidence of made-up servers.

use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Finding, Observation, ServerEvidence,
};
use k8s_flowcontrol_analysis::dumps::parse_requests;
use k8s_flowcontrol_analysis::metrics::FlowMetrics;
use k8s_flowcontrol_types::Release;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The flow schemas and priority levels of a recorded list.
pub(crate) fn objects(list: &str) -> (Vec<FlowSchema>, Vec<PriorityLevelConfiguration>) {
    let list: Value = serde_json::from_str(list).unwrap();
    let (mut schemas, mut levels) = (Vec::new(), Vec::new());
    for object in list["items"].as_array().unwrap() {
        match object["kind"].as_str().unwrap() {
            "FlowSchema" => schemas.push(serde_json::from_value(object.clone()).unwrap()),
            _ => levels.push(serde_json::from_value(object.clone()).unwrap()),
        }
    }
    (schemas, levels)
}

/// A level with queues.
pub(crate) fn level(name: &str, limited: Value) -> PriorityLevelConfiguration {
    serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {"type": "Limited", "limited": limited},
    }))
    .unwrap()
}

/// The fields of a level with queues.
pub(crate) fn queues(queues: u32, hand_size: u32) -> Value {
    json!({"nominalConcurrencyShares": 30, "limitResponse": {"type": "Queue",
        "queuing": {"queues": queues, "handSize": hand_size, "queueLengthLimit": 50}}})
}

/// A flow schema for all requests of a subject.
pub(crate) fn schema(name: &str, level: &str, precedence: u32, subject: Value) -> FlowSchema {
    serde_json::from_value(json!({
        "metadata": {"name": name},
        "spec": {
            "priorityLevelConfiguration": {"name": level},
            "matchingPrecedence": precedence,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": [{
                "subjects": [subject],
                "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true}],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    }))
    .unwrap()
}

pub(crate) fn user(name: &str) -> Value {
    json!({"kind": "User", "user": {"name": name}})
}

pub(crate) fn group(name: &str) -> Value {
    json!({"kind": "Group", "group": {"name": name}})
}

/// The seats and requests of a level in the metrics of a server.
#[derive(Clone, Copy, Default)]
pub(crate) struct Metrics {
    pub(crate) current: i64,
    pub(crate) minimum: i64,
    pub(crate) maximum: i64,
    pub(crate) in_use: i64,
    pub(crate) waiting: i64,
    pub(crate) rejected: i64,
}

/// A level that has used up its seats.
pub(crate) const FULL: Metrics = Metrics {
    current: 10,
    minimum: 10,
    maximum: 610,
    in_use: 10,
    waiting: 20,
    rejected: 3,
};

/// A level with seats to spare.
pub(crate) const IDLE: Metrics = Metrics {
    current: 10,
    minimum: 10,
    maximum: 610,
    in_use: 1,
    waiting: 0,
    rejected: 0,
};

pub(crate) fn metrics(levels: &[(&str, Metrics)]) -> FlowMetrics {
    let mut text = String::new();
    for (name, level) in levels {
        for (metric, value) in [
            ("current_limit_seats", level.current),
            ("nominal_limit_seats", level.current),
            ("lower_limit_seats", level.minimum),
            ("upper_limit_seats", level.maximum),
            ("current_executing_seats", level.in_use),
            ("current_inqueue_requests", level.waiting),
        ] {
            writeln!(
                text,
                "apiserver_flowcontrol_{metric}{{priority_level=\"{name}\"}} {value}"
            )
            .unwrap();
        }
        writeln!(
            text,
            "apiserver_flowcontrol_rejected_requests_total{{flow_schema=\"{name}\",priority_level=\"{name}\",reason=\"queue-full\"}} {}",
            level.rejected
        )
        .unwrap();
    }
    FlowMetrics::parse(&text)
}

/// A server with metrics.
pub(crate) fn server(name: &str, levels: &[(&str, Metrics)]) -> ServerEvidence {
    let mut server = ServerEvidence::new(name);
    server.metrics = Some(metrics(levels));
    server
}

/// Adds waiting requests of flows of one level and flow schema to the dump of a server, each in another queue.
pub(crate) fn wait(server: &mut ServerEvidence, level: &str, schema: &str, flows: &[(&str, u32)]) {
    let mut text = String::from(
        "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats\n",
    );
    for (flow, requests) in flows {
        for number in 0..*requests {
            writeln!(
                text,
                "{level}, {schema}, {number}, 0, {flow}, 2026-11-20T15:57:05.399662206Z, 1"
            )
            .unwrap();
        }
    }
    let rows = parse_requests(&text).unwrap().rows;
    server.requests.get_or_insert_default().extend(rows);
}

pub(crate) fn evidence(
    schemas: Vec<FlowSchema>,
    levels: Vec<PriorityLevelConfiguration>,
    server: ServerEvidence,
) -> Evidence {
    let mut evidence = Evidence::new(Release::NEWEST, schemas, levels);
    evidence.servers.push(server);
    evidence
}

/// The findings of a check.
pub(crate) fn of<'a>(diagnosis: &'a Diagnosis, check: &str) -> Vec<&'a Finding> {
    let found = diagnosis.findings.iter();
    found.filter(|finding| finding.check == check).collect()
}

/// The lines of a finding's evidence.
pub(crate) fn lines(finding: &Finding) -> Vec<String> {
    finding.evidence.iter().map(ToString::to_string).collect()
}

/// The numbers of a message that are neither in its evidence nor a sum or a difference of values there.
pub(crate) fn unquoted(finding: &Finding) -> Vec<String> {
    let value = |observation: &Observation| match observation {
        Observation::Metric { value, .. } | Observation::Dump { value, .. } => Some(*value),
        Observation::Log { requests, .. } => i64::try_from(*requests).ok(),
        _ => None,
    };
    let values: Vec<i64> = finding.evidence.iter().filter_map(value).collect();
    let sums = (0..values.len()).flat_map(|start| {
        let rest = values[start..].iter();
        rest.scan(0, |sum, value| {
            *sum += value;
            Some(*sum)
        })
    });
    let differences = values
        .iter()
        .flat_map(|one| values.iter().map(move |other| one - other));
    let known: BTreeSet<String> = sums
        .chain(differences)
        .map(|known| known.to_string())
        .chain(lines(finding).iter().flat_map(|line| words(line)))
        .collect();
    let numbers = words(&finding.message).into_iter();
    let numbers = numbers.filter(|word| word.parse::<f64>().is_ok());
    numbers.filter(|number| !known.contains(number)).collect()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split([' ', ',', ';', ':', '(', ')']);
    let words = words.map(|word| word.trim_end_matches('.').to_owned());
    words.collect()
}
