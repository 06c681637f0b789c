//! The clients of old versions in an audit log.

use super::refusal::refused_from;
use crate::failure::Failure;
use crate::input::LIMIT;
use k8s_flowcontrol::{GROUP, Release};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, BufRead, Read};

/// A client that requested a resource in an old version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Caller {
    pub(crate) user: String,
    pub(crate) user_agent: String,
    pub(crate) version: String,
    /// The resource, followed by a slash and the subresource if there is one.
    pub(crate) resource: String,
    /// The number of requests with each verb.
    pub(crate) verbs: BTreeMap<String, usize>,
    /// Whether any of the verbs writes.
    pub(crate) writes: bool,
    /// The number of requests that failed.
    pub(crate) failed: usize,
    /// Whether the server marked any of the requests as deprecated.
    pub(crate) deprecated: bool,
    /// The time of the last request.
    pub(crate) last: Option<String>,
    #[serde(serialize_with = "super::refusal::as_release")]
    pub(crate) refused_from: u32,
}

/// The clients in an audit log.
#[derive(Debug, Default)]
pub(crate) struct AuditLog {
    /// The number of events.
    pub(crate) events: usize,
    /// The number of events about objects of the group, in any version.
    pub(crate) our_events: usize,
    /// The number of lines that are no events.
    pub(crate) broken: usize,
    /// The line number of the first of them.
    pub(crate) first_broken: Option<usize>,
    callers: BTreeMap<Key, Caller>,
    /// Watches that have started. They are counted at their start, because they may still be open.
    watches: HashSet<String>,
}

/// Reads a line of at most [`LIMIT`] bytes with its line break. Of a longer line, the rest is skipped and false is returned.
/// At the end of the input the line is empty.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    input.by_ref().take(LIMIT).read_until(b'\n', line)?;
    if (line.len() as u64) < LIMIT || line.ends_with(b"\n") {
        return Ok(true);
    }
    input.skip_until(b'\n')?;
    Ok(false)
}

/// User, user agent, version, and resource.
type Key = (String, String, String, String);

impl AuditLog {
    /// Reads a log of any length in JSON lines, with one event or list of events per line. A line that is longer than
    /// [`LIMIT`] is no event.
    pub(crate) fn read(
        mut input: impl BufRead,
        name: &str,
        target: Release,
    ) -> Result<Self, Failure> {
        let mut log = Self::default();
        let mut line = Vec::new();
        let mut number = 0;
        loop {
            line.clear();
            let is_whole = read_line(&mut input, &mut line)
                .map_err(|error| Failure::input(format!("cannot read {name}: {error}")))?;
            if line.is_empty() {
                break;
            }
            number += 1;
            if !is_whole {
                log.broken_line(number);
                continue;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            log.line(&line, number, target);
        }
        if log.events == 0 && log.broken > 0 {
            let failure = Failure::input(format!("{name} contains no audit events"));
            return Err(failure.hint(
                "expected events of audit.k8s.io/v1 in JSON, one per line, as `--audit-log-format=json` writes them",
            ));
        }
        Ok(log)
    }

    fn line(&mut self, line: &[u8], number: usize, target: Release) {
        match serde_json::from_slice::<Event>(line) {
            Ok(event) if event.is_known() => match event.items {
                Some(events) => {
                    for event in events {
                        self.event(event, target);
                    }
                }
                None => self.event(event, target),
            },
            _ => self.broken_line(number),
        }
    }

    fn broken_line(&mut self, number: usize) {
        self.broken += 1;
        self.first_broken.get_or_insert(number);
    }

    fn event(&mut self, event: Event, target: Release) {
        self.events += 1;
        let Some(reference) = &event.object_ref else {
            return;
        };
        if reference.api_group.as_deref() != Some(GROUP) {
            return;
        }
        self.our_events += 1;
        let version = reference.api_version.clone().unwrap_or_default();
        let Some(refused_from) = refused_from(&version, target) else {
            return;
        };
        let is_new = match (event.stage.as_deref(), &event.audit_id) {
            (Some("ResponseStarted"), Some(id)) => self.watches.insert(id.clone()),
            (Some("ResponseComplete" | "Panic"), Some(id)) => !self.watches.remove(id),
            (Some("ResponseComplete" | "Panic"), None) => true,
            _ => return,
        };
        let resource = match (&reference.resource, &reference.subresource) {
            (resource, Some(subresource)) => {
                format!("{}/{subresource}", resource.as_deref().unwrap_or_default())
            }
            (resource, None) => resource.clone().unwrap_or_default(),
        };
        let user = event.impersonated_user.or(event.user);
        let user = user.and_then(|user| user.username).unwrap_or_default();
        let user_agent = event.user_agent.unwrap_or_default();
        let key = (user, user_agent, version, resource);
        let caller = self.callers.entry(key.clone()).or_insert_with(|| Caller {
            user: key.0,
            user_agent: key.1,
            version: key.2,
            resource: key.3,
            verbs: BTreeMap::new(),
            writes: false,
            failed: 0,
            deprecated: false,
            last: None,
            refused_from,
        });
        let annotations = event.annotations.unwrap_or_default();
        caller.deprecated |= annotations
            .get("k8s.io/deprecated")
            .is_some_and(|value| value == "true");
        let time = event.request_received_timestamp;
        if time > caller.last {
            caller.last = time;
        }
        if is_new {
            let verb = event.verb.unwrap_or_default();
            caller.writes |= WRITES.contains(&verb.as_str());
            *caller.verbs.entry(verb).or_default() += 1;
            let code = event.response_status.and_then(|status| status.code);
            caller.failed += usize::from(code.is_some_and(|code| code >= 400));
        }
    }

    /// The clients of old versions, writers first.
    pub(crate) fn callers(&self) -> Vec<&Caller> {
        let mut callers: Vec<_> = self.callers.values().collect();
        callers.sort_by_key(|caller| !caller.writes);
        callers
    }
}

const WRITES: [&str; 5] = ["create", "update", "patch", "delete", "deletecollection"];

/// An event, or a list of them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    kind: Option<String>,
    api_version: Option<String>,
    items: Option<Vec<Event>>,
    #[serde(rename = "auditID")]
    audit_id: Option<String>,
    stage: Option<String>,
    verb: Option<String>,
    user: Option<User>,
    impersonated_user: Option<User>,
    user_agent: Option<String>,
    object_ref: Option<Reference>,
    response_status: Option<ResponseStatus>,
    annotations: Option<BTreeMap<String, String>>,
    request_received_timestamp: Option<String>,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    resource: Option<String>,
    subresource: Option<String>,
    api_group: Option<String>,
    api_version: Option<String>,
}

#[derive(Deserialize)]
struct ResponseStatus {
    code: Option<u16>,
}

impl Event {
    fn is_known(&self) -> bool {
        let is_audit = |version: &String| version.starts_with("audit.k8s.io/");
        self.api_version.as_ref().is_some_and(is_audit)
            && matches!(self.kind.as_deref(), Some("Event" | "EventList"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(stage: &str, verb: &str, version: &str) -> Value {
        json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": "1", "stage": stage, "verb": verb,
            "user": {"username": "carol"}, "userAgent": "helm/3",
            "objectRef": {"apiGroup": GROUP, "apiVersion": version, "resource": "flowschemas"},
            "responseStatus": {"code": 200}, "requestReceivedTimestamp": "2026-01-01T00:00:00.000001Z",
            "annotations": {"k8s.io/deprecated": "true", "k8s.io/removed-release": "1.32"},
        })
    }

    fn read(lines: &[Value]) -> AuditLog {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        AuditLog::read(text.as_bytes(), "log", Release::NEWEST).unwrap()
    }

    #[test]
    fn requests_are_counted_once() {
        let log = read(&[
            event("RequestReceived", "create", "v1beta3"),
            event("ResponseComplete", "create", "v1beta3"),
            event("ResponseComplete", "list", "v1"),
            event("ResponseStarted", "watch", "v1beta3"),
            event("ResponseComplete", "watch", "v1beta3"),
        ]);
        assert_eq!(log.events, 5);
        let callers = log.callers();
        assert_eq!(callers.len(), 1);
        assert_eq!(
            (callers[0].user.as_str(), callers[0].writes),
            ("carol", true)
        );
        let verbs: Vec<_> = callers[0].verbs.iter().collect();
        assert_eq!(
            verbs,
            [(&"create".to_owned(), &1), (&"watch".to_owned(), &1)]
        );
    }

    #[test]
    fn a_watch_that_is_still_open_counts() {
        let log = read(&[event("ResponseStarted", "watch", "v1beta3")]);
        assert_eq!(log.callers()[0].verbs["watch"], 1);
        assert!(!log.callers()[0].writes);
    }

    #[test]
    fn whoever_is_impersonated_is_the_caller_and_errors_are_counted() {
        let mut refused = event("ResponseComplete", "update", "v1beta2");
        refused["impersonatedUser"] = json!({"username": "dave"});
        refused["responseStatus"]["code"] = 404.into();
        refused["annotations"] = Value::Null;
        let list =
            json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [refused]});
        let log = read(&[list]);
        let caller = log.callers()[0];
        assert_eq!((caller.user.as_str(), caller.failed), ("dave", 1));
        assert_eq!((caller.deprecated, caller.refused_from), (false, 29));
    }

    #[test]
    fn lines_that_are_no_events() {
        let text = format!(
            "{}\n\n{{\"kind\":\n",
            event("ResponseComplete", "get", "v1")
        );
        let log = AuditLog::read(text.as_bytes(), "log", Release::NEWEST).unwrap();
        assert_eq!((log.broken, log.first_broken), (1, Some(3)));
        assert!(AuditLog::read(&b"{}\n"[..], "log", Release::NEWEST).is_err());
        assert!(AuditLog::read(&b""[..], "log", Release::NEWEST).is_ok());
    }
}
