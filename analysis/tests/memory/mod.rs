//! The memory of lists in flight and of live watches.

use k8s_flowcontrol_analysis::audit::{AuditLog, Event};
use k8s_flowcontrol_analysis::memory::{MemoryEstimate, MemoryTally};
use k8s_flowcontrol_rules::seats::Stored;
use serde_json::json;

/// A request: user, verb, query, begin and end in seconds; without an end only its begin is in the log.
type Request = (&'static str, &'static str, &'static str, u32, Option<u32>);

/// 1,000 objects of 100 kB.
const STORED: Stored = Stored::Known {
    objects: 1000,
    average_bytes: 100_000,
};

fn estimate(requests: &[Request], stored: Stored) -> MemoryEstimate {
    let mut tally = MemoryTally::default();
    let mut log = AuditLog::new();
    let mut add = |event: &Event<'_>| {
        tally.add(event, "low", &event.user.name, stored);
        Ok::<(), std::io::Error>(())
    };
    for (id, (user, verb, query, begin, end)) in requests.iter().enumerate() {
        let time = |second: u32| {
            format!(
                "2026-01-02T03:{:02}:{:02}.000000Z",
                second / 60,
                second % 60
            )
        };
        let stage = match end {
            Some(_) => "ResponseComplete",
            None => "ResponseStarted",
        };
        let event = json!({
            "kind": "Event", "apiVersion": "audit.k8s.io/v1", "auditID": format!("id-{id}"), "stage": stage,
            "requestURI": format!("/api/v1/pods?{query}"), "verb": verb, "user": {"username": user},
            "objectRef": {"resource": "pods", "apiVersion": "v1"}, "responseStatus": {"code": 200},
            "requestReceivedTimestamp": time(*begin), "stageTimestamp": time(end.unwrap_or(*begin)),
        });
        log.read(event.to_string().as_bytes(), &mut add).unwrap();
    }
    log.finish(&mut add).unwrap();
    tally.estimate()
}

#[test]
fn lists_in_flight_hold_their_objects_while_they_execute() {
    let requests: [Request; 5] = [
        ("alice", "list", "", 10, Some(20)),
        ("alice", "list", "", 15, Some(20)),
        ("bob", "list", "limit=500", 16, Some(18)),
        ("bob", "list", "", 30, Some(31)),
        ("bob", "get", "", 16, Some(18)),
    ];
    let estimate = estimate(&requests, STORED);
    let [level] = &estimate.levels[..] else {
        unreachable!("{estimate:?}")
    };
    // Two whole lists and half of one at the same time.
    assert_eq!(level.list_bytes, 250_000_000);
    assert!(level.to_string().starts_with("lists in flight of priority level low hold up to 238 MiB at 03:00:16; the most by user alice"), "{level}");
    let [alice, bob] = &level.users[..] else {
        unreachable!("{level:?}")
    };
    assert_eq!(
        (alice.name.as_str(), alice.largest_list),
        ("alice", 100_000_000)
    );
    assert!(
        alice.part_of_lists > 0.85 && (alice.part_of_lists + bob.part_of_lists - 1.0).abs() < 1e-9
    );
    assert_eq!(estimate.large().count(), 0);
    // Six at the same time are worth a warning; objects of unknown size are not counted.
    let many = [("alice", "list", "", 10, Some(20)); 6];
    assert_eq!(self::estimate(&many, STORED).large().count(), 1);
    assert!(self::estimate(&many, Stored::NotFound).levels.is_empty());
}

#[test]
fn watches_live_until_their_end_or_that_of_the_logs() {
    let mut requests = vec![("alice", "watch", "watch=1", 0, None); 6000];
    requests.extend(vec![("bob", "watch", "watch=1", 0, Some(600)); 1000]);
    requests.push(("carol", "get", "", 1200, Some(1200)));
    let estimate = estimate(&requests, STORED);
    let level = &estimate.levels[0];
    assert_eq!(level.watches, 7000);
    assert_eq!(
        (level.users[0].name.as_str(), level.users[0].watches),
        ("alice", 6000)
    );
    assert_eq!(
        level.to_string(),
        "7000 live watches need 341 MiB to 683 MiB in priority level low; the most by user alice"
    );
    assert_eq!(estimate.large().count(), 1);
}
