//! The server, an embedded one or a cluster, with the objects and the users of the load.

use crate::support::Failure;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{Config, Impersonation};
use k8s_flowcontrol::rules::limits::ServerLimits;
use k8s_flowcontrol::{Client, Release, Resource, from_value_strict};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, ObservedLimits, Quantity};
use k8s_flowcontrol_server::{ApiServer, Fault};
use serde_json::json;
use std::env;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The name of the level and of the flow schema.
pub(crate) const NAME: &str = "flowcontrol-replay";
/// The seats of the level.
pub(crate) const SEATS: i64 = 3;
/// A group that may do anything and is not exempt.
pub(crate) const GROUP: &str = "kubeadm:cluster-admins";
/// The time that the embedded server takes for a request.
const EXECUTION: Duration = Duration::from_millis(200);
/// Shorter requests never need all seats, and after longer ones the program would wait for long.
const EXECUTIONS: std::ops::RangeInclusive<Duration> =
    Duration::from_millis(100)..=Duration::from_secs(1);
/// The pause before the program looks again whether the server has followed the objects.
const PAUSE: Duration = Duration::from_millis(500);

pub(crate) struct Cluster {
    pub(crate) path: String,
    pub(crate) users: [String; 2],
    admin: Client,
    clients: [Client; 2],
    /// The UID of the flow schema, once it exists.
    schema: OnceLock<String>,
    /// Whether the level exists.
    level: OnceLock<()>,
    _embedded: Option<ApiServer>,
}

/// The response to a request of the load.
pub(crate) enum Answer {
    /// It executed, and had this flow schema.
    Executed { schema: Option<String> },
    /// Flow control rejected it.
    Rejected,
}

/// What decides about requests, as the server has it.
pub(crate) struct Configuration {
    pub(crate) schemas: Vec<FlowSchema>,
    pub(crate) levels: Vec<PriorityLevelConfiguration>,
    pub(crate) seats: u32,
    pub(crate) release: Release,
}

impl Cluster {
    pub(crate) async fn start() -> Result<Self, Failure> {
        let path = env::var("REPLAY_PATH").unwrap_or_else(|_| {
            "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/exempt".to_owned()
        });
        let users = env::var("REPLAY_USERS").unwrap_or_else(|_| "hasty,calm".to_owned());
        let Some((one, other)) = users.split_once(',') else {
            return Err(
                format!("REPLAY_USERS is `{users}`; expected two names such as `a,b`").into(),
            );
        };
        let users = [one.trim().to_owned(), other.trim().to_owned()];
        let list = env::var_os("FLOWCONTROL_TEST_KUBECONFIG");
        let (config, contexts, embedded) = match &list {
            Some(list) => {
                let files: Vec<PathBuf> = env::split_paths(list).collect();
                let config = Config::builder().files(&files).build()?;
                let mut contexts = Vec::new();
                for user in &users {
                    contexts.push(context(&files, user, &config)?);
                }
                (config, contexts, None)
            }
            None => {
                let delay = Fault::delay(EXECUTION).times(usize::MAX).on_path(&path);
                let server = ApiServer::builder().flow_control(true).server_seats(100);
                let server = server.fault(delay).start().await?;
                (Config::new(server.url())?, Vec::new(), Some(server))
            }
        };
        let client = |index: usize| -> Result<Client, Failure> {
            let config = match contexts.get(index).cloned().flatten() {
                Some(config) => config,
                None => {
                    let user = Impersonation::new(&users[index])
                        .group(GROUP)
                        .group("system:authenticated");
                    config.clone().with_impersonation(user)?
                }
            };
            Ok(Client::new(config)?.with_retry_policy(RetryPolicy::none()))
        };
        println!("Talking to the cluster at {}", config.server_url());
        Ok(Self {
            path,
            clients: [client(0)?, client(1)?],
            users,
            admin: Client::new(config)?,
            schema: OnceLock::new(),
            level: OnceLock::new(),
            _embedded: embedded,
        })
    }

    /// Creates the level and its flow schema. An object of this name that exists is an error, and stays.
    pub(crate) async fn create_objects(&self) -> Result<(), Failure> {
        let before = self.configuration().await?;
        let level = level_with_seats(&before)?;
        self.admin
            .priority_level_configurations()
            .create(&level)
            .await?;
        let _first = self.level.set(());
        let subject = |user: &String| json!({"kind": "User", "user": {"name": user}});
        let schema: FlowSchema = from_value_strict(&json!({
            "metadata": {"name": NAME},
            "spec": {
                "matchingPrecedence": 10,
                "priorityLevelConfiguration": {"name": NAME},
                "distinguisherMethod": {"type": "ByUser"},
                "rules": [{
                    "subjects": self.users.iter().map(subject).collect::<Vec<_>>(),
                    "resourceRules": [{
                        "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"], "namespaces": ["*"], "clusterScope": true,
                    }],
                    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
                }],
            },
        }))?;
        let schema = self.admin.flow_schemas().create(&schema).await?;
        let uid = schema.metadata.uid.unwrap_or_default();
        let _first = self.schema.set(uid);
        Ok(())
    }

    /// Waits until the server has followed the objects, and returns how long a request executes that nothing delays: the median of nine.
    pub(crate) async fn measure_execution(&self) -> Result<Duration, Failure> {
        for user in 0..self.clients.len() {
            while !self.is_classified(user).await? {
                tokio::time::sleep(PAUSE).await;
            }
        }
        loop {
            let metrics = self.metrics().await?;
            let seats = FlowMetrics::parse(&metrics).total(Quantity::NominalSeats, NAME);
            if seats == Some(SEATS) {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        let mut times = Vec::new();
        for _ in 0..9 {
            let start = Instant::now();
            self.request(0).await?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let execution = times[times.len() / 2];
        if !EXECUTIONS.contains(&execution) {
            return Err(format!(
                "a request for {} takes {execution:?}; expected {EXECUTIONS:?}. REPLAY_PATH names a path whose requests take time",
                self.path
            )
            .into());
        }
        Ok(execution)
    }

    /// Whether the flow schema matches the requests of a user.
    async fn is_classified(&self, user: usize) -> Result<bool, Failure> {
        let answer = self.request(user).await?;
        Ok(matches!(answer, Answer::Executed { schema } if schema.as_ref() == self.schema.get()))
    }

    /// A request of a user, which is sent when it is first polled.
    pub(crate) fn request(
        &self,
        user: usize,
    ) -> impl Future<Output = Result<Answer, Failure>> + Send + use<> {
        let request = self.clients[user].get_raw(&self.path);
        async move {
            match request.send().await {
                Ok(response) => Ok(Answer::Executed {
                    schema: response.flow_schema_uid().map(str::to_owned),
                }),
                Err(error) if error.is_rejected_by_flow_control() => Ok(Answer::Rejected),
                Err(error) => Err(error.into()),
            }
        }
    }

    /// The objects and the seats of the server.
    pub(crate) async fn configuration(&self) -> Result<Configuration, Failure> {
        let release = self.admin.release().await?;
        let levels = self.admin.priority_level_configurations().list().await?;
        let schemas = self.admin.flow_schemas().list().await?;
        let limits = ObservedLimits::parse(&self.metrics().await?);
        let Some(seats) = limits.server_seats(&levels.items, release) else {
            return Err("the metrics of the server do not show its seats".into());
        };
        Ok(Configuration {
            schemas: schemas.items,
            levels: levels.items,
            seats,
            release,
        })
    }

    async fn metrics(&self) -> Result<String, Failure> {
        Ok(String::from_utf8(self.admin.get_raw("/metrics").await?)?)
    }

    /// Deletes the objects that this program has created.
    pub(crate) async fn delete_objects(&self) -> Result<(), Failure> {
        if self.schema.get().is_some() {
            self.admin.flow_schemas().delete_if_exists(NAME).await?;
        }
        if self.level.get().is_some() {
            let levels = self.admin.priority_level_configurations();
            levels.delete_if_exists(NAME).await?;
        }
        Ok(())
    }
}

/// The context of the name of a user, if it exists and has the same server.
fn context(files: &[PathBuf], user: &str, admin: &Config) -> Result<Option<Config>, Failure> {
    let (names, _current) = Config::builder().files(files).contexts()?;
    if !names.iter().any(|name| name == user) {
        return Ok(None);
    }
    let config = Config::builder().files(files).context(user).build()?;
    Ok((config.server_url() == admin.server_url()).then_some(config))
}

/// The level, with the shares that give it its seats beside the levels of the server.
fn level_with_seats(server: &Configuration) -> Result<PriorityLevelConfiguration, Failure> {
    for shares in 1..10_000 {
        let level: PriorityLevelConfiguration = from_value_strict(&json!({
            "metadata": {"name": NAME},
            "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": shares,
                "lendablePercent": 0,
                "borrowingLimitPercent": 0,
                "limitResponse": {
                    "type": "Queue", "queuing": {"queues": 16, "handSize": 2, "queueLengthLimit": 6},
                },
            }},
        }))?;
        let levels = server.levels.iter().filter(|level| level.name() != NAME);
        let limits = ServerLimits::new(levels.chain([&level]), server.seats, server.release);
        if limits.level(NAME).map(|level| level.nominal) == Some(SEATS) {
            return Ok(level);
        }
    }
    Err(format!(
        "no shares give a level {SEATS} of the {} seats of the server",
        server.seats
    )
    .into())
}
