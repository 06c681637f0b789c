//! Reading an audit log.

use bench_data::{Meter, report, resident};
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::bootstrap;
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol_analysis::audit::AuditLog;
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read};

/// The requests of the text that is read again and again, each time with other audit ids.
const REQUESTS: usize = 20_000;
/// The place of the audit id's first eight digits, which are other ones in every round.
const MARK: &str = "\"auditID\":\"";

/// The envelope of the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Envelope {
    /// Events, one per line.
    None,
    /// Records of Fluent Bit, one per line.
    FluentBit,
    /// A response of CloudWatch Logs over many lines.
    CloudWatch,
}

/// Reads and classifies a log of `events` events: two for each request, 700 bytes each.
pub(crate) fn audit(events: usize, envelope: Envelope) -> Result<(), Box<dyn Error>> {
    let (mut schemas, mut levels) = (Vec::new(), Vec::new());
    for object in bootstrap::objects(Release::NEWEST) {
        match object.kind {
            Kind::FlowSchema => schemas.push(serde_json::from_value(object.tree())?),
            _ => levels.push(serde_json::from_value(object.tree())?),
        }
    }
    let classifier = Classifier::new(&schemas, &levels, Release::NEWEST);
    let mut log = AuditLog::new();
    let mut exempt = 0;
    let input = Log::new(events.div_ceil(2 * REQUESTS), envelope)?;
    let bytes = input.text.len() * input.rounds;
    let meter = Meter::start();
    log.read(BufReader::with_capacity(1 << 20, input), |event| {
        let attributes = event.attributes();
        let taken = classifier.classify(&attributes);
        exempt += usize::from(taken.is_some_and(|taken| taken.flow_schema == "exempt"));
        Ok::<(), io::Error>(())
    })?;
    let (wall, cpu) = meter.stop();
    let counts = log.counts();
    if counts.broken > 0 || counts.requests * 2 != counts.events || exempt == 0 {
        return Err(format!("unexpected: {counts:?}").into());
    }
    report(&[
        ("events/s", counts.events as f64 / wall.as_secs_f64()),
        ("per cpu second", counts.events as f64 / cpu.as_secs_f64()),
        ("MB/s", bytes as f64 / 1e6 / wall.as_secs_f64()),
        ("resident MB", resident() as f64 / 1e6),
    ]);
    Ok(())
}

/// A log of some rounds of the same text.
struct Log {
    text: Vec<u8>,
    /// Where the audit ids begin.
    ids: Vec<usize>,
    at: usize,
    rounds: usize,
    round: usize,
}

impl Log {
    fn new(rounds: usize, envelope: Envelope) -> Result<Self, Box<dyn Error>> {
        let mut text = String::new();
        for number in 0..REQUESTS {
            let (user, groups, verb, object, uri) = match number % 4 {
                0 => (
                    "system:node:node-17",
                    "\"system:nodes\",\"system:authenticated\"",
                    "update",
                    "{\"resource\":\"leases\",\"namespace\":\"kube-node-lease\",\"name\":\"node-17\",\"apiGroup\":\"coordination.k8s.io\",\"apiVersion\":\"v1\"}",
                    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-17?timeout=10s",
                ),
                1 => (
                    "system:serviceaccount:team-a:builder",
                    "\"system:serviceaccounts\",\"system:serviceaccounts:team-a\",\"system:authenticated\"",
                    "list",
                    "{\"resource\":\"pods\",\"namespace\":\"team-a\",\"apiVersion\":\"v1\"}",
                    "/api/v1/namespaces/team-a/pods?labelSelector=app%3Dweb&limit=500",
                ),
                2 => (
                    "admin",
                    "\"system:masters\",\"system:authenticated\"",
                    "get",
                    "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"name\":\"x\",\"apiVersion\":\"v1\"}",
                    "/api/v1/namespaces/default/configmaps/x",
                ),
                _ => (
                    "system:kube-scheduler",
                    "\"system:authenticated\"",
                    "create",
                    "{\"resource\":\"pods\",\"namespace\":\"team-b\",\"name\":\"y\",\"apiVersion\":\"v1\",\"subresource\":\"binding\"}",
                    "/api/v1/namespaces/team-b/pods/y/binding",
                ),
            };
            for stage in ["RequestReceived", "ResponseComplete"] {
                let end = match stage {
                    "ResponseComplete" => {
                        ",\"responseStatus\":{\"metadata\":{},\"code\":200},\"annotations\":{\"authorization.k8s.io/decision\":\"allow\",\"authorization.k8s.io/reason\":\"RBAC: allowed by ClusterRoleBinding \\\"lab-all\\\" of ClusterRole \\\"cluster-admin\\\" to Group \\\"system:authenticated\\\"\"}"
                    }
                    _ => "",
                };
                writeln!(
                    text,
                    "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",{MARK}00000000-3e2b-40b8-a4cf-{number:012x}\",\"stage\":\"{stage}\",\"requestURI\":\"{uri}\",\"verb\":\"{verb}\",\"user\":{{\"username\":\"{user}\",\"uid\":\"bc1a6b94\",\"groups\":[{groups}]}},\"sourceIPs\":[\"10.0.0.1\"],\"userAgent\":\"kubelet/v1.36.2 (linux/amd64) kubernetes/0123456\",\"objectRef\":{object},\"requestReceivedTimestamp\":\"2026-11-22T03:17:13.614429Z\",\"stageTimestamp\":\"2026-11-22T03:17:13.618636Z\"{end}}}"
                )?;
            }
        }
        let (text, mark) = match envelope {
            Envelope::None => (text, MARK.to_owned()),
            _ => (enveloped(&text, envelope), MARK.replace('"', "\\\"")),
        };
        let ids = text.match_indices(&mark).map(|(at, _)| at + mark.len());
        Ok(Self {
            ids: ids.collect(),
            text: text.into_bytes(),
            at: 0,
            rounds,
            round: 0,
        })
    }
}

/// The lines of a text in an envelope.
fn enveloped(text: &str, envelope: Envelope) -> String {
    let mut wrapped = String::new();
    if envelope == Envelope::CloudWatch {
        wrapped.push_str("{\n    \"events\": [\n");
    }
    for (index, line) in text.lines().enumerate() {
        let line = line.replace('\\', "\\\\").replace('"', "\\\"");
        if envelope == Envelope::CloudWatch {
            let comma = if index == 0 { "" } else { ",\n" };
            wrapped.push_str(&format!(
                "{comma}        {{\n            \"logStreamName\": \"kube-apiserver-audit-0\",\n            \"timestamp\": 1767607200350,\n            \"message\": \"{line}\",\n            \"ingestionTime\": 1767607201350,\n            \"eventId\": \"3{index:055}\"\n        }}"
            ));
        } else {
            wrapped.push_str(&format!(
                "{{\"date\":1767607200.35,\"log\":\"{line}\",\"stream\":\"stdout\"}}\n"
            ));
        }
    }
    if envelope == Envelope::CloudWatch {
        wrapped.push_str("\n    ]\n}\n");
    }
    wrapped
}

impl Read for Log {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == self.text.len() {
            self.round += 1;
            self.at = 0;
            if self.round >= self.rounds {
                return Ok(0);
            }
            let digits = format!("{:08x}", self.round);
            for id in &self.ids {
                self.text[*id..id + 8].copy_from_slice(digits.as_bytes());
            }
        }
        let rest = &self.text[self.at..];
        let length = rest.len().min(into.len());
        into[..length].copy_from_slice(&rest[..length]);
        self.at += length;
        Ok(length)
    }
}
