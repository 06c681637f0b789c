//! Objects on a cluster, as trees in the version that is spoken with it.

mod columns;
mod manifest;
mod owner;
mod rehearsal;
mod takeover;
mod target;

pub(crate) use columns::{age, dangling, part_of, shares, table};
pub(crate) use manifest::Manifest;
pub(crate) use owner::owner;
pub(crate) use rehearsal::rehearse;
pub(crate) use takeover::takeover;
pub(crate) use target::{Target, TargetArgs};

use crate::cluster::ClusterArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release, Resource};
use serde_json::Value;

/// Under which name changes are booked unless another one is given.
pub(crate) const FIELD_MANAGER: &str = "kubectl-flowcontrol";

/// Which cluster, and in which version to speak with it.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The version of the API to speak; unless given, the newest one that the cluster serves
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<ApiVersion>,
}

impl LiveArgs {
    /// Connects, and finds out what the cluster serves.
    pub(crate) async fn connect(&self) -> Result<Live, Failure> {
        Live::connect(self.cluster.client().await?, self.api_version).await
    }
}

/// How a change is made.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Have the server check everything, but store nothing
    #[arg(long, value_name = "MODE", num_args = 0..=1, default_missing_value = "server", value_parser = ["none", "server"], default_value = "none")]
    dry_run: String,

    /// The name under which the changes are booked
    #[arg(long, value_name = "NAME", default_value = FIELD_MANAGER)]
    pub(crate) field_manager: String,

    /// Also write objects that belong to someone: to the server itself, to Helm, Argo CD, Flux, a controller or a vendor
    #[arg(long)]
    pub(crate) include_managed: bool,
}

impl WriteArgs {
    /// A change that is tried out and not stored.
    pub(crate) fn rehearsal(field_manager: &str) -> Self {
        Self {
            dry_run: "server".to_owned(),
            field_manager: field_manager.to_owned(),
            include_managed: true,
        }
    }

    /// Whether nothing is to be stored.
    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run != "none"
    }

    /// What is said behind a change that was not stored.
    pub(crate) fn note(&self) -> &'static str {
        match self.is_dry_run() {
            true => " (server dry run)",
            false => "",
        }
    }

    /// Refuses to write an object that belongs to someone, unless that is what the person wants.
    pub(crate) fn check_owner(&self, kind: Kind, object: &Value) -> Result<(), Failure> {
        let Some(owner) = owner(kind, object).filter(|_| !self.include_managed) else {
            return Ok(());
        };
        let name = name(object);
        Err(Failure::new(
            Exit::Findings,
            format!("{kind} \"{name}\" belongs to {owner}: it is left as it is"),
        )
        .hint("`--include-managed` writes it all the same"))
    }
}

/// A cluster, and the version that is spoken with it.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    pub(crate) version: ApiVersion,
    /// All versions that it serves, the newest first.
    pub(crate) served: Vec<ApiVersion>,
}

/// Evaluates an expression with the API of a kind in a version, whose type the compiler knows.
macro_rules! with_api {
    ($live:expr, $kind:expr, $api:ident => $body:expr) => {
        match ($kind, $live.version) {
            (Kind::FlowSchema, ApiVersion::V1) => with_api!($live, v1::FlowSchema, $api, $body),
            (Kind::FlowSchema, ApiVersion::V1Beta3) => {
                with_api!($live, v1beta3::FlowSchema, $api, $body)
            }
            (Kind::FlowSchema, ApiVersion::V1Beta2) => {
                with_api!($live, v1beta2::FlowSchema, $api, $body)
            }
            (Kind::FlowSchema, ApiVersion::V1Beta1) => {
                with_api!($live, v1beta1::FlowSchema, $api, $body)
            }
            (Kind::PriorityLevelConfiguration, ApiVersion::V1) => {
                with_api!($live, v1::PriorityLevelConfiguration, $api, $body)
            }
            (Kind::PriorityLevelConfiguration, ApiVersion::V1Beta3) => {
                with_api!($live, v1beta3::PriorityLevelConfiguration, $api, $body)
            }
            (Kind::PriorityLevelConfiguration, ApiVersion::V1Beta2) => {
                with_api!($live, v1beta2::PriorityLevelConfiguration, $api, $body)
            }
            (Kind::PriorityLevelConfiguration, ApiVersion::V1Beta1) => {
                with_api!($live, v1beta1::PriorityLevelConfiguration, $api, $body)
            }
        }
    };
    ($live:expr, $type:ty, $api:ident, $body:expr) => {{
        let $api = $live.client.api::<$type>();
        $body
    }};
}
pub(crate) use with_api;

impl Live {
    /// Finds out what the cluster serves; `version` is what to speak, if it serves it.
    pub(crate) async fn connect(
        client: Client,
        version: Option<ApiVersion>,
    ) -> Result<Self, Failure> {
        let group = client.api_group(GROUP).await?;
        let is_served = |version: &ApiVersion| {
            let mut names = group.versions.iter().map(|served| &served.version);
            names.any(|served| served == version.as_str())
        };
        let served: Vec<_> = ApiVersion::ALL.into_iter().filter(is_served).collect();
        let Some(newest) = served.first().copied() else {
            return Err(Failure::new(
                Exit::Cluster,
                format!("the cluster serves {GROUP} in no version that is known here"),
            ));
        };
        match version {
            Some(version) if !served.contains(&version) => {
                let served: Vec<_> = served.iter().map(|version| version.as_str()).collect();
                Err(Failure::new(
                    Exit::Cluster,
                    format!("the cluster does not serve {version}"),
                )
                .hint(format!("it serves {}", served.join(" and "))))
            }
            version => Ok(Self {
                client,
                version: version.unwrap_or(newest),
                served,
            }),
        }
    }

    /// The cluster's release; the newest one that serves these versions when it does not say.
    pub(crate) async fn release(&self) -> Release {
        let said = self.client.version().await.ok();
        let said = said.and_then(|info| {
            format!("{}.{}", info.major, info.minor.trim_end_matches('+'))
                .parse()
                .ok()
        });
        let fits = |release: &Release| release.preferred() == self.served[0];
        said.or_else(|| Release::all().filter(fits).last())
            .unwrap_or_default()
    }

    /// The objects of a kind that selectors keep, by name.
    pub(crate) async fn list(&self, kind: Kind, labels: Option<&str>) -> Result<Vec<Value>, Error> {
        with_api!(self, kind, api => {
            let mut items = api.list().label_selector(labels.unwrap_or_default()).limit(500).items();
            let mut objects = Vec::new();
            while let Some(item) = items.next().await {
                objects.push(tree(&item?));
            }
            Ok(objects)
        })
    }

    /// An object.
    pub(crate) async fn get(&self, kind: Kind, name: &str) -> Result<Value, Error> {
        with_api!(self, kind, api => api.get(name).await.map(|object| tree(&object)))
    }

    /// Changes an object by a merge patch in the version that is spoken.
    pub(crate) async fn patch(
        &self,
        kind: Kind,
        name: &str,
        patch: &Value,
        write: &WriteArgs,
    ) -> Result<Value, Error> {
        with_api!(self, kind, api => {
            let mut request = api.patch(name).merge(patch).field_manager(&write.field_manager);
            if write.is_dry_run() {
                request = request.dry_run();
            }
            request.await.map(|object| tree(&object))
        })
    }

    /// Server-side apply of an object in the version that is spoken.
    pub(crate) async fn apply(
        &self,
        kind: Kind,
        tree: &Value,
        write: &WriteArgs,
        force: bool,
    ) -> Result<Value, Error> {
        with_api!(self, kind, api => {
            let mut request = api.patch(name(tree)).apply(tree).field_manager(&write.field_manager);
            if write.is_dry_run() {
                request = request.dry_run();
            }
            if force {
                request = request.force();
            }
            request.await.map(|object| self::tree(&object))
        })
    }

    /// Puts an object in the place of the one that is stored, if that has not changed since.
    pub(crate) async fn replace(
        &self,
        kind: Kind,
        tree: &Value,
        write: &WriteArgs,
    ) -> Result<Result<Value, Error>, Failure> {
        with_api!(self, kind, api => {
            let object = serde_json::from_value(tree.clone())
                .map_err(|error| Failure::input(format!("{kind} \"{}\": {error}", name(tree))))?;
            let mut request = api.replace(&object).field_manager(&write.field_manager);
            if write.is_dry_run() {
                request = request.dry_run();
            }
            Ok(request.await.map(|object| self::tree(&object)))
        })
    }

    /// The hash of the version in which the cluster stores objects of each kind.
    pub(crate) async fn storage_hashes(&self) -> Result<Vec<(Kind, String)>, Error> {
        let resources = self
            .client
            .api_resources(GROUP, self.version.as_str())
            .await?;
        let hash = |kind: Kind| {
            let mut found = resources
                .resources
                .iter()
                .filter(|resource| resource.name == kind.plural());
            let hash = found.next()?.storage_version_hash.clone()?;
            Some((kind, hash))
        };
        Ok(Kind::ALL.into_iter().filter_map(hash).collect())
    }

    /// Changes an object by a JSON patch, or only tries it out.
    pub(crate) async fn json_patch(
        &self,
        kind: Kind,
        name: &str,
        patch: &Value,
        is_dry_run: bool,
    ) -> Result<Value, Error> {
        with_api!(self, kind, api => {
            let mut request = api.patch(name).json(patch);
            if is_dry_run {
                request = request.dry_run();
            }
            request.await.map(|object| tree(&object))
        })
    }

    /// Deletes an object as it was seen: one that was made anew meanwhile is left alone.
    pub(crate) async fn delete(
        &self,
        kind: Kind,
        object: &Value,
        write: &WriteArgs,
    ) -> Result<(), Error> {
        let uid = object["metadata"]["uid"].as_str();
        with_api!(self, kind, api => {
            let mut request = api.delete(name(object));
            if let Some(uid) = uid {
                request = request.precondition_uid(uid);
            }
            if write.is_dry_run() {
                request = request.dry_run();
            }
            request.await.map(drop)
        })
    }
}

/// The object as JSON. (What was read from JSON can be written as JSON.)
pub(crate) fn tree<K: Resource>(object: &K) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

/// The object's name.
pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}
