//! Classification: the FlowSchema and priority level of each request, by the objects in the store.

use crate::kinds::Kinds;
use crate::store::{Store, meta_str};
use jiff::Timestamp;
use k8s_flowcontrol_rules::matching::{Classification, Classifier, RequestAttributes};
use k8s_flowcontrol_types::Kind as OwnKind;
use k8s_flowcontrol_types::api::v1::{FlowSchema, PriorityLevelConfiguration};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The configuration of flow control, compiled again after writes.
///
/// A large configuration follows with some delay, as in a real server.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// With the revision from which it was compiled.
    classifier: Option<(u64, Classifier)>,
    /// The time before which a large configuration is not compiled again.
    rest_until: Option<Instant>,
    executing: BTreeMap<u64, Executing>,
    /// The number of requests that each level has dispatched.
    dispatched: BTreeMap<String, u64>,
    next: u64,
}

/// A request without a response yet. A watch counts until it begins.
#[derive(Clone, Debug)]
pub(crate) struct Executing {
    pub(crate) request: RequestAttributes,
    pub(crate) flow_schema: String,
    pub(crate) priority_level: String,
    pub(crate) flow_distinguisher: String,
    pub(crate) flow_hash: u64,
    pub(crate) arrived: Timestamp,
}

/// The configuration is compiled after each write if that takes no longer than this.
const SHORT: Duration = Duration::from_millis(5);
/// The pause after compiling a larger configuration, in multiples of the time that it took.
const REST: u32 = 20;

impl Flow {
    /// Classifies a request. Returns its number, which [ends](Self::end) it, and the UIDs of its FlowSchema and
    /// level, empty for objects that are not in the store; `None` when it is not subject to flow control.
    pub(crate) fn begin(
        &mut self,
        store: &Store,
        kinds: &Kinds,
        request: RequestAttributes,
    ) -> Option<(u64, [String; 2])> {
        let taken = self.classifier(store, kinds).classify(&request)?;
        let uids = uids(store, kinds, &taken);
        let executing = Executing {
            flow_schema: taken.flow_schema.to_owned(),
            priority_level: taken.priority_level.to_owned(),
            flow_distinguisher: taken.flow_distinguisher.to_owned(),
            flow_hash: taken.flow_hash(),
            arrived: Timestamp::now(),
            request,
        };
        let level = executing.priority_level.clone();
        *self.dispatched.entry(level).or_default() += 1;
        self.next += 1;
        self.executing.insert(self.next, executing);
        Some((self.next, uids))
    }

    pub(crate) fn end(&mut self, number: u64) {
        self.executing.remove(&number);
    }

    /// The requests without a response, in the order of their arrival.
    pub(crate) fn executing(&self) -> impl Iterator<Item = &Executing> {
        self.executing.values()
    }

    pub(crate) fn dispatched(&self, level: &str) -> u64 {
        self.dispatched.get(level).copied().unwrap_or_default()
    }

    /// The classifier of the present configuration.
    fn classifier(&mut self, store: &Store, kinds: &Kinds) -> &Classifier {
        let revision = store.revision();
        let now = Instant::now();
        let rests = self.rest_until.is_some_and(|until| now < until);
        if !rests
            && self
                .classifier
                .as_ref()
                .is_some_and(|(known, _)| *known != revision)
        {
            self.classifier = None;
        }
        let rest_until = &mut self.rest_until;
        let (_, classifier) = self.classifier.get_or_insert_with(|| {
            let classifier = classifier(store, kinds);
            let took = now.elapsed();
            *rest_until = (took > SHORT).then(|| now + took * REST);
            (revision, classifier)
        });
        classifier
    }
}

fn classifier(store: &Store, kinds: &Kinds) -> Classifier {
    Classifier::new(
        &objects::<FlowSchema>(store, kinds, OwnKind::FlowSchema),
        &objects::<PriorityLevelConfiguration>(store, kinds, OwnKind::PriorityLevelConfiguration),
        kinds.release(),
    )
}

/// The objects of a kind, which have the shape of v1 inside the server.
pub(crate) fn objects<'a, K: Deserialize<'a>>(
    store: &'a Store,
    kinds: &Kinds,
    kind: OwnKind,
) -> Vec<K> {
    store
        .objects(kinds.own(kind).index)
        .filter_map(|(_, object)| K::deserialize(object.as_ref()).ok())
        .collect()
}

fn uids(store: &Store, kinds: &Kinds, taken: &Classification<'_>) -> [String; 2] {
    let uid = |kind: OwnKind, name: &str| {
        let object = store.get(kinds.own(kind).index, name);
        object.map_or_else(String::new, |object| meta_str(object, "uid").to_owned())
    };
    [
        uid(OwnKind::FlowSchema, taken.flow_schema),
        uid(OwnKind::PriorityLevelConfiguration, taken.priority_level),
    ]
}
