//! Reading intents: places, contradictions, and the JSON Schema.

use k8s_flowcontrol_analysis::recipes::Client;
use k8s_flowcontrol_analysis::simulation::Arrivals;
use k8s_flowcontrol_analysis::size::{AtLoad, Intents, Keep, ServerSeats, Target};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// The problems of a text, one a line.
fn problems(text: &str) -> String {
    match Intents::read(text.as_bytes()) {
        Ok(intents) => panic!("{intents:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_file_is_read() {
    let intents = Intents::read(
        br#"
server: {tiers: [{name: XL, seats: 1200, price: 15}, {name: 4XL, seats: 4000, price: 60.5}]}
duration: 30s
keep: [mine]
intents:
- client: {serviceAccount: flux-system/kustomize-controller}
  waits: {p99: 1s, max: 1.5s}
  neverStarvedBy: [{group: ci}, {namespace: batch}]
  atLoad: {fromLog: true, times: 2}
- name: scanner
  client: {user: scanner, groups: [tools]}
  neverMoreThan: {seats: 5}
  atLoad: {concurrent: 300, meanSeconds: 0.2, seats: 2}
- level: workload-low
  waits: {p90: 250ms}
"#,
    )
    .unwrap();
    let ServerSeats::Tiers(tiers) = &intents.server else {
        panic!("{:?}", intents.server)
    };
    assert_eq!((tiers[1].seats, tiers[1].price), (4000, 60.5));
    assert_eq!(intents.duration, Duration::from_secs(30));
    assert_eq!(intents.keep, Keep::Levels(vec!["mine".into()]));
    let [flux, scanner, low] = &intents.intents[..] else {
        panic!("{intents:?}")
    };
    assert_eq!(
        flux.name,
        "service account flux-system/kustomize-controller"
    );
    assert_eq!(flux.line, 6);
    assert_eq!(flux.waits.len(), 2);
    assert_eq!(flux.never_starved_by.len(), 2);
    assert_eq!(flux.at_load, AtLoad::FromLog { times: 2.0 });
    let Target::Client(Client::User { groups, .. }) = &scanner.target else {
        panic!("{scanner:?}")
    };
    assert_eq!(groups.as_deref(), Some(&["tools".to_owned()][..]));
    assert_eq!(scanner.never_more_than, Some(5));
    let AtLoad::Generated(load) = &scanner.at_load else {
        panic!("{scanner:?}")
    };
    assert_eq!((load.seats, load.mean), (2, Duration::from_millis(200)));
    assert!(matches!(
        load.arrivals,
        Arrivals::Closed { clients: 300, .. }
    ));
    assert_eq!(low.target, Target::Level("workload-low".into()));
    assert_eq!(low.at_load, AtLoad::FromLog { times: 1.0 });
}

/// Each problem has the line and the column of the value, the path, and what was expected.
#[test]
fn every_problem_has_its_place() {
    let cases = [
        ("", "1:1: the file is empty; expected server and intents"),
        ("server: {seats: 5", "1:18: "),
        (
            "- a\n",
            "1:1: expected a mapping of server, duration, keep, intents, not a list",
        ),
        (
            "server: {seats: 5}\n",
            "1:1: lacks intents, a list of what must hold",
        ),
        (
            "intents: []\n",
            "1:10: intents: the list is empty; expected at least one intent",
        ),
        ("intents: {}\n", "1:10: intents: expected a list of intents"),
        (
            "server: {seats: 0}\nintents:\n- client: {user: a}\n  waits: {p99: 1s}\n",
            "1:17: server.seats: expected a whole number from 1 to 1000000, not 0",
        ),
        (
            "server: {seats: 5, tiers: []}\nintents:\n- client: {user: a}\n  waits: {p99: 1s}\n",
            "1:9: server: give either seats or tiers, or neither to find the fewest seats",
        ),
        (
            "server: {tiers: [{name: a, seats: 1}]}\nintents:\n- client: {user: a}\n  waits: {p99: 1s}\n",
            "1:18: server.tiers[0]: lacks price",
        ),
        (
            "keep: everything\nintents:\n- client: {user: a}\n  waits: {p99: 1s}\n",
            "1:7: keep: expected built-in, all, nothing, or a list of names of priority levels, not \"everything\"",
        ),
        (
            "intents:\n- client: {user: a}\n  wait: {p99: 1s}\n",
            "2:3: intents[0]: says nothing that must hold; expected waits or neverMoreThan\n3:3: intents[0]: unknown field \"wait\"; did you mean \"waits\"?",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 5}\n",
            "3:16: intents[0].waits.p99: 5 is not a time such as 250ms, 1.5s or 2m",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p98: 5s}\n",
            "unknown field \"p98\"; did you mean",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p50: 2s, p99: 1s}\n",
            "3:10: intents[0].waits: 50% of the requests within 2s, but 99% of them within 1s: the greater part cannot be faster",
        ),
        (
            "intents:\n- client: {user: a, group: b}\n  waits: {p99: 1s}\n",
            "2:11: intents[0].client: give exactly one of user, group, serviceAccount and namespace",
        ),
        (
            "intents:\n- client: {serviceAccount: a}\n  waits: {p99: 1s}\n",
            "2:28: intents[0].client.serviceAccount: expected NAMESPACE/NAME, not \"a\"",
        ),
        (
            "intents:\n- client: {user: a}\n  level: b\n  waits: {p99: 1s}\n",
            "2:3: intents[0]: give either client or level",
        ),
        (
            "intents:\n- level: b\n  neverMoreThan: {seats: 3}\n",
            "neverMoreThan and neverStarvedBy need a client, not a level",
        ),
        (
            "intents:\n- client: {user: a}\n  neverMoreThan: {seats: 3}\n  neverStarvedBy: [{user: b}]\n",
            "neverStarvedBy needs waits, which must hold beside these clients",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n  atLoad: {concurrent: 5}\n",
            "4:11: intents[0].atLoad: lacks meanSeconds: how long a request executes on average",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n  atLoad: {concurrent: 5, perSecond: 5, meanSeconds: 1}\n",
            "4:11: intents[0].atLoad: give exactly one of fromLog: true, concurrent and perSecond",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n  atLoad: {fromLog: true, meanSeconds: 1}\n",
            "meanSeconds is for generated requests, not for those of logs",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n  atLoad: {perSecond: 5, meanSeconds: -1}\n",
            "4:39: intents[0].atLoad.meanSeconds: expected seconds from 0 to 3600, not -1",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n  atLoad: {perSecond: 5, meanSeconds: 1, users: 4}\n",
            "4:11: intents[0].atLoad: several users need a group or a namespace as client",
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n- name: user a\n  client: {user: b}\n  waits: {p99: 1s}\n",
            "4:3: intents[1]: the name \"user a\" is used on line 2, too",
        ),
    ];
    for (text, expected) in cases {
        let found = problems(text);
        assert!(
            found.contains(expected),
            "{text}\nexpected {expected}\nfound {found}"
        );
    }
}

#[test]
fn ten_thousand_intents_are_one_error() {
    let mut text = String::from("intents:\n");
    for number in 0..10_000 {
        text.push_str(&format!(
            "- client: {{user: u{number}}}\n  waits: {{p99: 1s}}\n"
        ));
    }
    let found = problems(&text);
    assert!(
        found.starts_with("2:1: intents: 10000 intents; at most 100 can be solved together."),
        "{found}"
    );
    assert_eq!(found.lines().count(), 1);
}

/// Garbage is an error, never a panic.
#[test]
fn garbage_is_an_error() {
    let valid = "server: {seats: 600}\nkeep: all\nintents:\n- client: {group: a}\n  waits: {p99: 1s}\n  neverStarvedBy: [{user: b}]\n  atLoad: {concurrent: 5, meanSeconds: 0.1}\n";
    for index in 0..valid.len() {
        for replacement in [
            "", "{", "]", ": ", "- ", "1e999", "\u{0}", "&a", "*a", "null",
        ] {
            let text = format!("{}{replacement}{}", &valid[..index], &valid[index + 1..]);
            if let Err(error) = Intents::read(text.as_bytes()) {
                assert!(!error.problems.is_empty() && error.to_string().contains(':'));
            }
        }
    }
}

/// The JSON Schema knows the fields that the reader knows, no more and no fewer.
#[test]
fn the_schema_has_the_fields_of_the_reader() {
    let schema: Value = serde_json::from_str(Intents::SCHEMA).unwrap();
    let rest = "intents:\n- client: {user: a}\n  waits: {p99: 1s}\n";
    let intent = &schema["$defs"]["intent"]["properties"];
    let places: [(String, &Value); 8] = [
        (format!("qqqqqqq: 1\n{rest}"), &schema["properties"]),
        (
            format!("server: {{qqqqqqq: 1}}\n{rest}"),
            &schema["properties"]["server"]["properties"],
        ),
        (
            format!("server: {{tiers: [{{qqqqqqq: 1}}]}}\n{rest}"),
            &schema["properties"]["server"]["properties"]["tiers"]["items"]["properties"],
        ),
        (format!("{rest}  qqqqqqq: 1\n"), intent),
        (
            "intents:\n- client: {qqqqqqq: 1}\n  waits: {p99: 1s}\n".into(),
            &schema["$defs"]["client"]["properties"],
        ),
        (
            "intents:\n- client: {user: a}\n  waits: {qqqqqqq: 1s}\n".into(),
            &intent["waits"]["properties"],
        ),
        (
            format!("{rest}  neverMoreThan: {{qqqqqqq: 1}}\n"),
            &intent["neverMoreThan"]["properties"],
        ),
        (
            format!("{rest}  atLoad: {{qqqqqqq: 1}}\n"),
            &intent["atLoad"]["properties"],
        ),
    ];
    for (text, properties) in places {
        let found = problems(&text);
        let (_, known) = found.split_once("known are ").unwrap();
        let known = known.lines().next().unwrap();
        let known: BTreeSet<_> = known.split(", ").collect();
        let properties = properties.as_object().unwrap();
        let declared: BTreeSet<_> = properties.keys().map(String::as_str).collect();
        assert_eq!(known, declared, "{text}");
    }
}
