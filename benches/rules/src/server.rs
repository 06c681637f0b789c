//! The embedded server, with clients in the same process.

use crate::{Outcome, rate};
use bench_data::{Meter, flow_schema};
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::FlowSchema;
use k8s_flowcontrol_server::ApiServer;
use serde_json::json;
use std::hint::black_box;
use tokio::task::JoinSet;

/// The number of concurrent clients.
const CLIENTS: usize = 8;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reads of one object.
pub(crate) async fn requests(count: usize) -> Outcome {
    let server = ApiServer::builder().kubernetes("1.36").start().await?;
    let mut tasks = JoinSet::new();
    let meter = Meter::start();
    for _ in 0..CLIENTS {
        let levels = Client::from_url(server.url())?.priority_level_configurations();
        tasks.spawn(async move {
            for _ in 0..count / CLIENTS {
                black_box(levels.get("workload-low").await?);
            }
            Ok::<_, Failure>(())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done?.map_err(|error| error.to_string())?;
    }
    rate(&meter, "requests/s", count / CLIENTS * CLIENTS);
    Ok(())
}

/// Changes of one object, each delivered to every watch.
pub(crate) async fn fan_out(watches: usize, changes: usize) -> Outcome {
    let server = ApiServer::builder().kubernetes("1.36").start().await?;
    let client = Client::from_url(server.url())?;
    let schemas = client.flow_schemas();
    let new: FlowSchema =
        serde_json::from_str(&flow_schema(1).replace(r#""resourceVersion":"1001","#, ""))?;
    let mut begin = schemas.create(&new).await?;
    let mut tasks = JoinSet::new();
    let version = begin.metadata.resource_version.take().unwrap_or_default();
    for _ in 0..watches {
        let mut events = schemas.watch().resource_version(version.as_str()).await?;
        tasks.spawn(async move {
            for _ in 0..changes {
                black_box(events.next().await.ok_or("the watch ended early")??);
            }
            Ok::<_, Failure>(())
        });
    }
    let meter = Meter::start();
    let name = begin.metadata.name.unwrap_or_default();
    for change in 0..changes {
        let precedence = json!({"spec": {"matchingPrecedence": 1000 + change % 8000}});
        schemas.patch(name.as_str()).merge(&precedence).await?;
    }
    while let Some(done) = tasks.join_next().await {
        done?.map_err(|error| error.to_string())?;
    }
    rate(&meter, "events/s", watches * changes);
    Ok(())
}
