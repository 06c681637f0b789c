//! The controller of `examples/controller`, through faults and an upgrade of its server.

mod leading;
mod queue;
#[path = "../../examples/controller/tenants.rs"]
mod tenants;
mod ties;

use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration as Level};
use k8s_flowcontrol::{Client, Resource, wait};
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::time::Duration;
use tenants::{Tenant, Tenants};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

/// A server, and a controller at work.
struct World {
    server: ApiServer,
    client: Client,
    tenants: watch::Sender<Tenants>,
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

impl World {
    async fn start(release: &str) -> Self {
        let builder = ApiServer::builder().kubernetes(release).record_requests();
        let server = builder.start().await.unwrap();
        let client = Client::from_url(server.url()).unwrap();
        let (change, tenants) = watch::channel(Tenants::new());
        let (stop, stopped) = oneshot::channel();
        let running = crate::spawn({
            let client = client.clone();
            let stop = async { stopped.await.unwrap() };
            async move { tenants::run(&client, tenants, stop).await.unwrap() }
        });
        Self {
            server,
            client,
            tenants: change,
            stop,
            running,
        }
    }

    fn set(&self, name: &str, shares: i32) {
        self.tenants.send_modify(|tenants| {
            let group = format!("platform:{name}");
            tenants.insert(name.to_owned(), Tenant { group, shares });
        });
    }

    fn remove(&self, name: &str) {
        self.tenants.send_modify(|tenants| {
            tenants.remove(name).unwrap();
        });
    }

    /// Waits until a level has these shares.
    async fn wait_for_shares(&self, name: &str, shares: i32) -> Level {
        let levels = self.client.negotiated::<Level>().await.unwrap();
        let has_shares = move |level: Option<&Level>| {
            let limited = level.and_then(|level| level.spec.limited.as_ref());
            limited.is_some_and(|limited| limited.nominal_concurrency_shares == Some(shares))
        };
        let waiting = levels.wait_for(name, has_shares);
        let level = waiting.timeout(Duration::from_secs(60)).await.unwrap();
        level.unwrap()
    }

    async fn wait_until_deleted<K: k8s_flowcontrol::client::Negotiable>(&self, name: &str) {
        let objects = self.client.negotiated::<K>().await.unwrap();
        let waiting = objects.wait_for(name, wait::is_deleted());
        waiting.timeout(Duration::from_secs(60)).await.unwrap();
    }

    /// The number of writes of an object that the server has received.
    fn writes(&self, name: &str) -> usize {
        let requests = self.server.requests();
        let writes = requests.iter().filter(|one| one.method != "GET");
        writes.filter(|one| one.path.ends_with(name)).count()
    }

    async fn stop(self) {
        self.stop.send(()).unwrap();
        self.running.await.unwrap();
    }
}

#[tokio::test]
async fn tenants_get_a_level_and_a_schema() {
    let world = World::start("1.31").await;
    world.set("checkout", 10);
    world.wait_for_shares("tenant-checkout", 10).await;
    let schemas = world.client.flow_schemas();
    let waiting = schemas.wait_for("tenant-checkout", wait::is_not_dangling());
    let schema = waiting.timeout(Duration::from_secs(60)).await.unwrap();
    let schema = schema.unwrap();
    assert_eq!(
        schema.spec.priority_level_configuration.name,
        "tenant-checkout"
    );

    world.remove("checkout");
    world
        .wait_until_deleted::<FlowSchema>("tenant-checkout")
        .await;
    world.wait_until_deleted::<Level>("tenant-checkout").await;
    world.stop().await;
}

#[tokio::test]
async fn a_change_by_hand_is_undone() {
    let world = World::start("1.31").await;
    world.set("checkout", 10);
    let level = world.wait_for_shares("tenant-checkout", 10).await;
    let levels = world.client.priority_level_configurations();

    levels.delete("tenant-checkout").await.unwrap();
    let again = world.wait_for_shares("tenant-checkout", 10).await;
    assert_ne!(again.metadata.uid, level.metadata.uid);
    world.stop().await;
}

#[tokio::test]
async fn fields_of_others_stay() {
    let world = World::start("1.31").await;
    world.set("checkout", 10);
    world.wait_for_shares("tenant-checkout", 10).await;
    let levels = world.client.priority_level_configurations();

    let mut theirs = Level::partial("tenant-checkout");
    let limited = theirs.spec.limited.get_or_insert_default();
    limited.lendable_percent = Some(40);
    levels
        .apply(&theirs)
        .field_manager("operator")
        .await
        .unwrap();
    world.set("checkout", 20);
    let level = world.wait_for_shares("tenant-checkout", 20).await;
    let limited = level.spec.limited.unwrap();
    assert_eq!(limited.lendable_percent, Some(40));
    world.stop().await;
}

#[tokio::test]
async fn objects_without_the_label_stay() {
    let world = World::start("1.31").await;
    let levels = world.client.priority_level_configurations();
    let mut theirs: Level = Level::partial("tenant-theirs");
    let limited = theirs.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(1);
    theirs.spec.r#type = "Limited".into();
    limited.limit_response.r#type = "Reject".into();
    let theirs = levels
        .apply(&theirs)
        .field_manager("operator")
        .await
        .unwrap();

    world.set("theirs", 10);
    world.set("zebra", 10);
    // Names are looked at in their order, so the first one is finished.
    world.wait_for_shares("tenant-zebra", 10).await;
    world.tenants.send_modify(Tenants::clear);
    world.wait_until_deleted::<Level>("tenant-zebra").await;
    assert_eq!(levels.get("tenant-theirs").await.unwrap(), theirs);
    world.stop().await;
}

#[tokio::test]
async fn a_failure_is_tried_again() {
    let world = World::start("1.31").await;
    world
        .server
        .inject(Fault::internal_error().on_method("PATCH").times(2));
    world.set("checkout", 10);
    world.wait_for_shares("tenant-checkout", 10).await;
    assert_eq!(world.server.pending_faults(), 0);
    world.stop().await;
}

#[tokio::test]
async fn an_unchanged_object_is_not_applied_again() {
    let world = World::start("1.31").await;
    world.set("checkout", 10);
    // Names are looked at in their order: when the second tenant has its level, the first one is finished.
    world.set("zebra", 10);
    world.wait_for_shares("tenant-zebra", 10).await;
    assert_eq!(world.writes("tenant-checkout"), 2);

    // A change looks at every tenant.
    world.set("zebra", 20);
    world.wait_for_shares("tenant-zebra", 20).await;
    assert_eq!(world.writes("tenant-checkout"), 2);
    world.stop().await;
}

#[tokio::test]
async fn it_works_through_an_upgrade_that_removes_its_version() {
    // 1.25 serves v1beta1 and v1beta2, 1.33 and later serve v1 alone.
    let world = World::start("1.25").await;
    world.set("checkout", 10);
    let before = world.wait_for_shares("tenant-checkout", 10).await;

    for (release, shares) in [("1.28", 15), ("1.29", 20), ("1.33", 25), ("1.36", 30)] {
        world.server.upgrade(release).await.unwrap();
        world.set("checkout", shares);
        world.wait_for_shares("tenant-checkout", shares).await;
    }
    let levels = world.client.priority_level_configurations();
    let after = levels.get("tenant-checkout").await.unwrap();
    assert_eq!(after.metadata.uid, before.metadata.uid);

    levels.delete("tenant-checkout").await.unwrap();
    world.wait_for_shares("tenant-checkout", 30).await;
    world.remove("checkout");
    world.wait_until_deleted::<Level>("tenant-checkout").await;
    world.stop().await;
}
