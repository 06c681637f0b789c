//! The clients behind requests.

use k8s_flowcontrol_analysis::audit::AuditLog;
use k8s_flowcontrol_analysis::callers::{By, CallerReport, Callers, ChangeKind};
use k8s_flowcontrol_analysis::redact::Redactor;
use serde_json::{Value, json};
use std::io;

/// A request by a service account, with its user agent, verb, query, second and status code.
fn request(
    id: usize,
    user: &str,
    agent: &str,
    verb: &str,
    query: &str,
    second: usize,
    code: u16,
) -> Value {
    let time = |second: usize| {
        format!(
            "2026-01-05T{:02}:{:02}:{:02}.000000Z",
            second / 3600,
            second / 60 % 60,
            second % 60
        )
    };
    let annotations = match code {
        429 => json!({}),
        _ => json!({"authorization.k8s.io/decision": "allow"}),
    };
    json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": id.to_string(), "stage": "ResponseComplete",
        "requestURI": format!("/api/v1/namespaces/team-a/pods{query}"), "verb": verb, "userAgent": agent, "sourceIPs": ["10.1.2.3"],
        "user": {"username": user, "groups": ["system:authenticated"]},
        "objectRef": {"resource": "pods", "namespace": "team-a", "apiVersion": "v1"}, "responseStatus": {"code": code},
        "requestReceivedTimestamp": time(second), "stageTimestamp": time(second + 10), "annotations": annotations,
    })
}

fn report(events: &[Value], by: By) -> CallerReport {
    let log: String = events.iter().map(|event| format!("{event}\n")).collect();
    let mut callers = Callers::new(by, Redactor::default());
    let mut reader = AuditLog::new();
    let read = reader.read(log.as_bytes(), |event| {
        callers.add(event, 2);
        Ok::<(), io::Error>(())
    });
    read.unwrap();
    callers.report()
}

/// The name of the only caller.
fn name(user: &str, agent: &str, more: Value) -> String {
    let mut event = request(0, user, agent, "list", "", 0, 200);
    for (field, value) in more.as_object().unwrap() {
        event[field] = value.clone();
    }
    report(&[event], By::Caller).groups.remove(0).name
}

#[test]
fn user_and_agent_are_joined_to_a_name() {
    let account = "system:serviceaccount:argocd:argocd-application-controller";
    for (user, agent, expected) in [
        (
            account,
            "argocd-application-controller/v2.12.0 (linux/amd64)",
            "argocd/argocd-application-controller",
        ),
        (
            account,
            "Go-http-client/2.0",
            "argocd/argocd-application-controller",
        ),
        (
            account,
            "helm/3.15",
            "argocd/argocd-application-controller (helm)",
        ),
        (
            "system:node:n1",
            "kubelet/v1.33.2 (linux/amd64) kubernetes/0",
            "kubelet",
        ),
        ("system:node:n1", "crictl/1", "crictl on nodes"),
        (
            "system:kube-scheduler",
            "kube-scheduler/v1.33.2 (linux/amd64) kubernetes/0/scheduler",
            "kube-scheduler",
        ),
        (
            "system:kube-controller-manager",
            "kube-controller-manager/v1.33.2 (linux/amd64) kubernetes/0/system:serviceaccount:kube-system:job-controller",
            "kube-controller-manager (job-controller)",
        ),
        // AKS has one certificate for many programs.
        ("masterclient", "flux/v2.3.0", "masterclient (flux)"),
        ("alice", "", "alice"),
        ("system:anonymous", "", "anonymous from 10.1.2.0/24"),
    ] {
        assert_eq!(name(user, agent, json!({})), expected, "{user} {agent}");
    }
    let impersonated = json!({"impersonatedUser": {"username": "bob"}});
    assert_eq!(
        name("alice", "kubectl/v1.33.0", impersonated),
        "bob via alice (kubectl)"
    );
    let v6 = json!({"sourceIPs": ["2001:db8:1:2:3::9"]});
    assert_eq!(name("", "", v6), "anonymous from 2001:db8:1:2::/64");
}

#[test]
fn requests_are_grouped_by_each_property() {
    let mut path = request(1, "bob", "curl/8", "get", "", 1, 200);
    path.as_object_mut().unwrap().remove("objectRef");
    path["requestURI"] = "/version".into();
    let events = [request(0, "alice", "kubectl/v1", "list", "", 0, 200), path];
    for (by, expected) in [
        (By::Caller, ["alice (kubectl)", "bob (curl)"]),
        (By::User, ["alice", "bob"]),
        (By::Agent, ["curl/8", "kubectl/v1"]),
        (By::Namespace, ["", "team-a"]),
        (By::Verb, ["get", "list"]),
        (By::Resource, ["/version", "pods"]),
    ] {
        let names: Vec<_> = report(&events, by)
            .groups
            .into_iter()
            .map(|group| group.name)
            .collect();
        assert_eq!(names, expected, "{by}");
    }
}

#[test]
fn habits_are_counted() {
    let mut events = Vec::new();
    for (index, (verb, query, second, code)) in [
        ("list", "?resourceVersion=0&limit=500", 0, 200),
        ("list", "", 1, 200),
        ("list", "?limit=500", 2, 200),
        ("list", "?limit=500&continue=x", 3, 200),
        ("watch", "?watch=true", 4, 200),
        ("create", "", 20, 429),
        ("create", "", 20, 429),
        // Requests before the end of a rejected one do not repeat it.
        ("create", "", 29, 201),
        ("create", "", 30, 201),
        // Each rejection is repeated once.
        ("get", "", 40, 429),
        ("get", "", 51, 200),
        ("get", "", 52, 200),
        ("create", "", 200, 201),
        ("get", "", 201, 404),
    ]
    .into_iter()
    .enumerate()
    {
        events.push(request(index, "alice", "app/1", verb, query, second, code));
    }
    // A watch of five minutes.
    let mut long = request(99, "alice", "app/1", "watch", "?watch=true", 210, 200);
    long["stageTimestamp"] = "2026-01-05T00:09:00.000000Z".into();
    events.push(long);
    let calls = report(&events, By::Caller).groups[0].calls;
    assert_eq!((calls.requests, calls.seats, calls.lists), (15, 30, 4));
    assert_eq!((calls.newest_lists, calls.unlimited_lists), (2, 1));
    assert_eq!((calls.watches, calls.short_watches), (2, 1));
    assert_eq!(
        (
            calls.rejected,
            calls.retries,
            calls.hasty_retries,
            calls.errors
        ),
        (3, 2, 1, 1)
    );
}

#[test]
fn changes_are_new_callers_and_worse_habits() {
    let hour = |events: &mut Vec<Value>, user: &str, verb: &str, query: &str, number: usize| {
        for index in 0..number {
            let second = index * 3600 / number;
            events.push(request(
                events.len(),
                user,
                "app/1",
                verb,
                query,
                second,
                200,
            ));
        }
    };
    let mut before = vec![
        request(0, "x", "app/1", "get", "", 0, 200),
        request(1, "x", "app/1", "get", "", 3600, 200),
    ];
    let mut after = before.clone();
    for events in [&mut before, &mut after] {
        hour(events, "same", "list", "?resourceVersion=0", 60);
    }
    hour(&mut before, "lists", "list", "?resourceVersion=0", 60);
    hour(&mut after, "lists", "list", "", 120);
    hour(&mut before, "gone", "get", "", 12);
    hour(&mut after, "new", "watch", "?watch=1", 36);
    let changes = report(&after, By::User).changes_since(&report(&before, By::User));
    let changes: Vec<_> = changes
        .iter()
        .map(|change| {
            (
                change.name.as_str(),
                change.kind,
                change.before,
                change.after,
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            ("lists", ChangeKind::MissingResourceVersion, 0.0, 120.0),
            ("lists", ChangeKind::Requests, 60.0, 120.0),
            ("lists", ChangeKind::Lists, 60.0, 120.0),
            ("new", ChangeKind::New, 0.0, 36.0),
            ("new", ChangeKind::RestartingWatches, 0.0, 36.0),
            ("gone", ChangeKind::Gone, 12.0, 0.0),
        ]
    );
    let same = report(&before, By::User);
    assert_eq!(same.changes_since(&same), []);

    // A watch that arrived long before its log does not lower the rates.
    let mut watch = request(9999, "x", "app/1", "watch", "?watch=1", 60, 200);
    watch["requestReceivedTimestamp"] = "2026-01-01T00:00:00.000000Z".into();
    before.push(watch);
    let with_watch = report(&before, By::User);
    assert_eq!(
        with_watch.first_request.as_deref(),
        Some("2026-01-01T00:00:00Z")
    );
    assert_eq!(same.changes_since(&with_watch), []);
}
