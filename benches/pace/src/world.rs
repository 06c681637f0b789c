//! The server: an embedded one, or a cluster.

use super::Failure;
use k8s_flowcontrol::Client;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{Config, Impersonation};
use k8s_flowcontrol::from_value_strict;
use k8s_flowcontrol_analysis::metrics::ObservedLimits;
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::time::Duration;

/// The time that the embedded server takes for a request.
const SERVICE: Duration = Duration::from_millis(200);
const NAME: &str = "bench-pace";

/// The requests of the clients, unless `PACE_PATH` names another path.
const PATH: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt";

pub(crate) struct World {
    /// The path of the measured requests.
    pub(crate) path: String,
    config: Config,
    admin: Client,
    _embedded: Option<ApiServer>,
}

impl World {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let path = std::env::var("PACE_PATH").unwrap_or_else(|_| PATH.to_owned());
        let (config, embedded) = match std::env::var_os("FLOWCONTROL_TEST_KUBECONFIG") {
            Some(file) => (Config::builder().file(file).build()?, None),
            None => {
                let delay = Fault::delay(SERVICE).times(usize::MAX).on_path(&path);
                let server = ApiServer::builder()
                    .flow_control(true)
                    .server_seats(100)
                    .fault(delay);
                let server = server.start().await?;
                (Config::new(server.url())?, Some(server))
            }
        };
        let world = Self {
            path,
            admin: Client::new(config.clone())?,
            config,
            _embedded: embedded,
        };
        world.set_seats(10).await?;
        let schema: FlowSchema = from_value_strict(&json!({
            "metadata": {"name": NAME},
            "spec": {
                "matchingPrecedence": 2,
                "priorityLevelConfiguration": {"name": NAME},
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [{
                    "subjects": [{"kind": "Group", "group": {"name": NAME}}],
                    "resourceRules": [{
                        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true,
                    }],
                }],
            },
        }))?;
        world
            .admin
            .flow_schemas()
            .apply(&schema)
            .field_manager(NAME)
            .force()
            .await?;
        Ok(world)
    }

    /// Gives the level this number of the server's seats.
    pub(crate) async fn set_seats(&self, seats: u32) -> Result<(), Failure> {
        let levels = self.admin.priority_level_configurations();
        let others = levels.list().await?;
        let of_others = |level: &PriorityLevelConfiguration| match &level.spec.limited {
            Some(limited) if level.metadata.name.as_deref() != Some(NAME) => {
                limited.nominal_concurrency_shares.unwrap_or(30)
            }
            _ => 0,
        };
        let metrics = self.admin.get_raw("/metrics").await?;
        let limits = ObservedLimits::parse(&String::from_utf8_lossy(&metrics));
        let release = self.admin.release().await?;
        let Some(total) = limits.server_seats(&others.items, release) else {
            return Err("the metrics of the server do not show its seats".into());
        };
        // seats = total × shares / (shares + others)
        let others: i32 = others.items.iter().map(of_others).sum();
        let shares = f64::from(others) * f64::from(seats) / (f64::from(total) - f64::from(seats));
        let level: PriorityLevelConfiguration = from_value_strict(&json!({
            "metadata": {"name": NAME},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": shares as i32,
                "borrowingLimitPercent": 0,
                "limitResponse": {
                    "type": "Queue", "queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50},
                },
            }},
        }))?;
        levels.apply(&level).field_manager(NAME).force().await?;
        Ok(())
    }

    /// A client of a user, which may do anything and is not exempt.
    pub(crate) fn client(&self, user: &str, retries: bool) -> Result<Client, Failure> {
        let user = Impersonation::new(user)
            .group(NAME)
            .group("kubeadm:cluster-admins")
            .group("system:authenticated");
        let config = self.config.clone().with_impersonation(user)?;
        let client = Client::new(config)?;
        Ok(match retries {
            true => client,
            // The measured programs try again themselves.
            false => client.with_retry_policy(RetryPolicy::none()),
        })
    }

    pub(crate) async fn end(self) -> Result<(), Failure> {
        self.admin.flow_schemas().delete_if_exists(NAME).await?;
        self.admin
            .priority_level_configurations()
            .delete_if_exists(NAME)
            .await?;
        Ok(())
    }
}
