//! Reading an audit log.

use crate::built_in;
use bench_data::{Meter, report, resident};
use k8s_flowcontrol::Release;
use k8s_flowcontrol::rules::matching::Classifier;
use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::diagnosis::{Evidence, LogTally, Scope, diagnose};
use k8s_flowcontrol_analysis::traffic::{Accounting, Traffic};
use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, BufReader, Read};

/// The requests of the text that is read again and again, each time with other audit ids.
const REQUESTS: usize = 20_000;
/// The place of the audit id's first eight digits, which are other ones in every round.
const MARK: &str = "\"auditID\":\"";
/// The minute of all times, which is the next one in every round.
const MINUTE: &str = "2026-11-22T00:00";
/// The nodes and the service accounts.
const NODES: usize = 1000;
const ACCOUNTS: usize = 300;

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
    let (schemas, levels) = built_in();
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

/// Reads a log of `events` events, and makes the whole report of `traffic`: seats, seat-seconds by second, users, flows, gaps.
pub(crate) fn whole_report(events: usize, envelope: Envelope) -> Result<(), Box<dyn Error>> {
    let (schemas, levels) = built_in();
    let accounting = Accounting::new(&schemas, &levels, 600, Release::NEWEST);
    let mut traffic = Traffic::new(&accounting);
    let mut log = AuditLog::new();
    let input = Log::new(events.div_ceil(2 * REQUESTS), envelope)?;
    let bytes = input.text.len() * input.rounds;
    let meter = Meter::start();
    traffic.begin_log();
    log.read(BufReader::with_capacity(1 << 20, input), |event| {
        traffic.add(event, accounting.sample(event));
        Ok::<(), io::Error>(())
    })?;
    let counts = log.finish(|_| Ok::<(), io::Error>(()))?;
    traffic.add_counts(&counts);
    let (wall, cpu) = meter.stop();
    let memory = resident();
    let partial = traffic.clone().to_json()?.len();
    let made = traffic.report();
    if counts.broken > 0 || made.requests * 2 != counts.events || made.priority_levels.len() < 4 {
        return Err(format!("unexpected: {counts:?}").into());
    }
    report(&[
        ("events", counts.events as f64),
        ("GB", bytes as f64 / 1e9),
        ("seconds", wall.as_secs_f64()),
        ("cpu seconds", cpu.as_secs_f64()),
        (
            "events per cpu second",
            counts.events as f64 / cpu.as_secs_f64(),
        ),
        ("resident MB", memory as f64 / 1e6),
        ("partial result bytes", partial as f64),
        ("report bytes", serde_json::to_vec(&made)?.len() as f64),
    ]);
    Ok(())
}

/// Reads a log of `events` events, and diagnoses the cluster by it alone.
pub(crate) fn diagnosis(events: usize) -> Result<(), Box<dyn Error>> {
    let (schemas, levels) = built_in();
    let scope = Scope::default();
    let mut tally = LogTally::new(&schemas, &levels, Release::NEWEST, &scope);
    let input = log(events)?;
    let meter = Meter::start();
    AuditLog::new().read(BufReader::with_capacity(1 << 20, input), |event| {
        tally.add(event);
        Ok::<(), io::Error>(())
    })?;
    let mut evidence = Evidence::new(Release::NEWEST, schemas, levels);
    evidence.log = Some(tally);
    let diagnosis = diagnose(&evidence, &scope);
    let (_, cpu) = meter.stop();
    report(&[
        ("findings", diagnosis.findings.len() as f64),
        ("cpu seconds", cpu.as_secs_f64()),
    ]);
    Ok(())
}

/// A log of about so many events.
pub(crate) fn log(events: usize) -> Result<impl Read, Box<dyn Error>> {
    Log::new(events.div_ceil(2 * REQUESTS), Envelope::None)
}

/// A log of some rounds of the same text.
struct Log {
    text: Vec<u8>,
    /// Where the audit ids begin, and the times.
    ids: Vec<usize>,
    times: Vec<usize>,
    at: usize,
    rounds: usize,
    round: usize,
}

impl Log {
    fn new(rounds: usize, envelope: Envelope) -> Result<Self, Box<dyn Error>> {
        let mut text = String::new();
        for number in 0..REQUESTS {
            let (node, account) = (number % NODES, number % ACCOUNTS);
            let (user, groups, verb, object, uri) = match number % 4 {
                0 => (
                    format!("system:node:node-{node}"),
                    "\"system:nodes\",\"system:authenticated\"",
                    "update",
                    "{\"resource\":\"leases\",\"namespace\":\"kube-node-lease\",\"name\":\"node-17\",\"apiGroup\":\"coordination.k8s.io\",\"apiVersion\":\"v1\"}",
                    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/node-17?timeout=10s",
                ),
                1 => (
                    format!("system:serviceaccount:team-a:builder-{account}"),
                    "\"system:serviceaccounts\",\"system:serviceaccounts:team-a\",\"system:authenticated\"",
                    "list",
                    "{\"resource\":\"pods\",\"namespace\":\"team-a\",\"apiVersion\":\"v1\"}",
                    "/api/v1/namespaces/team-a/pods?labelSelector=app%3Dweb&limit=500",
                ),
                2 => (
                    "admin".to_owned(),
                    "\"system:masters\",\"system:authenticated\"",
                    "get",
                    "{\"resource\":\"configmaps\",\"namespace\":\"default\",\"name\":\"x\",\"apiVersion\":\"v1\"}",
                    "/api/v1/namespaces/default/configmaps/x",
                ),
                _ => (
                    "system:kube-scheduler".to_owned(),
                    "\"system:authenticated\"",
                    "create",
                    "{\"resource\":\"pods\",\"namespace\":\"team-b\",\"name\":\"y\",\"apiVersion\":\"v1\",\"subresource\":\"binding\"}",
                    "/api/v1/namespaces/team-b/pods/y/binding",
                ),
            };
            let second = number * 60 / REQUESTS;
            for stage in ["RequestReceived", "ResponseComplete"] {
                let end = match stage {
                    "ResponseComplete" => {
                        ",\"responseStatus\":{\"metadata\":{},\"code\":200},\"annotations\":{\"authorization.k8s.io/decision\":\"allow\",\"authorization.k8s.io/reason\":\"RBAC: allowed by ClusterRoleBinding \\\"lab-all\\\" of ClusterRole \\\"cluster-admin\\\" to Group \\\"system:authenticated\\\"\"}"
                    }
                    _ => "",
                };
                writeln!(
                    text,
                    "{{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Metadata\",{MARK}00000000-3e2b-40b8-a4cf-{number:012x}\",\"stage\":\"{stage}\",\"requestURI\":\"{uri}\",\"verb\":\"{verb}\",\"user\":{{\"username\":\"{user}\",\"uid\":\"bc1a6b94\",\"groups\":[{groups}]}},\"sourceIPs\":[\"10.0.0.1\"],\"userAgent\":\"kubelet/v1.36.2 (linux/amd64) kubernetes/0123456\",\"objectRef\":{object},\"requestReceivedTimestamp\":\"{MINUTE}:{second:02}.614429Z\",\"stageTimestamp\":\"{MINUTE}:{second:02}.618636Z\"{end}}}"
                )?;
            }
        }
        let (text, mark) = match envelope {
            Envelope::None => (text, MARK.to_owned()),
            _ => (enveloped(&text, envelope), MARK.replace('"', "\\\"")),
        };
        let ids = text.match_indices(&mark).map(|(at, _)| at + mark.len());
        let times = text.match_indices(MINUTE).map(|(at, _)| at);
        Ok(Self {
            times: times.collect(),
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

/// The minute of a round, as [`MINUTE`] is that of the first one; after nine days they begin again.
fn minute(round: usize) -> String {
    let (day, minute) = (22 + round / 1440 % 9, round % 1440);
    format!("2026-11-{day:02}T{:02}:{:02}", minute / 60, minute % 60)
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
            let minute = minute(self.round);
            for time in &self.times {
                self.text[*time..time + MINUTE.len()].copy_from_slice(minute.as_bytes());
            }
        }
        let length = (&self.text[self.at..]).read(into)?;
        self.at += length;
        Ok(length)
    }
}
