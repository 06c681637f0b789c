//! The formats of clouds and log shippers: the same three requests in each.

use flate2::Compression;
use flate2::write::GzEncoder;
use k8s_flowcontrol_analysis::audit::{AuditLog, Counts, Event, Format};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

/// The fixtures with their format, and the entries of other logs in them.
pub(super) const FIXTURES: [(&str, Format, u64); 41] = [
    ("lines.log", Format::Events, 0),
    ("event-list.json", Format::Events, 0),
    ("cloudwatch-filter-log-events.json", Format::CloudWatch, 1),
    ("cloudwatch-insights.json", Format::CloudWatch, 0),
    ("cloudwatch-insights.csv", Format::Records, 0),
    ("cloudwatch-s3-export.log", Format::PrefixedLines, 0),
    ("firehose-s3.json", Format::CloudWatch, 0),
    ("firehose-records.json", Format::CloudWatch, 0),
    ("kinesis-lambda.json", Format::CloudWatch, 0),
    ("lambda-awslogs.json", Format::CloudWatch, 0),
    ("cloud-logging.json", Format::CloudLogging, 0),
    ("cloud-logging-sink.json", Format::CloudLogging, 0),
    ("cloud-logging-entries.json", Format::CloudLogging, 0),
    ("azure-storage.json", Format::AzureDiagnostics, 0),
    ("azure-event-hub.json", Format::AzureDiagnostics, 0),
    ("azure-diagnostics.json", Format::AzureDiagnostics, 0),
    ("azure-diagnostics.csv", Format::AzureDiagnostics, 0),
    ("aks-audit.json", Format::AksAudit, 0),
    ("aks-audit-api.json", Format::AksAudit, 0),
    ("aks-audit.csv", Format::AksAudit, 0),
    ("openshift-node-logs.log", Format::PrefixedLines, 0),
    ("loki-query-range.json", Format::Loki, 0),
    ("loki-query-range-pretty.json", Format::Loki, 0),
    ("logcli.jsonl", Format::Loki, 0),
    ("loki-push.json", Format::Loki, 0),
    ("elasticsearch-search.json", Format::Elasticsearch, 0),
    ("elasticsearch-bulk.ndjson", Format::Events, 0),
    ("elasticsearch-hits.ndjson", Format::Elasticsearch, 0),
    ("splunk-export.json", Format::Splunk, 0),
    ("splunk-hec.json", Format::Splunk, 0),
    ("splunk-export.csv", Format::Splunk, 0),
    ("fluent-bit.json", Format::ContainerLog, 0),
    ("fluent-bit-cri.json", Format::ContainerLog, 0),
    ("fluentd.log", Format::PrefixedLines, 0),
    ("fluent-bit-parsed.json", Format::Events, 0),
    ("vector.json", Format::Records, 0),
    ("journald.json", Format::Journald, 1),
    ("journald-short.log", Format::PrefixedLines, 0),
    ("cri.log", Format::ContainerLog, 2),
    ("docker.log", Format::ContainerLog, 0),
    ("syslog.log", Format::PrefixedLines, 0),
];

pub(super) fn fixture(name: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/envelopes");
    fs::read(folder.join(name)).unwrap()
}

/// The facts of requests, and the counts.
pub(super) fn read(logs: &[&[u8]]) -> (Vec<Facts>, Counts) {
    let mut found = Vec::new();
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        found.push(Facts::of(event));
        Ok::<(), io::Error>(())
    };
    for text in logs {
        log.read(*text, &mut add).unwrap();
    }
    let counts = log.finish(add).unwrap();
    (found, counts)
}

/// The parts of an event that reports are made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Facts {
    id: String,
    attributes: String,
    query: String,
    code: Option<u16>,
    agent: String,
    addresses: Vec<String>,
    took_us: Option<u128>,
    received_us: Option<i64>,
    is_rejected: bool,
}

impl Facts {
    pub(super) fn of(event: &Event<'_>) -> Self {
        Self {
            id: event.audit_id.to_string(),
            attributes: format!("{:?}", event.attributes()),
            query: event.query().to_owned(),
            code: event.code,
            agent: event.user_agent.to_string(),
            addresses: event.source_ips.iter().map(ToString::to_string).collect(),
            took_us: event.response_time().map(|time| time.as_micros()),
            received_us: event.received_us(),
            is_rejected: event.is_rejected_by_flow_control(),
        }
    }

    /// Without the facts that Cloud Logging does not have.
    fn without_times_and_query(mut self) -> Self {
        self.query.clear();
        self.took_us = None;
        self
    }
}

#[test]
fn every_format_carries_the_same_requests() {
    let (expected, _) = read(&[&fixture("lines.log")]);
    assert_eq!(expected.len(), 3);
    assert_eq!(expected[0].took_us, Some(250_000));
    assert!(expected[2].is_rejected && !expected[1].is_rejected);
    let mut seen = BTreeMap::<Format, u32>::new();
    for (name, format, other) in FIXTURES {
        let (found, counts) = read(&[&fixture(name)]);
        let expected = match format {
            Format::CloudLogging => {
                let expected = expected.iter().cloned();
                expected.map(Facts::without_times_and_query).collect()
            }
            _ => expected.clone(),
        };
        assert_eq!(found, expected, "{name}");
        assert_eq!((counts.broken, counts.other), (0, other), "{name}");
        let formats: Vec<_> = counts.formats.keys().copied().collect();
        match name {
            "elasticsearch-bulk.ndjson" => assert_eq!(formats, [Format::Events, Format::Records]),
            _ => assert_eq!(formats, [format], "{name}"),
        }
        *seen.entry(format).or_default() += 1;
    }
    assert_eq!(seen.len(), Format::ALL.len());
    // Lines of other components are neither events nor a format.
    for name in ["kubectl-logs.log", "kubectl-logs-prefix.log"] {
        let (found, counts) = read(&[&fixture(name)]);
        assert_eq!((found, counts.broken), (expected.clone(), 1), "{name}");
    }
}

#[test]
fn formats_can_be_mixed_within_a_log_and_compressed() {
    let mut all = Vec::new();
    let mut parts = 0;
    for (name, _, _) in FIXTURES {
        // A table has a header for the whole log, and its rows lie in no other format.
        if !name.ends_with(".csv") {
            all.extend(fixture(name));
            all.push(b'\n');
            parts += 1;
        }
    }
    assert!(parts > 30);
    let (found, counts) = read(&[&all]);
    // The same request in another format is the same request.
    assert_eq!((found.len(), counts.broken), (3, 0));
    assert!(counts.events > 3 * 30, "{counts:?}");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(&all).unwrap();
    assert_eq!(read(&[&gzip.finish().unwrap()]).1, counts);
}

#[test]
fn frames_of_zstd_are_read_one_after_another() {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    let text = fixture("lines.log");
    let (first, second) = text.split_at(500);
    let frame = |text: &[u8]| compress_to_vec(text, CompressionLevel::Fastest);
    // A frame that is skipped has a length and any content.
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0], b"abc" as &[u8]].concat();
    let log = [frame(first), skipped, frame(second)].concat();
    let (expected, counts) = read(&[&text]);
    assert_eq!(read(&[&log]), (expected, counts));
    let mut reader = AuditLog::new();
    let cut = reader.read(&log[..log.len() - 9], |_| Ok::<(), io::Error>(()));
    assert_eq!(cut.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    let mut damaged = frame(&text);
    damaged[20..60].fill(0xff);
    let result = AuditLog::new().read(&damaged[..], |_| Ok::<(), io::Error>(()));
    assert_eq!(result.unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn prefixes_of_lines_are_removed() {
    let event = String::from_utf8(fixture("lines.log")).unwrap();
    let (event, _) = event.split_once('\n').unwrap();
    let long = "x".repeat(2000);
    for (prefix, events) in [
        ("", 1),
        ("2026-01-01T00:00:00.000Z ", 1),
        ("master-0.example.com ", 1),
        ("[pod/kube-apiserver-a/kube-apiserver] ", 1),
        ("Jan 01 00:00:00 host kube-apiserver[12]: ", 1),
        ("2026-01-01T00:00:00.669794202Z stdout F ", 1),
        // More than any shipper writes.
        (&long, 0),
    ] {
        let (_, counts) = read(&[format!("{prefix}{event}\n").as_bytes()]);
        assert_eq!(
            (counts.events, counts.broken),
            (events, 1 - events),
            "{prefix}"
        );
    }
    // Parts of a line, whose tags can have more than a letter.
    let cri = "2026-01-01T00:00:00.669794202Z stdout";
    let (first, second) = event.split_at(40);
    let log = format!("{cri} P:x {first}\n{cri} F:y {second}\n");
    assert_eq!(read(&[log.as_bytes()]).1.events, 1);
    for text in ["I0101 no event", "2026-01-01T00:00:00Z stdout"] {
        let (_, counts) = read(&[text.as_bytes()]);
        assert_eq!((counts.events, counts.broken), (0, 1), "{text}");
    }
}

#[test]
fn rows_of_tables_are_split_and_unquoted() {
    let table = |header: &str, rows: &[&str]| {
        let log = format!("{header}\r\n{}\r\n", rows.join("\r\n"));
        let (found, counts) = read(&[log.as_bytes()]);
        let ids: Vec<_> = found.into_iter().map(|facts| facts.id).collect();
        (ids, counts.broken)
    };
    // With a mark of the order of bytes, an unknown column, and quotes, commas and ends of lines in cells.
    let header = "\u{feff}TenantId,RequestUri,AuditId,\"Stage\",Verb,User";
    let user = "\"{\"\"username\"\":\r\n\"\"a,b\"\"}\"";
    let row = |id: &str| format!("t,/api,{id},Panic,get,{user}");
    assert_eq!(
        table(header, &[&row("7"), &row("\"8 \"\"a\"\", b\"")]),
        (vec!["7".to_owned(), "8 \"a\", b".to_owned()], 0)
    );
    // Rows with fewer cells or text after a quote.
    let broken = ["t,/api,7,Panic,get", &row("\"8\"x"), &row("9")];
    assert_eq!(table(header, &broken), (vec!["9".to_owned()], 2));
    // No column has events.
    assert_eq!(table("time,level", &["1,info"]), (vec![], 2));
}

/// Text in text in text ends somewhere.
#[test]
fn layers_are_limited() {
    let mut line = String::from_utf8(fixture("lines.log")).unwrap();
    line.truncate(line.find('\n').unwrap());
    let mut events = Vec::new();
    for _ in 0..12 {
        line = serde_json::json!({ "log": line }).to_string();
        events.push(read(&[line.as_bytes()]).1.events);
    }
    assert_eq!(events[0], 1);
    assert!(events.contains(&0), "{events:?}");
}

/// Whatever is cut or changed, reading ends without a panic, and finds no more than there is.
#[test]
fn damaged_formats_are_no_panic() {
    for (name, _, _) in FIXTURES {
        let text = fixture(name);
        for cut in (0..text.len()).step_by(37) {
            let (found, _) = read(&[&text[..cut]]);
            assert!(found.len() <= 3, "{name} {cut}");
        }
        for at in (0..text.len()).step_by(53) {
            let mut changed = text.clone();
            changed[at] = changed[at].wrapping_add(1);
            read(&[&changed]);
        }
    }
}
