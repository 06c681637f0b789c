//! A cluster and its objects, as JSON trees in one API version.

use super::connect::ClusterArgs;
use super::tree::{name, tree};
use super::write::WriteArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use k8s_flowcontrol::Kind;
use k8s_flowcontrol::api::{v1, v1beta1, v1beta2, v1beta3};
use k8s_flowcontrol::{ApiVersion, Client, Error, GROUP, Release};
use serde_json::Value;

/// The options that select a cluster and the API version of the requests.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The API version of the requests; defaults to the newest served version
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<ApiVersion>,
}

impl LiveArgs {
    /// Connects to the cluster and discovers the versions that it serves.
    pub(crate) async fn connect(&self) -> Result<Live, Failure> {
        Live::connect(self.cluster.client().await?, self.api_version).await
    }
}

/// A cluster, and the API version of the requests to it.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    pub(crate) version: ApiVersion,
    /// All served versions, the newest first.
    pub(crate) served: Vec<ApiVersion>,
}

/// Evaluates an expression with the typed API of a kind in the version of the requests.
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
    /// Discovers the served versions. Requests use `version`, or else the newest served one.
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
                format!("the cluster serves no known version of {GROUP}"),
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

    /// The release of the cluster, or else the newest release that prefers the same version.
    pub(crate) async fn release(&self) -> Release {
        let info = self.client.version().await.ok();
        let release = info.and_then(|info| {
            format!("{}.{}", info.major, info.minor.trim_end_matches('+'))
                .parse()
                .ok()
        });
        let fits = |release: &Release| release.preferred() == self.served[0];
        release
            .or_else(|| Release::all().filter(fits).last())
            .unwrap_or_default()
    }

    /// The objects of a kind that match a label selector, by name.
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

    /// Reads an object.
    pub(crate) async fn get(&self, kind: Kind, name: &str) -> Result<Value, Error> {
        with_api!(self, kind, api => api.get(name).await.map(|object| tree(&object)))
    }

    /// Changes an object by a merge patch.
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

    /// Applies an object with server-side apply.
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
            request.await.map(|object| super::tree::tree(&object))
        })
    }

    /// Replaces an object, unless the stored object has changed since.
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
            Ok(request.await.map(|object| super::tree::tree(&object)))
        })
    }

    /// The hash of the storage version of each kind.
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

    /// Changes an object by a JSON patch, or as a dry run.
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

    /// Deletes an object by its UID: an object that was recreated in the meantime stays.
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
