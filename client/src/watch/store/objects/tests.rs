use crate::api::v1::FlowSchema;
use crate::watch::store::objects::*;

fn object(name: &str, uid: &str, version: u32) -> FlowSchema {
    let mut schema = FlowSchema::default();
    schema.metadata.name = Some(name.into());
    schema.metadata.uid = Some(uid.into());
    schema.metadata.resource_version = Some(version.to_string());
    schema
}

/// The changes that the events cause, in short: `+a1` is added, `a1>2` modified, `-a1` deleted.
fn changes(
    objects: &mut StoredObjects<FlowSchema>,
    events: Vec<WatcherEvent<FlowSchema>>,
) -> Vec<String> {
    let version = |object: &FlowSchema| object.metadata.resource_version.clone().unwrap();
    let show = |object: &FlowSchema| format!("{}{}", object.name(), version(object));
    let mut changes = Vec::new();
    for event in events {
        objects.apply(event, &mut |change| {
            changes.push(match change {
                StoreEvent::Added { object, .. } => format!("+{}", show(&object)),
                StoreEvent::Modified { old, new, .. } => {
                    format!("{}>{}", show(&old), version(&new))
                }
                StoreEvent::Deleted { object } => format!("-{}", show(&object)),
                other => panic!("objects do not emit {other:?}"),
            });
        });
    }
    changes
}

fn applied(object: FlowSchema) -> WatcherEvent<FlowSchema> {
    let losses = Vec::new();
    WatcherEvent::Applied { object, losses }
}

fn deleted(object: FlowSchema) -> WatcherEvent<FlowSchema> {
    let losses = Vec::new();
    WatcherEvent::Deleted { object, losses }
}

fn list(items: Vec<FlowSchema>) -> Vec<WatcherEvent<FlowSchema>> {
    let mut events = vec![WatcherEvent::ListBegin];
    events.extend(items.into_iter().map(|object| WatcherEvent::ListItem {
        object,
        losses: Vec::new(),
    }));
    let disappeared = Vec::new();
    events.push(WatcherEvent::ListEnd { disappeared });
    events
}

/// The state after the first list.
fn listed(items: Vec<FlowSchema>) -> StoredObjects<FlowSchema> {
    let mut objects = StoredObjects::new();
    assert!(!objects.is_ready());
    assert!(
        changes(&mut objects, list(items)).is_empty(),
        "the first objects are no changes"
    );
    assert!(objects.is_ready());
    objects
}

#[test]
fn events_of_a_watch() {
    let mut objects = listed(vec![object("a", "1", 1)]);
    let events = vec![
        applied(object("b", "2", 2)),
        applied(object("a", "1", 3)),
        // The same state again is not a change.
        applied(object("a", "1", 3)),
        deleted(object("b", "2", 4)),
        deleted(object("never", "5", 5)),
        // Created again under the same name.
        applied(object("a", "6", 6)),
    ];
    assert_eq!(
        changes(&mut objects, events),
        ["+b2", "a1>3", "-b2", "-a3", "+a6"]
    );
    assert_eq!(objects.current().len(), 1);
}

#[test]
fn a_list_changes_all_objects_at_once_and_emits_the_differences() {
    let before = ["a", "b", "c", "d"].map(|name| object(name, name, 1));
    let mut objects = listed(before.to_vec());
    let unchanged = objects.current()["b"].object.clone();
    let mut events = list(vec![
        object("b", "b", 1),
        object("c", "c", 7),
        object("d", "other", 8),
        object("e", "e", 9),
    ]);
    let end = events.pop().unwrap();
    assert!(changes(&mut objects, events).is_empty());
    assert_eq!(objects.current().len(), 4, "not before the end");
    assert_eq!(
        changes(&mut objects, vec![end]),
        ["-a1", "c1>7", "-d1", "+d8", "+e9"]
    );
    assert!(
        Arc::ptr_eq(&objects.current()["b"].object, &unchanged),
        "an unchanged object is shared"
    );
}

#[test]
fn a_list_may_start_over_and_delete_an_item() {
    let mut objects = listed(vec![object("a", "a", 1), object("b", "b", 1)]);
    let mut events = list(vec![object("x", "x", 2)]);
    events.pop();
    assert!(changes(&mut objects, events).is_empty());
    let mut events = list(vec![
        object("a", "a", 1),
        object("c", "c", 3),
        object("c", "c", 4),
    ]);
    let deleted = deleted(object("a", "a", 5));
    events.insert(2, deleted);
    assert_eq!(changes(&mut objects, events), ["-a1", "-b1", "+c4"]);
    assert_eq!(objects.current().len(), 1);
}

#[test]
fn a_list_may_come_in_any_order() {
    let mut objects = listed(vec![]);
    let mut events = list(vec![
        object("c", "c", 1),
        object("a", "a", 1),
        object("b", "b", 1),
        object("a", "a", 2),
        object("d", "d", 1),
    ]);
    let end = events.pop().unwrap();
    // Deleted and created again.
    events.extend([deleted(object("d", "d", 3)), deleted(object("c", "c", 3))]);
    events.extend(list(vec![object("c", "e", 4)]).drain(1..2));
    events.push(end);
    assert_eq!(changes(&mut objects, events), ["+a2", "+b1", "+c4"]);
    assert!(objects.current().keys().is_sorted());
}
