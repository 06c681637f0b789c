//! The numbers of `top`, from made-up dumps, metrics and control planes.

use crate::cluster::made_up::{Answer, LEVELS, METRICS, MadeUp, dump, level, slice};
use crate::common::{closed_address, code, stderr, stdout};
use serde_json::{Value, json};

fn top(server: &MadeUp) -> Value {
    let output = server.run(&["top", "-o", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn table(server: &MadeUp) -> String {
    let output = server.run(&["top", "--once"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

#[test]
fn rates_are_those_since_the_reading_before() {
    let server = MadeUp::start();
    // A counter that went back is that of a new process.
    let cases = [(10, 16, 6.0), (0, 4, 4.0), (10, 2, 2.0), (5, 5, 0.0)];
    let names = ["up", "first", "restarted", "same"];
    let reading = |of: fn(&(i64, i64, f64)) -> i64| {
        let levels = names.iter().zip(&cases).map(|(name, case)| {
            let mut level = level(name, 1, 0, 20);
            level.rejected = of(case);
            level
        });
        dump(&levels.collect::<Vec<_>>(), None)
    };
    server.set_each(LEVELS, vec![reading(|case| case.0), reading(|case| case.1)]);
    server.set(METRICS, Answer::text(""));
    let levels = top(&server)["levels"].take();
    let rate = |name: &str| {
        let mut levels = levels.as_array().unwrap().iter();
        let level = levels.find(|level| level["name"] == name).unwrap();
        level["rejectedPerSecond"].as_f64().unwrap()
    };
    // A second or more is between the readings, and as much for all levels.
    let seconds = 6.0 / rate("up");
    assert!((1.0..60.0).contains(&seconds), "{seconds}");
    for (name, (_, _, rejected)) in names.iter().zip(cases) {
        assert!((rate(name) * seconds - rejected).abs() < 1e-6, "{name}");
    }
}

#[test]
fn the_exempt_level_has_no_limit() {
    let server = MadeUp::start();
    server.set_levels(&[level("exempt", 1, 0, 1), level("low", 1, 0, 20)]);
    let levels = top(&server)["levels"].take();
    assert_eq!(
        (&levels[0]["seats"], &levels[1]["seats"]),
        (&Value::Null, &json!(20))
    );
}

#[test]
fn counters_of_other_sources_are_no_rate() {
    let server = MadeUp::start();
    let mut low = level("low", 1, 0, 20);
    low.rejected = 3;
    let dump = dump(&[low], None);
    let metrics = Answer::text(
        "apiserver_flowcontrol_rejected_requests_total{priority_level=\"low\",reason=\"time-out\"} 5000\n",
    );
    server.set(METRICS, metrics);
    server.set_each(LEVELS, vec![dump, Answer::error(503, "no dump")]);
    let low = top(&server)["levels"][0].take();
    assert_eq!(
        (&low["rejected"], &low["rejectedPerSecond"]),
        (&json!(5000), &Value::Null)
    );
}

/// The sum of rates names the servers that it lacks.
#[test]
fn a_server_without_a_rate_is_named() {
    let [server, other] = [(); 2].map(|()| MadeUp::start());
    let rejected = |rejected| {
        let mut low = level("low", 1, 0, 20);
        low.rejected = rejected;
        dump(&[low], None)
    };
    let metrics = "apiserver_flowcontrol_rejected_requests_total{priority_level=\"low\",reason=\"time-out\"} 5000\n";
    for server in [&server, &other] {
        server.set(METRICS, Answer::text(metrics));
    }
    server.set_each(LEVELS, vec![rejected(3), rejected(9)]);
    other.set_each(LEVELS, vec![rejected(3), Answer::error(404, "no dump")]);
    server.set_slices(&[
        slice("IPv4", &["127.0.0.1"], server.port()),
        slice("IPv4", &["127.0.0.1"], other.port()),
    ]);
    let output = server.run(&["top", "-o", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let sum = report["levels"][0]["rejectedPerSecond"].as_f64().unwrap();
    assert!((0.1..=6.0).contains(&sum), "{report}");
    let said = stderr(&output);
    let why = format!(
        "127.0.0.1:{}: no rate of rejected requests: only one of two readings has the debug dump",
        other.port()
    );
    assert!(said.contains(&why), "{said}");
    assert_eq!(said.matches("no rate").count(), 1, "{said}");
}

/// The debug dumps of old releases do not count rejected requests.
#[test]
fn a_server_that_does_not_count_rejections_is_named() {
    let [server, other, third] = [(); 3].map(|()| MadeUp::start());
    server.set_levels(&[level("low", 1, 0, 20)]);
    third.set_levels(&[level("low", 1, 0, 20)]);
    let old = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests\nlow, 1, false, false, 0, 1\n";
    other.set(LEVELS, Answer::text(old));
    let servers = [&server, &other, &third];
    server.set_slices(&servers.map(|server| slice("IPv4", &["127.0.0.1"], server.port())));
    let output = server.run(&["top", "-o", "json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["levels"][0]["executing"], 3, "{report}");
    let said = stderr(&output);
    let why = format!(
        "127.0.0.1:{}: no rate of rejected requests: the debug dump of this release does not count them",
        other.port()
    );
    assert!(said.contains(&why), "{said}");
    assert_eq!(said.matches("no rate").count(), 1, "{said}");
}

#[test]
fn metrics_are_added_up_per_level() {
    let server = MadeUp::start();
    let level = |metrics: &str, name: &str| {
        let metrics: String = metrics
            .lines()
            .map(|line| format!("apiserver_flowcontrol_{line}\n"))
            .collect();
        server.set(
            METRICS,
            Answer::text(&format!(
                "{metrics}apiserver_request_total{{code=\"200\"}} 9\n"
            )),
        );
        let top = top(&server);
        let mut levels = top["levels"].as_array().unwrap().clone();
        levels.retain(|level| level["name"] == name);
        levels.pop().map(|level| {
            (
                level["seats"].clone(),
                level["seatsInUse"].clone(),
                level["nominalSeats"].clone(),
                level["rejected"].clone(),
            )
        })
    };
    let metrics = "\
current_limit_seats{priority_level=\"system\"} 74
nominal_limit_seats{priority_level=\"system\"} 70
current_executing_seats{flow_schema=\"a\",priority_level=\"system\"} 3
current_executing_seats{flow_schema=\"b\",priority_level=\"system\"} 2
rejected_requests_total{flow_schema=\"b\",priority_level=\"low\",reason=\"queue-full\"} 7
broken{
";
    let expected = (json!(74), json!(5), json!(70), Value::Null);
    assert_eq!(level(metrics, "system"), Some(expected));
    let expected = (Value::Null, Value::Null, Value::Null, json!(7));
    assert_eq!(level(metrics, "low"), Some(expected));
    let table = table(&server);
    let words = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        words("system"),
        ["system", "-", "-", "0.0", "5", "74", "+4"]
    );
    assert_eq!(words("low"), ["low", "-", "-", "0.0", "-", "-", "-"]);
    assert_eq!(
        table.lines().take_while(|line| !line.is_empty()).count(),
        3,
        "{table}"
    );
    // Kubernetes 1.25 has one limit, and another name for it.
    let expected = (json!(30), json!(0), json!(30), Value::Null);
    let metrics = "request_concurrency_limit{priority_level=\"system\"} 30\n";
    assert_eq!(level(metrics, "system"), Some(expected));
}

#[test]
fn requests_are_counted_by_flow() {
    let server = MadeUp::start();
    server.set_levels(&[level("low", 1, 3, 20)]);
    server.set_flows(&[("low", "alice", 0, 1), ("low", "bob", 1, 1)]);
    let flows = |server: &MadeUp| {
        let flows = top(server)["flows"].take();
        let flow = |flow: &Value| {
            (
                flow["flow"].as_str().unwrap().to_owned(),
                flow["executing"].as_u64(),
                flow["waiting"].as_u64(),
            )
        };
        flows
            .as_array()
            .unwrap()
            .iter()
            .map(flow)
            .collect::<Vec<_>>()
    };
    let flow = |name: &str, executing, waiting| (name.to_owned(), Some(executing), Some(waiting));
    assert_eq!(flows(&server), [flow("bob", 1, 1), flow("alice", 0, 1)]);
    // The flows of two servers are added.
    let other = MadeUp::start();
    other.set_levels(&[level("low", 1, 3, 20)]);
    other.set_flows(&[("low", "alice", 3, 1), ("low", "bob", 1, 0)]);
    server.set_slices(&[
        slice("IPv4", &["127.0.0.1"], server.port()),
        slice("IPv4", &["127.0.0.1"], other.port()),
    ]);
    assert_eq!(flows(&server), [flow("alice", 3, 2), flow("bob", 2, 1)]);
    // An unreadable row is skipped, and other text than a dump yields an empty list of flows.
    let title = "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime";
    let row = "low, all, 7, 0, alice, 2026-11-20T15:57:05.399662206Z";
    other.set_flows(&[]);
    for (text, expected) in [
        (
            format!("{title}\n{row}\nlow, all, 7, broken\n"),
            vec![flow("alice", 0, 1)],
        ),
        ("not a dump".to_owned(), vec![]),
    ] {
        server.set(crate::cluster::made_up::REQUESTS, Answer::text(&text));
        assert_eq!(flows(&server), expected, "{text}");
    }
}

#[test]
fn each_server_of_the_control_plane_counts_once() {
    let server = MadeUp::start();
    server.set_levels(&[level("low", 1, 3, 20)]);
    let other = MadeUp::start();
    other.set_levels(&[level("low", 1, 3, 20)]);
    let gone = closed_address();
    let six = slice("IPv6", &["::1"], gone.port());
    // Of several address families the first one is used.
    let addresses = ["127.0.0.1", "127.0.0.1", "not an address"];
    server.set_slices(&[
        six.clone(),
        slice("IPv4", &addresses, server.port()),
        slice("IPv4", &["127.0.0.1"], other.port()),
        slice("FQDN", &["a.example.com"], gone.port()),
    ]);
    let found = top(&server)["servers"].take();
    let found = found.as_array().unwrap().iter();
    let found: Vec<_> = found.map(|server| server["address"].clone()).collect();
    let (mut ports, mut expected) = ([server.port(), other.port()], Vec::new());
    ports.sort_unstable();
    expected.extend(ports.map(|port| json!(format!("127.0.0.1:{port}"))));
    assert_eq!(found, expected);
    let text = table(&server);
    assert!(!text.contains("was not asked"), "{text}");
    for port in ports {
        let missing = format!("127.0.0.1:{port}: no flows: ");
        assert!(text.contains(&missing), "{text}");
        // In JSON nothing else tells an unread server from a server without requests.
        let warnings = stderr(&server.run(&["top", "-o", "json"]));
        assert!(
            warnings.contains(&format!("warning: {missing}")),
            "{warnings}"
        );
    }
    server.set_slices(&[six]);
    let text = table(&server);
    let note = format!("the API server [::1]:{} was not asked", gone.port());
    assert!(text.contains(&note), "{text}");
}

#[test]
fn odd_slices_have_no_addresses() {
    let server = MadeUp::start();
    server.set_levels(&[level("low", 1, 3, 20)]);
    server.set_slices(&[
        Value::Null,
        json!({"addressType": "IPv4", "endpoints": 1, "ports": [{}]}),
        slice("IPv4", &["not an address"], 6443),
        slice("IPv4", &["127.0.0.1"], 70_000),
    ]);
    let text = table(&server);
    let note = "the service kubernetes has no EndpointSlice with addresses";
    assert!(text.contains(note), "{text}");
}
