//! `traffic --each-request`: the classification of every request.

use crate::audit_logs::{no_requests, read_logs};
use crate::failure::Failure;
use crate::output::Streams;
use k8s_flowcontrol::rules::matching::Classifier;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// The classification of a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(rename = "auditID")]
    audit_id: &'a str,
    flow_schema: Option<&'a str>,
    priority_level: Option<&'a str>,
}

/// Prints the classification of each request.
pub(super) fn print(
    logs: &[PathBuf],
    classifier: &Classifier,
    streams: &mut Streams,
) -> Result<(), Failure> {
    let counts = read_logs(logs, streams, |event, _, streams| {
        let attributes = event.attributes();
        let taken = match event.reached_flow_control() {
            true => classifier.classify(&attributes),
            false => None,
        };
        let answer = Answer {
            audit_id: &event.audit_id,
            flow_schema: taken.map(|taken| taken.flow_schema),
            priority_level: taken.map(|taken| taken.priority_level),
        };
        let mut out = streams.out.data();
        serde_json::to_writer(&mut out, &answer).map_err(io::Error::from)?;
        Ok(writeln!(out)?)
    })?;
    match counts.requests {
        0 => Err(no_requests()),
        _ => Ok(()),
    }
}
