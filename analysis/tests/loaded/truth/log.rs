//! The audit log that the server writes.

use super::{Phase, Request, World};
use k8s_flowcontrol_rules::matching::{RequestAttributes, User};
use serde_json::json;
use std::collections::BTreeMap;

impl World<'_> {
    pub(super) fn attributes(&self, request: usize) -> RequestAttributes {
        let request = &self.requests[request];
        let client = self.run.clients[self.connections[request.connection]];
        let mut groups = vec!["system:authenticated"];
        groups.extend((!client.group.is_empty()).then_some(client.group));
        let user = User::new(client.user, groups);
        let (method, path) = path(request);
        RequestAttributes::from_http(method, &path, user).unwrap()
    }

    pub(super) fn respond(&mut self, request: usize) {
        let wait = self.requests[request].dispatched - self.requests[request].ended;
        let took = self.now - self.requests[request].received;
        let is_rejected = self.requests[request].retry_after.is_some();
        self.count(request, |counted| match is_rejected {
            true => counted.rejected += 1,
            false => counted.responses.push(took),
        });
        self.write(request, wait, took);
        let time = self.spread(self.run.machine.client);
        self.job(time, request, Phase::Client);
    }

    fn write(&mut self, number: usize, wait: f64, took: f64) {
        let attributes = self.attributes(number);
        let request = &self.requests[number];
        let client = self.run.clients[self.connections[request.connection]];
        let mut annotations = BTreeMap::new();
        if request.retry_after.is_none() {
            annotations.insert("authorization.k8s.io/decision", "allow".to_owned());
        }
        let (_, path) = path(request);
        let mut object =
            json!({"resource": "configmaps", "namespace": "default", "apiVersion": "v1"});
        if !attributes.name.is_empty() {
            object["name"] = attributes.name.clone().into();
        }
        let mut groups = vec!["system:authenticated"];
        groups.extend((!client.group.is_empty()).then_some(client.group));
        let mut event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": number.to_string(),
            "stage": "ResponseComplete", "requestURI": path, "verb": attributes.verb,
            "user": {"username": client.user, "groups": groups},
            "objectRef": object,
            "responseStatus": {"code": if request.retry_after.is_some() { 429 } else { 200 }},
            "requestReceivedTimestamp": time(request.received),
            "stageTimestamp": time(self.now),
            "annotations": annotations,
        });
        if self.now < self.run.rotated {
            return;
        }
        let is_recorded = took > 0.5 && request.ended > 0.0;
        self.logs[1] += &format!("{event}\n");
        if is_recorded {
            let wait = format!("{:.6}ms", wait * 1000.0);
            event["annotations"]["apiserver.latency.k8s.io/apf-queue-wait"] = wait.into();
        }
        self.logs[0] += &format!("{event}\n");
    }
}

fn path(request: &Request) -> (&'static str, String) {
    let all = "/api/v1/namespaces/default/configmaps";
    match request.kind {
        0 => ("GET", format!("{all}?resourceVersion=0")),
        1 => ("GET", format!("{all}/c{}", request.name)),
        _ => ("PATCH", format!("{all}/c{}", request.name)),
    }
}

fn time(at: f64) -> String {
    let at = at + 7.0;
    let (minutes, seconds) = ((at / 60.0).floor(), at % 60.0);
    format!("2026-01-02T03:{minutes:02}:{seconds:09.6}Z")
}
