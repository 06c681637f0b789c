//! A controller of kube's runtime, with kinds of `k8s-flowcontrol`.
//!
//! A FlowSchema with the annotation `example.com/shares: "20"` gets its priority level with that many shares. The
//! controller owns the level: it restores the shares after other changes, and creates the level again after its deletion.
//!
//! `cargo run --example shares` in `interop/`, with `KUBECONFIG` for a cluster, without it for an embedded server

use futures_util::StreamExt;
use k8s_flowcontrol::Resource as _;
use k8s_flowcontrol::api::v1::{
    FlowSchema, LimitResponseType, PriorityLevelConfiguration, PriorityLevelType,
};
use k8s_flowcontrol::config::Config;
use k8s_flowcontrol_kube::{Kube, config};
use k8s_flowcontrol_server::ApiServer;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, Resource as _, ResourceExt};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

const SHARES: &str = "example.com/shares";
const MANAGER: &str = "shares-controller";
/// The pause after a failed reconciliation.
const RETRY: Duration = Duration::from_secs(5);

/// Reconciles all FlowSchemas until `shutdown` is ready.
pub(crate) async fn run(
    client: Client,
    shutdown: impl Future<Output = ()> + Send + Sync + 'static,
) {
    let schemas: Api<Kube<FlowSchema>> = Api::all(client.clone());
    let levels: Api<Kube<PriorityLevelConfiguration>> = Api::all(client);
    Controller::new(schemas, watcher::Config::default())
        .owns(levels.clone(), watcher::Config::default())
        .graceful_shutdown_on(shutdown)
        .run(
            reconcile,
            |_, _, _| Action::requeue(RETRY),
            Arc::new(levels),
        )
        .for_each(async |result| match result {
            Ok((schema, _)) => println!("  reconciled {}", schema.name),
            Err(error) => eprintln!("  {error}"),
        })
        .await;
}

/// Applies the level of a schema, if the annotation asks for it.
async fn reconcile(
    schema: Arc<Kube<FlowSchema>>,
    levels: Arc<Api<Kube<PriorityLevelConfiguration>>>,
) -> Result<Action, kube::Error> {
    let Some(shares) = schema.metadata.annotations.get(SHARES) else {
        return Ok(Action::await_change());
    };
    let Ok(shares) = shares.parse() else {
        // Another attempt would not help.
        eprintln!("  {}: {SHARES} is not a number: {shares}", schema.name());
        return Ok(Action::await_change());
    };

    // The level is applied with these fields alone, so the controller owns no others.
    let name = &schema.spec.priority_level_configuration.name;
    let mut level = Kube::new(PriorityLevelConfiguration::partial(name));
    level
        .owner_references_mut()
        .extend(schema.controller_owner_ref(&()));
    level.spec.r#type = PriorityLevelType::Limited;
    let limited = level.spec.limited.get_or_insert_default();
    limited.nominal_concurrency_shares = Some(shares);
    limited.limit_response.r#type = LimitResponseType::Reject;

    let parameters = PatchParams::apply(MANAGER).force();
    levels
        .patch(name, &parameters, &Patch::Apply(&level))
        .await?;
    Ok(Action::await_change())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (server, config) = match std::env::var_os("KUBECONFIG") {
        Some(_) => (None, Config::try_default()?),
        None => {
            let server = ApiServer::builder().start().await?;
            let config = Config::new(server.url())?;
            (Some(server), config)
        }
    };
    println!(
        "Reconciling the FlowSchemas of {}; Ctrl-C ends it",
        config.server_url()
    );
    let client = Client::try_from(config::to_kube(&config)?)?;
    // Without Ctrl-C the controller runs until the program is killed.
    run(client, async { drop(tokio::signal::ctrl_c().await) }).await;
    drop(server);
    Ok(())
}
