//! Audit logs: the report does not depend on the chunks, and everything that follows from an event is defined.

use k8s_flowcontrol_analysis::audit::{AuditLog, Counts};
use k8s_flowcontrol_analysis::redact::Redactor;
use k8s_flowcontrol_analysis::traffic::Accounting;
use k8s_flowcontrol_types::Release;
use std::io::{self, BufReader};

/// The first byte is the size of the chunks.
pub(crate) fn check(input: &[u8]) {
    let Some((size, log)) = input.split_first() else {
        return;
    };
    let chunk = usize::from(*size).max(1);
    let whole = read(log, 1 << 16);
    let chunks = read(log, chunk);
    assert_eq!(whole.as_ref().ok(), chunks.as_ref().ok());
    let Ok((counts, requests)) = whole else {
        return;
    };
    assert_eq!(counts.requests, requests.len() as u64);
    assert!(counts.incomplete <= counts.requests && counts.requests <= counts.events);
    assert_eq!(counts.broken > 0, counts.first_broken.is_some());
}

/// The counts, and a text for each request.
fn read(log: &[u8], chunk: usize) -> io::Result<(Counts, Vec<String>)> {
    let release = Release::NEWEST;
    let accounting = |redactor| Accounting::new(&[], &[], 600, release).redact(redactor);
    let open = accounting(Redactor::default());
    let redacted = accounting(Redactor::with_key("key"));
    let mut requests = Vec::new();
    let mut each = |event: &k8s_flowcontrol_analysis::audit::Event<'_>| {
        let attributes = event.attributes();
        assert!(!attributes.is_resource_request || event.effective_user().name == attributes.user.name);
        let sample = (open.sample(event), redacted.sample(event));
        let waits = (event.queue_wait(), event.execution_time(), event.response_time());
        let kind = (event.is_rejected_by_flow_control(), event.reached_flow_control());
        requests.push(format!("{event:?} {attributes:?} {waits:?} {kind:?} {sample:?}"));
        Ok::<(), io::Error>(())
    };
    let mut reader = AuditLog::new();
    reader.read(BufReader::with_capacity(chunk, log), &mut each)?;
    let counts = reader.finish(&mut each)?;
    Ok((counts, requests))
}
