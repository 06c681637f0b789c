//! The server, an embedded one or a cluster, with the objects and the users of the load.

use crate::support::Failure;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::RetryPolicy;
use k8s_flowcontrol::config::{Config, Impersonation};
use k8s_flowcontrol::rules::matching::{Classifier, RequestAttributes, User};
use k8s_flowcontrol::{Client, Kind, Release, Resource};
use k8s_flowcontrol_analysis::metrics::{FlowMetrics, ObservedLimits, Quantity};
use k8s_flowcontrol_analysis::size::Sizing;
use k8s_flowcontrol_server::{ApiServer, Fault};
use std::env;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    /// The names of the levels that this program has created; their flow schemas have the same names.
    created: Mutex<Vec<(Kind, String)>>,
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
            created: Mutex::default(),
            _embedded: embedded,
        })
    }

    /// Creates the added levels of an answer and their flow schemas, and waits until the server uses them. An object of such a name that exists
    /// is an error, and stays.
    pub(crate) async fn apply(&self, sizing: &Sizing) -> Result<(), Failure> {
        for change in &sizing.changes {
            let level = &change.priority_level;
            let Some(schema) = &change.flow_schema else {
                return Err(format!(
                    "the answer changes the level {}, and this program only adds objects",
                    level.name()
                )
                .into());
            };
            let levels = self.admin.priority_level_configurations();
            levels.create(level).await?;
            self.created()
                .push((Kind::PriorityLevelConfiguration, level.name().to_owned()));
            self.admin.flow_schemas().create(schema).await?;
            self.created()
                .push((Kind::FlowSchema, schema.name().to_owned()));
        }
        for user in 0..self.clients.len() {
            while !self.is_classified(user, sizing).await? {
                tokio::time::sleep(PAUSE).await;
            }
        }
        for change in &sizing.changes {
            let name = change.priority_level.name();
            loop {
                let metrics = self.metrics().await?;
                let seats = FlowMetrics::parse(&metrics).total(Quantity::NominalSeats, name);
                if seats == Some(change.nominal) {
                    break;
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// How long a request executes that nothing delays: the median of nine.
    pub(crate) async fn measure_execution(&self) -> Result<Duration, Failure> {
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

    /// Whether the server classifies the requests of a user as the configuration of the answer does.
    async fn is_classified(&self, user: usize, sizing: &Sizing) -> Result<bool, Failure> {
        let classifier = Classifier::new(
            &sizing.flow_schemas,
            &sizing.priority_levels,
            self.admin.release().await?,
        );
        let attributes = self.attributes(user)?;
        let Some(expected) = classifier.classify(&attributes) else {
            return Err(format!("flow control does not apply to {}", self.path).into());
        };
        let schema = self.admin.flow_schemas().get(expected.flow_schema).await?;
        let answer = self.request(user).await?;
        Ok(matches!(answer, Answer::Executed { schema: found } if found == schema.metadata.uid))
    }

    /// The attributes of a user's requests.
    pub(crate) fn attributes(&self, user: usize) -> Result<RequestAttributes, Failure> {
        let user = User::authenticated(&self.users[user], [GROUP]);
        Ok(RequestAttributes::from_http("GET", &self.path, user)?)
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
        let created = self.created().clone();
        // The flow schema of a level goes first.
        for (kind, name) in created.iter().rev() {
            match kind {
                Kind::FlowSchema => {
                    let schemas = self.admin.flow_schemas();
                    schemas.delete_if_exists(name).await?;
                }
                Kind::PriorityLevelConfiguration => {
                    let levels = self.admin.priority_level_configurations();
                    levels.delete_if_exists(name).await?;
                }
            }
        }
        Ok(())
    }

    fn created(&self) -> MutexGuard<'_, Vec<(Kind, String)>> {
        self.created.lock().unwrap_or_else(PoisonError::into_inner)
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
