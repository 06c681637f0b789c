//! The controller: one priority level and one FlowSchema for each tenant.
//!
//! The keys are the names of tenants. A key is due when the tenants or the objects of the tenant change.

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::client::Negotiated;
use k8s_flowcontrol::controller::{Action, Controller, WorkQueue};
use k8s_flowcontrol::ownership;
use k8s_flowcontrol::watch::Store;
use k8s_flowcontrol::{Client, Error, Resource, from_value_strict};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
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

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Runs the controller until `stop` is ready. The tenants that are due are finished first.
///
/// It works with every version of the API, also after an upgrade.
pub(crate) async fn run(
    client: &Client,
    tenants: watch::Receiver<Tenants>,
    stop: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let own = Arc::new(Own::start(client, tenants.clone()).await?);
    let controller = Controller::new()
        .watch(&own.levels, |level| tenant(level.name()))
        .watch(&own.schemas, |schema| tenant(schema.name()));
    let following = tokio::spawn(follow(tenants, controller.queue()));
    let reconcile = move |name: String| {
        let own = own.clone();
        async move {
            own.reconcile(&name).await?;
            Ok(Action::AwaitChange)
        }
    };
    let on_error = |name: &String, error: &Failure| {
        eprintln!("tenant {name}: {error}");
        pause(error)
    };
    controller.run(stop, reconcile, on_error).await?;
    following.abort();
    Ok(())
}

/// Makes tenants due when the set of tenants changes: those of before, too, since one may be gone.
async fn follow(mut tenants: watch::Receiver<Tenants>, queue: WorkQueue<String>) {
    let mut known = BTreeSet::new();
    loop {
        known.extend(tenants.borrow_and_update().keys().cloned());
        known.iter().for_each(|name| queue.add(name.clone()));
        if tenants.changed().await.is_err() {
            return;
        }
    }
}

/// The objects that the controller owns, and what they should be.
struct Own {
    level_api: Negotiated<Level>,
    schema_api: Negotiated<FlowSchema>,
    levels: Store<Level>,
    schemas: Store<FlowSchema>,
    tenants: watch::Receiver<Tenants>,
}

impl Own {
    async fn start(client: &Client, tenants: watch::Receiver<Tenants>) -> Result<Self, Error> {
        let level_api = client.negotiated::<Level>().await?;
        let schema_api = client.negotiated::<FlowSchema>().await?;
        let selector = format!("{}={}", LABEL.0, LABEL.1);
        Ok(Self {
            levels: Store::start(level_api.watcher().label_selector(&selector)),
            schemas: Store::start(schema_api.watcher().label_selector(&selector)),
            level_api,
            schema_api,
            tenants,
        })
    }

    /// Makes the objects of one tenant as they should be.
    async fn reconcile(&self, name: &str) -> Result<(), Failure> {
        let tenant = self.tenants.borrow().get(name).cloned();
        let object = format!("{PREFIX}{name}");
        match tenant {
            // The level first: a FlowSchema without its level is dangling.
            Some(tenant) => {
                let level = level(&object, &tenant)?;
                apply(&self.level_api, &self.levels, &level).await?;
                let schema = schema(&object, &tenant)?;
                apply(&self.schema_api, &self.schemas, &schema).await
            }
            None => {
                delete(&self.schema_api, &self.schemas, &object).await?;
                delete(&self.level_api, &self.levels, &object).await
            }
        }
    }
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
        Some(live) if ownership::is_applied(&*live, MANAGER, wanted) => return Ok(()),
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
