//! The controller: one priority level and one FlowSchema for each tenant.
//!
//! The queue holds the names of tenants, not changes: an entry means "look at this tenant again". So it does not matter
//! how many events of an object arrive, or in which order.

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::client::Negotiated;
use k8s_flowcontrol::controller::{WorkItem, WorkQueue};
use k8s_flowcontrol::ownership;
use k8s_flowcontrol::watch::{Store, StoreEvent};
use k8s_flowcontrol::{Client, Error, Resource, from_value_strict};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::Duration;
use tokio::sync::watch;

/// Owns the fields that the controller applies.
const MANAGER: &str = "tenants";
/// Marks the objects that the controller owns. It deletes no others.
const LABEL: (&str, &str) = ("app.kubernetes.io/managed-by", "tenants");
/// Begins the names of the objects.
const PREFIX: &str = "tenant-";

/// A group of users with dedicated seats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tenant {
    /// The name of the group.
    pub(crate) group: String,
    /// The shares of its priority level.
    pub(crate) shares: i32,
}

/// The tenants by name.
pub(crate) type Tenants = BTreeMap<String, Tenant>;

pub(crate) struct Controller {
    levels: Negotiated<Level>,
    schemas: Negotiated<FlowSchema>,
    own_levels: Store<Level>,
    own_schemas: Store<FlowSchema>,
    tenants: watch::Receiver<Tenants>,
}

type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Controller {
    /// Reads the objects that the controller owns. It works with every version of the API, also after an upgrade.
    pub(crate) async fn start(
        client: &Client,
        tenants: watch::Receiver<Tenants>,
    ) -> Result<Self, Failure> {
        let levels = client.negotiated::<Level>().await?;
        let schemas = client.negotiated::<FlowSchema>().await?;
        let selector = format!("{}={}", LABEL.0, LABEL.1);
        let own_levels = Store::start(levels.watcher().label_selector(&selector));
        let own_schemas = Store::start(schemas.watcher().label_selector(&selector));
        own_levels.wait_ready().await?;
        own_schemas.wait_ready().await?;
        Ok(Self {
            levels,
            schemas,
            own_levels,
            own_schemas,
            tenants,
        })
    }

    /// Works until `stop` is ready. The tenant at hand is finished first.
    pub(crate) async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        let mut levels = self.own_levels.subscribe();
        let mut schemas = self.own_schemas.subscribe();
        let queue = WorkQueue::new();
        // The first value counts as a change.
        self.tenants.mark_changed();
        loop {
            let event = tokio::select! {
                biased;
                () = &mut stop => return,
                Ok(()) = self.tenants.changed() => Event::Tenants,
                Some(event) = levels.next() => Event::Objects(names(&event)),
                Some(event) = schemas.next() => Event::Objects(names(&event)),
                Some(item) = queue.next() => Event::Due(item),
            };
            match event {
                Event::Tenants => self
                    .all_names()
                    .into_iter()
                    .for_each(|name| queue.add(name)),
                Event::Objects(names) => names.into_iter().for_each(|name| queue.add(name)),
                Event::Due(item) => match self.reconcile(item.key()).await {
                    Ok(()) => item.forget(),
                    Err(error) => {
                        eprintln!("tenant {}: {error}", item.key());
                        item.retry_after(pause(&error));
                    }
                },
            }
        }
    }

    /// The names of all tenants, and of removed ones whose objects still exist.
    fn all_names(&mut self) -> BTreeSet<String> {
        let levels = self.own_levels.snapshot();
        let schemas = self.own_schemas.snapshot();
        let left = levels.iter().filter_map(|level| tenant(level.name()));
        let left = left.chain(schemas.iter().filter_map(|schema| tenant(schema.name())));
        let mut names: BTreeSet<String> = left.collect();
        names.extend(self.tenants.borrow_and_update().keys().cloned());
        names
    }

    /// Makes the objects of one tenant as they should be.
    async fn reconcile(&self, name: &str) -> Result<(), Failure> {
        let tenant = self.tenants.borrow().get(name).cloned();
        let object = format!("{PREFIX}{name}");
        match tenant {
            // The level first: a FlowSchema without its level is dangling.
            Some(tenant) => {
                let level = level(&object, &tenant)?;
                apply(&self.levels, &self.own_levels, &level).await?;
                let schema = schema(&object, &tenant)?;
                apply(&self.schemas, &self.own_schemas, &schema).await
            }
            None => {
                delete(&self.schemas, &self.own_schemas, &object).await?;
                delete(&self.levels, &self.own_levels, &object).await
            }
        }
    }
}

enum Event {
    Tenants,
    Objects(BTreeSet<String>),
    Due(WorkItem<String>),
}

/// The tenants whose objects an event is about.
fn names<K: Resource>(event: &StoreEvent<K>) -> BTreeSet<String> {
    let objects = match event {
        StoreEvent::Snapshot(all) => all.objects.as_slice(),
        StoreEvent::Added { object, .. } | StoreEvent::Deleted { object } => {
            std::slice::from_ref(object)
        }
        StoreEvent::Modified { new, .. } => std::slice::from_ref(new),
        _ => &[],
    };
    let names = objects.iter().filter_map(|object| tenant(object.name()));
    names.collect()
}

fn tenant(object: &str) -> Option<String> {
    object.strip_prefix(PREFIX).map(str::to_owned)
}

/// Applies an object unless the server has it so. Apply sends only the set fields, so others may own the rest.
async fn apply<K: Resource>(
    objects: &Negotiated<K>,
    own: &Store<K>,
    wanted: &K,
) -> Result<(), Failure> {
    match own.get(wanted.name()) {
        Some(live) if ownership::extract(&*live, MANAGER)?.as_ref() == Some(wanted) => {
            return Ok(());
        }
        Some(_) => {}
        None => {
            let found = objects.get_opt(wanted.name()).await?;
            if found.is_some_and(|found| !has_label(&found)) {
                let (kind, name) = (K::KIND, wanted.name());
                return Err(format!("{kind} {name} exists and has another owner").into());
            }
        }
    }
    objects.apply(wanted).field_manager(MANAGER).await?;
    Ok(())
}

/// Deletes an object that the controller owns, but not another one with the same name.
async fn delete<K: Resource>(
    objects: &Negotiated<K>,
    own: &Store<K>,
    name: &str,
) -> Result<(), Failure> {
    let Some(live) = own.get(name) else {
        return Ok(());
    };
    let mut request = objects.delete_if_exists(name);
    if let Some(uid) = &live.metadata().uid {
        request = request.precondition_uid(uid);
    }
    request.await?;
    Ok(())
}

fn has_label<K: Resource>(object: &K) -> bool {
    let labels = &object.metadata().labels;
    labels.get(LABEL.0).is_some_and(|value| value == LABEL.1)
}

/// How long to wait before another attempt; `None` for the queue's own delay.
fn pause(error: &Failure) -> Option<Duration> {
    let error = error.downcast_ref::<Error>()?;
    match error.code() {
        // A person must change something: the tenant, an object, or a permission. The first two are events.
        Some(400..500) if !error.is_retryable() => Some(Duration::from_secs(300)),
        _ => error.retry_after(),
    }
}

fn level(name: &str, tenant: &Tenant) -> Result<Level, serde_json::Error> {
    let mut level = Level::partial(name);
    level.metadata.labels = labels();
    level.spec = from_value_strict(&json!({
        "type": "Limited",
        "limited": {
            "nominalConcurrencyShares": tenant.shares,
            "limitResponse": {"type": "Queue", "queuing": {"queues": 16, "handSize": 4}},
        },
    }))?;
    Ok(level)
}

fn schema(name: &str, tenant: &Tenant) -> Result<FlowSchema, serde_json::Error> {
    let mut schema = FlowSchema::partial(name);
    schema.metadata.labels = labels();
    schema.spec = from_value_strict(&json!({
        "priorityLevelConfiguration": {"name": name},
        "matchingPrecedence": 2000,
        "distinguisherMethod": {"type": "ByUser"},
        "rules": [{
            "subjects": [{"kind": "Group", "group": {"name": tenant.group}}],
            "resourceRules": [{
                "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"],
                "namespaces": ["*"], "clusterScope": true,
            }],
        }],
    }))?;
    Ok(schema)
}

fn labels() -> BTreeMap<String, String> {
    BTreeMap::from([(LABEL.0.to_owned(), LABEL.1.to_owned())])
}
