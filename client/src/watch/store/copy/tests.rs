use super::*;
use crate::api::v1::FlowSchema;

fn object(name: &str, uid: &str, version: u32) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema.metadata.uid = Some(uid.into());
    schema.metadata.resource_version = Some(version.to_string());
    schema
}

/// What the events tell, in short: `+a1` is new, `a1>2` changed, `-a1` gone.
fn told(copy: &mut Copy<FlowSchema>, events: Vec<WatcherEvent<FlowSchema>>) -> Vec<String> {
    let show = |object: &FlowSchema| {
        let version = object
            .metadata
            .resource_version
            .as_deref()
            .unwrap_or_default();
        format!("{}{version}", object.name())
    };
    let mut told = Vec::new();
    for event in events {
        copy.apply(event, &mut |change| {
            told.push(match change {
                Change::Added(new) => format!("+{}", show(&new)),
                Change::Modified { old, new } => {
                    let version = new.metadata.resource_version.as_deref().unwrap_or_default();
                    format!("{}>{version}", show(&old))
                }
                Change::Deleted(old) => format!("-{}", show(&old)),
                Change::Resync(_) => panic!("a copy does not resync"),
            });
        });
    }
    told
}

fn restart(items: Vec<FlowSchema>) -> Vec<WatcherEvent<FlowSchema>> {
    let mut events = vec![WatcherEvent::RestartBegin];
    events.extend(items.into_iter().map(WatcherEvent::RestartItem));
    let disappeared = Vec::new();
    events.push(WatcherEvent::RestartEnd { disappeared });
    events
}

fn copy(items: Vec<FlowSchema>) -> Copy<FlowSchema> {
    let mut copy = Copy::new();
    assert!(!copy.is_ready());
    assert!(
        told(&mut copy, restart(items)).is_empty(),
        "the first objects are no changes"
    );
    assert!(copy.is_ready());
    copy
}

#[test]
fn changes() {
    let mut copy = copy(vec![object("a", "1", 1)]);
    let events = vec![
        WatcherEvent::Applied(object("b", "2", 2)),
        WatcherEvent::Applied(object("a", "1", 3)),
        // Twice the same is once.
        WatcherEvent::Applied(object("a", "1", 3)),
        WatcherEvent::Deleted(object("b", "2", 4)),
        WatcherEvent::Deleted(object("never", "5", 5)),
        // Made again under the same name.
        WatcherEvent::Applied(object("a", "6", 6)),
    ];
    assert_eq!(
        told(&mut copy, events),
        ["+b2", "a1>3", "-b2", "-a3", "+a6"]
    );
    assert_eq!(copy.objects().len(), 1);
}

#[test]
fn a_restart_changes_all_at_once_and_tells_the_differences() {
    let before = ["a", "b", "c", "d"].map(|name| object(name, name, 1));
    let mut copy = copy(before.to_vec());
    let unchanged = copy.objects()["b"].clone();
    let mut events = restart(vec![
        object("b", "b", 1),
        object("c", "c", 7),
        object("d", "other", 8),
        object("e", "e", 9),
    ]);
    let end = events.pop().unwrap();
    assert!(told(&mut copy, events).is_empty());
    assert_eq!(copy.objects().len(), 4, "not before the end");
    assert_eq!(
        told(&mut copy, vec![end]),
        ["-a1", "c1>7", "-d1", "+d8", "+e9"]
    );
    assert!(
        Arc::ptr_eq(&copy.objects()["b"], &unchanged),
        "what is the same is not held twice"
    );
}

#[test]
fn a_restart_may_begin_anew_and_take_back_an_item() {
    let mut copy = copy(vec![object("a", "a", 1), object("b", "b", 1)]);
    let mut events = restart(vec![object("x", "x", 2)]);
    events.pop();
    assert!(told(&mut copy, events).is_empty());
    let mut events = restart(vec![
        object("a", "a", 1),
        object("c", "c", 3),
        object("c", "c", 4),
    ]);
    let deleted = WatcherEvent::Deleted(object("a", "a", 5));
    events.insert(2, deleted);
    assert_eq!(told(&mut copy, events), ["-a1", "-b1", "+c4"]);
    assert_eq!(copy.objects().len(), 1);
}
