//! An added flow schema is matched before every present one that takes requests of its client.

use super::brute_force::Random;
use super::{RELEASE, built_in};
use k8s_flowcontrol_analysis::size::{Answer, Intents, Sizer};
use k8s_flowcontrol_rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol_types::Resource;
use k8s_flowcontrol_types::api::v1::FlowSchema;
use serde_json::json;
use std::ops::ControlFlow;

/// Clients of intents, with a user of each. The later ones are parts of earlier ones.
fn clients() -> Vec<(&'static str, User)> {
    let robot = User::service_account("a", "x");
    vec![
        ("{group: team}", User::authenticated("carol", ["team"])),
        ("{namespace: a}", User::service_account("a", "y")),
        ("{user: alice}", User::authenticated("alice", ["team"])),
        ("{serviceAccount: a/x}", robot),
    ]
}

/// A flow schema that takes some or all requests of some of the clients.
fn present(random: &mut Random, number: usize) -> FlowSchema {
    let group = |name: &str| json!({"kind": "Group", "group": {"name": name}});
    let user = |name: &str| json!({"kind": "User", "user": {"name": name}});
    let subject = match random.below(7) {
        0 => user("alice"),
        1 => user("*"),
        2 => group("team"),
        3 => group("system:authenticated"),
        4 => group("system:serviceaccounts:a"),
        5 => user("system:serviceaccount:a:x"),
        _ => json!({"kind": "ServiceAccount", "serviceAccount": {"namespace": "a", "name": "*"}}),
    };
    let resource = random.one_of(&["*", "pods", "leases"]);
    // Names before and after those of added flow schemas, and often the same precedence.
    let name = format!("{}-{number}", random.one_of(&["a", "z"]));
    let precedence = random.one_of(&[20, 21, 500, 1000, 9999]);
    let schema = json!({
        "metadata": {"name": name},
        "spec": {
            "matchingPrecedence": precedence,
            "priorityLevelConfiguration": {"name": "workload-low"},
            "rules": [{
                "subjects": [subject],
                "resourceRules": [{
                    "verbs": ["*"], "apiGroups": ["*"], "resources": [resource], "namespaces": ["*"], "clusterScope": true,
                }],
                "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            }],
        },
    });
    serde_json::from_value(schema).unwrap()
}

fn requests(user: &User) -> Vec<RequestAttributes> {
    [
        ("GET", "/api/v1/namespaces/n/pods/p"),
        ("POST", "/apis/coordination.k8s.io/v1/namespaces/n/leases"),
        ("GET", "/api/v1/nodes?watch=1"),
        ("GET", "/version"),
    ]
    .into_iter()
    .map(|(method, path)| RequestAttributes::from_http(method, path, user.clone()).unwrap())
    .collect()
}

#[test]
fn an_added_flow_schema_takes_all_requests_of_its_client() {
    let mut random = Random(17);
    let (built_in_schemas, levels) = built_in();
    let mut added = 0;
    for case in 0..if crate::tries_all() { 100 } else { 20 } {
        let mut schemas = built_in_schemas.clone();
        schemas
            .extend((0..1 + random.below(6)).map(|number| present(&mut random, number as usize)));
        let mut clients = clients();
        clients.retain(|_| random.below(2) == 0);
        let mut text = String::from("server: {seats: 200}\nduration: 1s\nintents:\n");
        for (client, _) in &clients {
            text.push_str(&format!(
                "- client: {client}\n  neverMoreThan: {{seats: 20}}\n  atLoad: {{concurrent: 2, meanSeconds: 0.1}}\n"
            ));
        }
        if clients.is_empty() {
            continue;
        }
        let intents = Intents::read(text.as_bytes()).unwrap();
        let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
        let answer = sizer.size(|_| ControlFlow::Continue(())).unwrap();
        let Answer::Sized(sizing) = answer else {
            panic!("{text}{answer:?}")
        };
        let before = Classifier::new(&schemas, &levels, RELEASE);
        let after = Classifier::new(&sizing.flow_schemas, &sizing.priority_levels, RELEASE);
        for ((client, user), intent) in clients.iter().zip(&intents.intents) {
            // The level of its namespace or group can be enough for a client.
            let mut changes = sizing.changes.iter();
            let Some(change) = changes.find(|change| change.intents.contains(&intent.name)) else {
                continue;
            };
            let own = change.flow_schema.as_ref().unwrap().name();
            added += 1;
            for request in requests(user) {
                let taken = after.classify(&request).unwrap();
                assert_eq!(taken.flow_schema, own, "case {case}: {client} {request:?}");
            }
        }
        // Administrators and other users are where they were, and health checks stay exempt, whoever makes them.
        for user in [
            User::authenticated("root", ["system:masters", "team"]),
            User::authenticated("dave", ["others"]),
        ] {
            for request in requests(&user) {
                let flow_schema = |classifier: &Classifier| {
                    let taken = classifier.classify(&request).unwrap();
                    taken.flow_schema.to_owned()
                };
                assert_eq!(flow_schema(&after), flow_schema(&before), "case {case}");
            }
        }
        let probe = RequestAttributes::from_http("GET", "/healthz", clients[0].1.clone()).unwrap();
        assert_eq!(after.classify(&probe).unwrap().flow_schema, "probes");
    }
    assert!(added > 20, "{added}");
}

/// A present flow schema that comes first of all leaves no precedence, and is named with the line of the intent.
#[test]
fn a_flow_schema_with_the_lowest_precedence_is_an_error() {
    let (mut schemas, levels) = built_in();
    let mut first = present(&mut Random(1), 0);
    first.metadata.name = Some("a-first".into());
    first.spec.matching_precedence = Some(1);
    first.spec.rules[0].subjects = serde_json::from_value(json!([
        {"kind": "User", "user": {"name": "alice"}},
    ]))
    .unwrap();
    schemas.push(first);
    let intents = b"server: {seats: 200}\nintents:\n- client: {user: alice}\n  neverMoreThan: {seats: 20}\n  atLoad: {concurrent: 2, meanSeconds: 0.1}\n";
    let intents = Intents::read(intents).unwrap();
    let sizer = Sizer::new(&intents, &schemas, &levels, RELEASE, None).unwrap();
    let error = sizer.size(|_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3: the intent user alice: the flow schema a-first can take requests of the client, and no precedence comes before its own"
    );
}
