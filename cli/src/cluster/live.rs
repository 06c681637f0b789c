//! A cluster and its objects, as JSON trees in one API version.

use super::connect::ClusterArgs;
use super::fields::name;
use super::write::WriteArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::kubernetes_arg::KubernetesArg;
use crate::output::notice;
use k8s_flowcontrol::api::v1::{FlowSchema, PriorityLevelConfiguration};
use k8s_flowcontrol::client::Deleted;
use k8s_flowcontrol::{
    Api, ApiVersion, Client, DynamicObject, Error, GROUP, Kind, Release, Resource,
};
use serde_json::Value;

/// The options that select a cluster and the API version of the requests.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LiveArgs {
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,

    /// The API version of the requests; defaults to the newest served version
    #[arg(long, value_name = "VERSION")]
    pub(crate) api_version: Option<ApiVersion>,

    #[command(flatten)]
    kubernetes: KubernetesArg,
}

impl LiveArgs {
    /// Connects to the cluster and discovers the versions that it serves.
    pub(crate) async fn connect(&self) -> Result<Live, Failure> {
        let live = Live::connect(self.cluster.client().await?, self.api_version).await?;
        Ok(Live {
            given: self.kubernetes.given(),
            ..live
        })
    }
}

/// A cluster, and the API version of the requests to it.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) client: Client,
    pub(crate) version: ApiVersion,
    /// All served versions, the newest first.
    pub(crate) served: Vec<ApiVersion>,
    /// The release that the user gives.
    pub(crate) given: Option<Release>,
}

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
        let served: Vec<_> = ApiVersion::ALL.iter().copied().filter(is_served).collect();
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
                given: None,
            }),
        }
    }

    pub(crate) async fn release(&self) -> Result<Release, Error> {
        release_of(&self.client, self.given).await
    }

    pub(crate) fn objects(&self, kind: Kind) -> Api<DynamicObject> {
        self.client.objects(kind, self.version)
    }

    /// The objects of a kind that match a label selector, by name.
    pub(crate) async fn list(&self, kind: Kind, labels: Option<&str>) -> Result<Vec<Value>, Error> {
        let request = self.objects(kind).list().limit(500);
        let mut items = request.label_selector(labels.unwrap_or_default()).items();
        let mut objects = Vec::new();
        while let Some(item) = items.next().await {
            objects.push(item?.tree());
        }
        Ok(objects)
    }

    /// Reads an object.
    pub(crate) async fn get(&self, kind: Kind, name: &str) -> Result<Value, Error> {
        Ok(self.objects(kind).get(name).await?.tree())
    }

    /// Reads an object; none if it does not exist.
    pub(crate) async fn find(&self, kind: Kind, name: &str) -> Result<Option<Value>, Error> {
        let object = self.objects(kind).get_opt(name).await?;
        Ok(object.map(|object| object.tree()))
    }

    /// Changes an object by a merge patch.
    pub(crate) async fn patch(
        &self,
        kind: Kind,
        name: &str,
        patch: &Value,
        write: &WriteArgs,
    ) -> Result<Value, Error> {
        let mut request = self
            .objects(kind)
            .patch(name)
            .merge(patch)
            .field_manager(&write.field_manager);
        if write.is_dry_run() {
            request = request.dry_run();
        }
        Ok(request.await?.tree())
    }

    /// Applies an object with server-side apply.
    pub(crate) async fn apply(
        &self,
        kind: Kind,
        tree: &Value,
        write: &WriteArgs,
        force: bool,
    ) -> Result<Value, Error> {
        let request = self.objects(kind).patch(name(tree)).apply(tree);
        let mut request = request.field_manager(&write.field_manager);
        if write.is_dry_run() {
            request = request.dry_run();
        }
        if force {
            request = request.force();
        }
        Ok(request.await?.tree())
    }

    /// Replaces an object, unless the stored object has changed since.
    pub(crate) async fn replace(
        &self,
        kind: Kind,
        tree: &Value,
        write: &WriteArgs,
    ) -> Result<Result<Value, Error>, Failure> {
        let object = DynamicObject::from_tree(tree.clone())
            .map_err(|error| Failure::input(format!("{kind} \"{}\": {error}", name(tree))))?;
        let mut request = self
            .objects(kind)
            .replace(&object)
            .field_manager(&write.field_manager);
        if write.is_dry_run() {
            request = request.dry_run();
        }
        Ok(request.await.map(|object| object.tree()))
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
        Ok(Kind::ALL.iter().copied().filter_map(hash).collect())
    }

    pub(crate) async fn json_patch(
        &self,
        kind: Kind,
        name: &str,
        patch: &Value,
        is_dry_run: bool,
    ) -> Result<Value, Error> {
        let mut request = self.objects(kind).patch(name).json(patch);
        if is_dry_run {
            request = request.dry_run();
        }
        Ok(request.await?.tree())
    }

    /// Deletes an object by its UID: an object that was recreated in the meantime stays. Returns the finalizers that keep the object
    /// for now.
    pub(crate) async fn delete(
        &self,
        kind: Kind,
        object: &Value,
        write: &WriteArgs,
    ) -> Result<Vec<String>, Error> {
        let mut request = self.objects(kind).delete(name(object));
        if let Some(uid) = object["metadata"]["uid"].as_str() {
            request = request.precondition_uid(uid);
        }
        if write.is_dry_run() {
            request = request.dry_run();
        }
        Ok(match request.await? {
            Deleted::Object(object) => object.metadata().finalizers.clone(),
            Deleted::Status(_) => Vec::new(),
        })
    }
}

/// All flow schemas and priority levels of a cluster, in v1.
pub(crate) async fn all_objects(
    client: &Client,
) -> Result<(Vec<FlowSchema>, Vec<PriorityLevelConfiguration>), Error> {
    let schemas = client.negotiated::<FlowSchema>().await?;
    let levels = client.negotiated::<PriorityLevelConfiguration>().await?;
    Ok((schemas.list().await?.items, levels.list().await?.items))
}

/// The given release, or else the release that the cluster reports, or else the oldest release with its API versions. The last is an
/// assumption, which a note on the standard error mentions.
pub(crate) async fn release_of(client: &Client, given: Option<Release>) -> Result<Release, Error> {
    if let Some(release) = given {
        return Ok(release);
    }
    let version = client.version().await?.git_version;
    if let Ok(release) = version.parse() {
        return Ok(release);
    }
    let release = client.release().await?;
    // If the standard error is closed, nobody reads notes.
    let _ = notice(&format!(
        "the cluster names the release `{version}`, which is not a known one: the rules of Kubernetes {release} apply; `--kubernetes` sets another"
    ));
    Ok(release)
}
