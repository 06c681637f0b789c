//! The diagnosis as text and as JSON.

use crate::failure::Failure;
use crate::output::{ERROR, HINT, Streams, WARNING, one_line, plural, write_report};
use jiff::Timestamp;
use k8s_flowcontrol_analysis::diagnosis::{
    Diagnosis, Evidence, Finding, Observation, ServerEvidence, Severity, Verdict,
};
use serde_json::{Value, json};
use std::io::Write;

/// The lines of a finding.
const LINES: usize = 10;

/// Prints the diagnosis for a person: the verdict first.
pub(super) fn text(
    diagnosis: &Diagnosis,
    evidence: &Evidence,
    verbose: bool,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let out = &mut streams.out;
    let style = match diagnosis.verdict {
        Verdict::Healthy => HINT,
        Verdict::AtRisk | Verdict::Unknown => WARNING,
        _ => ERROR,
    };
    out.label(style, &format!("{}:", diagnosis.verdict))?;
    writeln!(out, " {}", one_line(&diagnosis.summary))?;
    for finding in &diagnosis.findings {
        writeln!(out)?;
        let style = match finding.severity {
            Severity::Problem => ERROR,
            Severity::Risk => WARNING,
            _ => HINT,
        };
        out.label(style, &format!("{}[{}]:", finding.severity, finding.check))?;
        writeln!(out, " {}", one_line(&finding.message))?;
        let shown = match verbose {
            true => &finding.evidence,
            false => finding.first_evidence(LINES),
        };
        for observation in shown {
            out.entry(&format!("evidence: {observation}"))?;
        }
        if let Some(more @ 1..) = finding.evidence.len().checked_sub(shown.len()) {
            out.entry(&format!(
                "{} of evidence (--verbose shows all)",
                plural(more, "more line")
            ))?;
        }
        out.entry(&format!("action: {}", finding.action))?;
    }
    if !diagnosis.gaps.is_empty() {
        writeln!(out, "\nNot looked at:")?;
        for gap in &diagnosis.gaps {
            out.entry(&gap.to_string())?;
        }
    }
    let names: Vec<_> = evidence
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    let counted = evidence
        .servers
        .iter()
        .filter(|server| server.metrics.is_some());
    let totals = counted.clone().filter(|server| interval(server).is_none());
    let totals: Vec<_> = totals.map(|server| server.name.as_str()).collect();
    let counters = match (counted.clone().find_map(interval), totals.is_empty()) {
        (Some(seconds), true) => format!("counters of {seconds:.1} seconds; "),
        (Some(seconds), false) => format!(
            "counters of {seconds:.1} seconds, and of {} since the start; ",
            totals.join(", ")
        ),
        (None, false) => "counters since the servers started; ".to_owned(),
        (None, true) => String::new(),
    };
    let logs = of_logs(evidence).map(|(requests, first, last)| {
        let requests = plural(requests, "request");
        format!("{requests} in audit logs from {first} to {last}; ")
    });
    writeln!(out)?;
    out.paragraph(&format!(
        "{}: {}; {counters}{}Kubernetes {}",
        plural(names.len(), "API server"),
        names.join(", "),
        logs.unwrap_or_default(),
        evidence.release
    ))?;
    Ok(())
}

/// The requests of the audit logs, and the times of the first and the last of them.
fn of_logs(evidence: &Evidence) -> Option<(u64, Timestamp, Timestamp)> {
    let log = evidence.log.as_ref()?;
    let (first, last) = log.period_us()?;
    let time = |time| Timestamp::from_microsecond(time).ok();
    Some((log.requests(), time(first)?, time(last)?))
}

/// Prints the diagnosis for a program.
pub(super) fn json(
    diagnosis: &Diagnosis,
    evidence: &Evidence,
    reached_by: &[&str],
    streams: &mut Streams,
) -> Result<(), Failure> {
    let servers = evidence.servers.iter().zip(reached_by);
    let servers: Vec<_> = servers
        .map(|(server, reached_by)| {
            json!({"address": server.name, "reachedBy": reached_by, "intervalSeconds": interval(server)})
        })
        .collect();
    let gaps = diagnosis.gaps.iter();
    let gaps: Vec<_> = gaps
        .map(|gap| json!({"what": gap.what, "why": gap.why}))
        .collect();
    let logs = of_logs(evidence).map(|(requests, first, last)| {
        json!({"requests": requests, "firstRequest": first.to_string(), "lastRequest": last.to_string()})
    });
    let report = json!({
        "verdict": diagnosis.verdict.as_str(),
        "summary": diagnosis.summary,
        "release": evidence.release.to_string(),
        "servers": servers,
        "auditLogs": logs,
        "findings": diagnosis.findings.iter().map(finding).collect::<Vec<_>>(),
        "notLookedAt": gaps,
    });
    write_report(&mut streams.out, report)?;
    Ok(())
}

/// The seconds between the two samples of a server.
fn interval(server: &ServerEvidence) -> Option<f64> {
    let (_, interval) = server.earlier.as_ref()?;
    Some(interval.as_secs_f64())
}

fn finding(finding: &Finding) -> Value {
    json!({
        "check": finding.check,
        "severity": finding.severity.to_string(),
        "server": finding.server,
        "priorityLevel": finding.priority_level,
        "message": finding.message,
        "evidence": finding.evidence.iter().map(observation).collect::<Vec<_>>(),
        "action": finding.action,
    })
}

fn observation(observation: &Observation) -> Value {
    let text = observation.to_string();
    match observation {
        Observation::Metric {
            server,
            series,
            value,
            ..
        } => {
            json!({"type": "metric", "text": text, "server": server, "series": series, "value": value})
        }
        Observation::Dump {
            server,
            dump,
            what,
            value,
        } => {
            json!({"type": "dump", "text": text, "server": server, "dump": dump, "what": what, "value": value})
        }
        Observation::Field {
            kind,
            name,
            path,
            value,
        } => {
            json!({"type": "field", "text": text, "kind": kind.as_str(), "name": name, "path": path, "value": value})
        }
        Observation::Log { what, requests } => {
            json!({"type": "log", "text": text, "what": what, "requests": requests})
        }
        _ => json!({"type": "computed", "text": text}),
    }
}
